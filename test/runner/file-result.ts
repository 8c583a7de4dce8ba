import { stripVTControlCharacters } from 'node:util';
import { mapStacks } from './map-stacks.ts';

/** How the tests of a file ended. */
export interface FileResult {
  /** Its output, without uvu's summary. */
  output: string;
  failed: boolean;
  /** The number of tests, from uvu's summary; 1, with none passed, if the process ended before the summary. */
  total: number;
  passed: number;
  skipped: number;
  seconds: number;
  cpuSeconds: number;
}

/** What the runner observed of a file: its output, and failures that its tests do not report. */
export interface Seen {
  out: string;
  errors: string;
  /** Whether uvu or the process reported a failure. */
  isFailed: boolean;
  seconds: number;
  cpuSeconds: number;
}

/** Reads uvu's summary, with or without colours. A file that ran no test has failed, and so has one that did not run all its tests. */
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
