import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RECORDS } from '../../../core/store/sqlite-records.ts';
import { openInFolder } from '../../../core/store/store-folder.ts';

/** The data file of an old folder. */
export const DATA = 'data.mdb';
/** The file with the locks of processes that have an old folder open. */
export const LOCK = 'lock.mdb';
/** Where the old files are afterwards. */
export const BACKUP = 'before-sqlite';

/** How the text begins that takes the place of `data.mdb`. Old versions refuse every file that is not one of LMDB. */
export const SEAL = 'This is not an LMDB file.';

/** Every LMDB file begins with a page header of 24 bytes, then this number, little-endian. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;

/**
 * What a folder is: `old`: of an old version; `both`: the same, and it has the file of this version; `sealed`: a take-over was interrupted after
 * old versions were shut out; `damaged`: its data file is neither; `new`: nothing of an old version is in use.
 */
export type FolderState = 'new' | 'old' | 'both' | 'sealed' | 'damaged';

/**
 * Reads what a folder is. Costs one look at the file system in a folder that was always of this version.
 *
 * @throws StoreError when its data file cannot be read
 */
export function readFolderState(folder: string): FolderState {
  const file = join(folder, DATA);
  if (sizeOf(file) === 0) return 'new';
  const isTaken = sizeOf(join(folder, RECORDS)) > 0;
  const head = openInFolder(folder, () => readHead(file));
  if (head.toString('utf8').startsWith(SEAL)) return isTaken ? 'new' : 'sealed';
  if (head.length < MAGIC_AT + 4 || head.readUInt32LE(MAGIC_AT) !== MAGIC) return 'damaged';
  return isTaken ? 'both' : 'old';
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    // Whatever the reason is, opening the store reports it.
    return 0;
  }
}

function readHead(file: string): Buffer {
  const head = Buffer.alloc(MAGIC_AT + 4);
  const descriptor = openSync(file, 'r');
  try {
    return head.subarray(0, readSync(descriptor, head));
  } finally {
    closeSync(descriptor);
  }
}
