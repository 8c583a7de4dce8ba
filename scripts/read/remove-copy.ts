import { rmSync } from 'node:fs';

/**
 * Removes a damaged copy of a file that a build names by reference, so that the next run fetches it again. Copies are not synced, so after a power
 * loss one can be empty.
 *
 * @returns what to do then
 */
export function removeCopy(file: string): string {
  try {
    rmSync(file, { force: true });
    return 'run it again: the copy was removed, and is fetched again';
  } catch {
    return 'delete it, and run it again: it is fetched again';
  }
}
