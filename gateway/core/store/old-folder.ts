import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RECORDS } from './sqlite-records.ts';
import { openInFolder } from './store-folder.ts';

/** The data file of a folder of a version before 0.2. */
export const OLD_DATA = 'data.mdb';

/** How the text begins that takes the place of `data.mdb` when the folder is taken over. Old versions refuse every file that is not one of LMDB. */
export const SEAL = 'This is not an LMDB file.';

/**
 * Returns whether a folder is of a version before 0.2, and was not taken over. Costs one look at the file system in a folder that was always of this
 * version.
 *
 * @throws StoreError when its data file cannot be read
 */
export function isOldFolder(folder: string): boolean {
  if (sizeOf(join(folder, OLD_DATA)) === 0) return false;
  const isSealed = readHead(folder, SEAL.length).toString('utf8') === SEAL;
  return !isSealed || sizeOf(join(folder, RECORDS)) === 0;
}

/** Reads how the old data file begins. @throws StoreError when it cannot be read */
export function readHead(folder: string, length: number): Buffer {
  return openInFolder(folder, () => {
    const head = Buffer.alloc(length);
    const descriptor = openSync(join(folder, OLD_DATA), 'r');
    try {
      return head.subarray(0, readSync(descriptor, head));
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Returns the size of a file in bytes; 0 if there is none. */
export function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    // Whatever the reason is, opening the store reports it.
    return 0;
  }
}
