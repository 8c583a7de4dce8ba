import { stripVTControlCharacters } from 'node:util';
import { mapStacks } from './map-stacks.ts';

/** How the tests of a file ended. */
export interface FileResult {
  /** What it wrote, without uvu's summary. */
  output: string;
  failed: boolean;
  /** Tests, as uvu counts them at the end; 1 and none passed where the process ended before. */
  total: number;
  passed: number;
  skipped: number;
  seconds: number;
  cpuSeconds: number;
}

/** What was seen of a file: all that it wrote, and why it failed where its tests cannot say so. */
export interface Seen {
  out: string;
  errors: string;
  /** Whether uvu, or the process, said that something failed. */
  isFailed: boolean;
  seconds: number;
  cpuSeconds: number;
}

/** Reads what uvu prints last, in colours or not. A file that ran no test has failed, and so has one that ran fewer than it has. */
export function readResult({ out, errors, isFailed, seconds, cpuSeconds }: Seen): FileResult {
  const end = out.lastIndexOf('\n  Total:');
  const summary = end < 0 ? '' : stripVTControlCharacters(out.slice(end));
  const [total = 0, passed = 0, skipped = 0] = (summary.match(/\d+/g) ?? []).map(Number);
  const isDone = total + skipped > 0;
  const failed = isFailed || !isDone || passed < total;
  const output = isDone ? out.slice(0, end) + errors : `${out}\nended before its tests were done\n${errors}`;
  return {
    output: failed ? mapStacks(output) : output,
    failed,
    ...(isDone ? { total, passed, skipped } : { total: 1, passed: 0, skipped: 0 }),
    seconds,
    cpuSeconds,
  };
}
