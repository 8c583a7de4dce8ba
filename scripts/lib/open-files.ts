import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { errorOf } from './system-error.ts';

const LIMITS_FILE = '/proc/self/limits';

/** @returns how many files this process may have open at once; undefined if there is no limit, or the system does not say it */
export function findFileLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS_FILE, 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/**
 * Tries to open so many more files. Node.js ends a process that starts another one when too many files are open: try before.
 *
 * @returns the system's error if that is not possible
 */
export function probeFiles(count: number): NodeJS.ErrnoException | undefined {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    return errorOf(error);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
