import { realpathSync } from 'node:fs';

/**
 * Where a path leads to, links followed; undefined for a link that leads nowhere. A dump can have thousands of files: a promise for each
 * would take longer than the answer.
 */
export function realPathOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}
