import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { DATA, LOCK, refuseLostData } from './integrity/folder-files.ts';
import { refuseSameNumber } from './process-number.ts';
import { adviseRestore, openInFolder, refuseFolder } from './store-folder.ts';

/** Every LMDB environment begins with a page header of 24 bytes, then this number, little-endian. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;

/**
 * Opens the LMDB environment in a folder. A missing folder is created, accessible to its owner only.
 *
 * @throws StoreError when the folder cannot be created or used, or holds something else
 */
export function openLmdbFolder(folder: string, { readOnly = false } = {}): RootDatabase<unknown, string> {
  const files = [DATA, LOCK].map((name) => join(folder, name));
  return openInFolder(folder, () => {
    refuseLostData(folder);
    checkFiles(folder, files, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK);
    const missing = files.filter((file) => !existsSync(file));
    // Without `noSubdir: false`, lmdb would use a folder with a dot in its name as a file.
    // With `overlappingSync`, a commit would return before its fsync, and a write would not be durable.
    const root = open<unknown, string>({
      path: folder,
      noSubdir: false,
      overlappingSync: false,
      readOnly,
      encoding: 'json',
    });
    // A folder that existed before may be readable by others, and the files hold email addresses.
    for (const file of missing) chmodSync(file, 0o600);
    refuseSameNumber(root, folder);
    return root;
  });
}

/** Checks the files before LMDB opens them, because a failure in its native code may end the process. */
function checkFiles(folder: string, files: string[], mode: number): void {
  for (const file of files.filter((path) => existsSync(path))) accessSync(file, mode);
  const [data] = files;
  if (data !== undefined && existsSync(data) && !hasMagic(data)) {
    throw refuseFolder(folder, `its ${DATA} is damaged or is not an LMDB file; ${adviseRestore(folder)}`);
  }
}

/** An empty file counts too: a process that was stopped before its first write leaves one, and LMDB fills it. */
function hasMagic(file: string): boolean {
  const head = Buffer.alloc(MAGIC_AT + 4);
  const descriptor = openSync(file, 'r');
  const length = readSync(descriptor, head);
  closeSync(descriptor);
  return length === 0 || (length === head.length && head.readUInt32LE(MAGIC_AT) === MAGIC);
}
