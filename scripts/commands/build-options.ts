import type { BulkFormat } from '../format/dist-format.ts';
import { megabytes } from '../lib/count-of.ts';
import type { CompileOptions, CoverageOptions } from './games.ts';

/** The options of `gamedata build`. */
export interface BuildOptions extends CompileOptions, CoverageOptions {
  out: string;
  cache: string | false;
  watch: boolean;
  amend?: string;
  formats: readonly BulkFormat[];
  formatsOf?: number;
}

/**
 * The last line that a build prints.
 *
 * @param totals the text about what was built
 * @param newBytes how many bytes were written
 * @param started the value of `performance.now()` at the start
 */
export function summarise(totals: string, newBytes: number, started: number): string {
  const seconds = (performance.now() - started) / 1000;
  return `${totals} (${megabytes(newBytes)} new) in ${seconds.toFixed(1)} s\n`;
}
