import type { Finding } from '../findings/findings.ts';
import type { Steps } from '../findings/steps.ts';
import { Port } from '../lib/port.ts';
import type { ChosenBuilds } from '../game/compile-options.ts';
import type { UpstreamOptions } from '../read/reference.ts';

/** Fetches the files that builds of a game name by reference and that the cache lacks. Without it, each of these files is an error. */
export const REFERENCES = new Port<
  /**
   * @param folder the game's folder
   * @param only undefined for all builds
   * @returns why files cannot be fetched
   */
  (folder: string, options: UpstreamOptions, only?: ChosenBuilds) => Promise<Finding[]>
>();

/** Other work on a game than compiling it, in a worker and within its limits. What goes in and out can be sent between processes. */
export const EVALUATE = new Port<(task: unknown, steps: Steps) => Promise<unknown>>();
