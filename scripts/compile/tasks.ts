import { locateFindings } from '../check/report.ts';
import type { StepReporter } from '../findings.ts';
import { CommandError } from '../system.ts';
import type { NewGameTask } from '../upstream/review/new-game.ts';
import type { Trial } from '../upstream/try/try.ts';
import { type CompiledGame, type CompileOptions, compileGame } from './game.ts';

/** The input of a task. Inputs and outputs can be sent between processes. */
export type Task = object;

interface CompileTask extends Task {
  folder: string;
  slug: string;
  options: CompileOptions;
}

/** The result for a game, and why its files could not be written. */
export type Compiled = CompiledGame & { failure?: string };

/** The tasks that workers do for a game, each within its limits. */
export const TASKS: Readonly<
  Record<'compile' | 'evaluate', (task: Task, steps: StepReporter) => Promise<unknown>>
> = {
  compile: (task, steps) => compile(task as CompileTask, steps),
  async evaluate(task, steps) {
    const work = task as Trial | NewGameTask;
    if ('newGame' in work)
      return await (await import('../upstream/review/new-game.ts')).describeNewGame(work, steps);
    return await (await import('../upstream/try/try.ts')).tryExpression(work, steps);
  },
};

/** Compiles a game and adds the lines to its findings. */
async function compile({ folder, slug, options }: CompileTask, steps: StepReporter): Promise<Compiled> {
  try {
    const compiled = await compileGame(folder, slug, options, steps);
    return { ...compiled, findings: await locateFindings(compiled.findings) };
  } catch (error) {
    // The class of an error is lost between processes.
    if (error instanceof CommandError) return { value: undefined, findings: [], failure: error.message };
    throw error;
  }
}
