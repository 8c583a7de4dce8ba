import { StoreError } from '../store.ts';

/**
 * Takes over the records of a folder that an older version wrote with LMDB.
 *
 * @throws StoreError when it cannot
 */
export async function takeOverFolder(folder: string): Promise<void> {
  throw new StoreError(
    `cannot open the store in ${folder}: This folder was written by an older version, and cannot be read yet`,
  );
}
