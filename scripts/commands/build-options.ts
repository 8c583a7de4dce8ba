import { megabytes } from '../lib/count-of.ts';
import type { CompileOptions } from './games.ts';

/** The options of `gamedata build`. */
export interface BuildOptions extends CompileOptions {
  out: string;
  cache: string | false;
  watch: boolean;
  amend?: string;
}

/**
 * The last line that a build prints.
 *
 * @param totals what was built
 * @param newBytes how much had to be written
 * @param started as `performance.now()` told it
 */
export function summarise(totals: string, newBytes: number, started: number): string {
  const seconds = (performance.now() - started) / 1000;
  return `${totals} (${megabytes(newBytes)} new) in ${seconds.toFixed(1)} s\n`;
}
