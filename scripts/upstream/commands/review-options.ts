import type { CompileOptions } from '../../commands/games.ts';
import type { Progress } from '../../lib/progress.ts';
import type { StartWorkers } from '../../workers/workers.ts';

/** The options of `gamedata review`. */
export interface ReviewOptions extends CompileOptions {
  against?: string;
  out: string;
  html?: string;
}

/** What the review of a game needs to know. */
export type ReviewOne = Omit<ReviewOptions, 'html'>;

/** What reviews share. */
export interface Tools {
  progress: Progress;
  start?: StartWorkers | undefined;
}
