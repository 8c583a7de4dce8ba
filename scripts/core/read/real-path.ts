import { realpathSync } from 'node:fs';

/**
 * Returns the real path of a file, with links followed; undefined for a broken link. Synchronous: for the thousands of files of a dump,
 * promises would take longer than the system calls.
 */
export function realPathOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}
