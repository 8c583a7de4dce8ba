import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LOCK } from './folder-files.ts';

/**
 * Lists the numbers of the processes that have a store in a folder open: LMDB locks its lock file in each. Where the system does not list
 * locks, and for processes of other containers, there are none.
 */
export function listUsers(folder: string): string[] {
  const inode = statSync(join(folder, LOCK), { throwIfNoEntry: false })?.ino;
  const users = readLocks().flatMap(([, , , , pid = '', file = '']) =>
    file.endsWith(`:${inode}`) ? [pid] : [],
  );
  return [...new Set(users)];
}

/** Lines such as `1: POSIX ADVISORY READ 32207 fe:00:2924703 0 0`. */
function readLocks(): string[][] {
  try {
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
  } catch {
    return [];
  }
}
