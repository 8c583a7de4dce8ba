import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a file that appears as a whole, with the folders that it needs. Its content is not synced: use it for copies that are checked when they
 * are read.
 *
 * @param write writes the file whose path it gets
 */
export function putInPlace(target: string, write: (temporary: string) => void): void {
  const temporary = `${target}.${randomBytes(8).toString('hex')}.tmp`;
  mkdirSync(path.dirname(target), { recursive: true });
  try {
    write(temporary);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
