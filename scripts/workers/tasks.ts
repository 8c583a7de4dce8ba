import type { Finding } from '../findings/findings.ts';
import type { Steps } from '../findings/steps.ts';
import { type CompiledGame, compileGame } from '../game/compile-game.ts';
import type { CompileOptions } from '../game/compile-options.ts';
import { jsonataEngine } from '../jsonata/load-engine.ts';
import { locateFindings } from '../report/report.ts';
import { type Trial, type TrialResult, tryExpression } from '../try/try-expression.ts';
import { StepFile } from '../watchdog/step-file.ts';

/** A task for a worker, which runs one of the functions below. */
interface Task {
  /** The file to which the worker writes its current step. */
  stepFile: string;
}

interface CompileTask extends Task {
  folder: string;
  slug: string;
  options: CompileOptions;
}

/** The outcome for a game, and a message from the process that compiled it. */
export type Compiled = CompiledGame & { note?: string | undefined };

/** Compiles a game; its findings have their lines. */
export async function compile({ folder, slug, stepFile, options }: CompileTask): Promise<Compiled> {
  return await withSteps(stepFile, async (steps) => {
    const compiled = await compileGame(folder, slug, options, steps);
    return { ...compiled, findings: await locateFindings(compiled.findings), note: jsonataEngine().note };
  });
}

/** Fills in the lines of findings. */
export async function locate({ findings }: { findings: Finding[] }): Promise<Finding[]> {
  return await locateFindings(findings);
}

/** Evaluates an expression on the tables of a build. */
export async function evaluate({ stepFile, ...trial }: Task & Trial): Promise<TrialResult> {
  return await withSteps(stepFile, (steps) => tryExpression(trial, steps));
}

async function withSteps<T>(file: string, work: (steps: Steps) => Promise<T>): Promise<T> {
  const steps = new StepFile(file);
  try {
    return await work(steps);
  } finally {
    steps.close();
  }
}
