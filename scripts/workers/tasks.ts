import type { Finding } from '../findings/findings.ts';
import type { Steps } from '../findings/steps.ts';
import { type CompiledGame, compileGame } from '../game/compile-game.ts';
import type { CompileOptions } from '../game/compile-options.ts';
import { jsonataEngine } from '../jsonata/load-engine.ts';
import { CommandError } from '../lib/command-error.ts';
import { locateFindings } from '../report/report.ts';
import type { NewGameTask } from '../upstream/review/new-game.ts';
import type { Trial } from '../upstream/try/trial.ts';
import { LimitedSteps } from '../watchdog/memory-limit.ts';
import { StepFile } from '../watchdog/step-file.ts';

/** A task for a worker, which runs one of the functions below. */
interface Task {
  /** The file to which the worker writes its current step. */
  stepFile: string;
  /** How much memory the task may need. */
  mebibytes: number;
}

interface CompileTask extends Task {
  folder: string;
  slug: string;
  options: CompileOptions;
}

/** The outcome for a game, a message from the process that compiled it, and why the game's files could not be written. */
export type Compiled = CompiledGame & { note?: string | undefined; failure?: string };

/** Compiles a game; its findings have their lines. */
export async function compile({ folder, slug, options, ...task }: CompileTask): Promise<Compiled> {
  return await withSteps(task, async (steps) => {
    try {
      const compiled = await compileGame(folder, slug, options, steps);
      return {
        ...compiled,
        findings: await locateFindings(compiled.findings),
        note: (await jsonataEngine()).note,
      };
    } catch (error) {
      // The class of an error is lost between processes.
      if (error instanceof CommandError) return { value: undefined, findings: [], failure: error.message };
      throw error;
    }
  });
}

/** Fills in the lines of findings. */
export async function locate({ findings }: { findings: Finding[] }): Promise<Finding[]> {
  return await locateFindings(findings);
}

/** Other work on a game than compiling it: trying an expression, or describing a new game. */
export async function evaluate({ stepFile, mebibytes, ...task }: Task): Promise<unknown> {
  return await withSteps({ stepFile, mebibytes }, async (steps) => {
    const work = task as unknown as Trial | NewGameTask;
    if ('newGame' in work)
      return await (await import('../upstream/review/new-game.ts')).describeNewGame(work, steps);
    return await (await import('../upstream/try/try-expression.ts')).tryExpression(work, steps);
  });
}

async function withSteps<T>({ stepFile, mebibytes }: Task, work: (steps: Steps) => Promise<T>): Promise<T> {
  const steps = new StepFile(stepFile);
  try {
    return await work(new LimitedSteps(steps, mebibytes));
  } finally {
    steps.close();
  }
}
