import { readFileSync, statSync } from 'node:fs';

/**
 * Lists the numbers of the processes that have a lock on one of these files, as SQLite has while a database is open. Where the system does not
 * list locks, and for processes of other containers, there are none.
 */
export function listUsers(files: readonly string[]): string[] {
  const inodes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.ino);
  const users = readLocks().flatMap(([, , , , pid = '', file = '']) =>
    inodes.some((inode) => file.endsWith(`:${inode}`)) ? [pid] : [],
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
