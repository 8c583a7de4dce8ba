import { join } from 'node:path';
import { isOldFolder, RECORDS, readHead, SEAL, sizeOf } from '../../store/folder-files.ts';

/** The file with the locks of processes that have an old folder open. */
export const LOCK = 'lock.mdb';
/** Where the old files are afterwards. */
export const BACKUP = 'before-sqlite';

/** Every LMDB file begins with a page header of 24 bytes, then this number, little-endian. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;

/**
 * What a folder is: `old`: of an old version; `both`: the same, and it has the file of this version; `sealed`: a take-over was interrupted after
 * old versions were shut out; `damaged`: its data file is neither; `new`: nothing of an old version is in use.
 */
export type FolderState = 'new' | 'old' | 'both' | 'sealed' | 'damaged';

/** Reads what a folder is. @throws StoreError when its data file cannot be read */
export function readFolderState(folder: string): FolderState {
  if (!isOldFolder(folder)) return 'new';
  const head = readHead(folder, MAGIC_AT + 4);
  if (head.toString('utf8').startsWith(SEAL)) return 'sealed';
  if (head.length < MAGIC_AT + 4 || head.readUInt32LE(MAGIC_AT) !== MAGIC) return 'damaged';
  return sizeOf(join(folder, RECORDS)) > 0 ? 'both' : 'old';
}
