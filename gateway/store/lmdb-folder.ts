import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { openInFolder, refuseFolder } from './store-folder.ts';

/** The first bytes of every LMDB environment: a page header of 24 bytes, then this number, little-endian. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;

/**
 * Opens the LMDB environment of a folder, which is created, for its owner alone, where it is missing.
 *
 * @throws StoreError when the folder cannot be made or used, or holds something else
 */
export function openLmdbFolder(folder: string): RootDatabase<unknown, string> {
  const files = ['data.mdb', 'lock.mdb'].map((name) => join(folder, name));
  return openInFolder(folder, () => {
    checkFiles(folder, files);
    const missing = files.filter((file) => !existsSync(file));
    // `noSubdir` is false whatever the folder is called: with a dot in its name it would be taken for a file.
    // Without `overlappingSync` a commit returns only after its fsync, which is what makes a write durable.
    const root = open<unknown, string>({
      path: folder,
      noSubdir: false,
      overlappingSync: false,
      encoding: 'json',
    });
    // In a folder that was there before, others may read: the files hold people's addresses.
    for (const file of missing) chmodSync(file, 0o600);
    return root;
  });
}

/** Checks all that can be checked from outside, because a failing open in native code may end the process. */
function checkFiles(folder: string, files: string[]): void {
  for (const file of files.filter((path) => existsSync(path)))
    accessSync(file, constants.R_OK | constants.W_OK);
  const [data] = files;
  if (data !== undefined && existsSync(data) && !hasMagic(data)) {
    throw refuseFolder(
      folder,
      'its data.mdb is damaged or no LMDB file; restore it from a backup, or move it away',
    );
  }
}

/** An empty file is what a process leaves that was stopped before its first write; it is filled on opening. */
function hasMagic(file: string): boolean {
  const head = Buffer.alloc(MAGIC_AT + 4);
  const descriptor = openSync(file, 'r');
  const length = readSync(descriptor, head);
  closeSync(descriptor);
  return length === 0 || (length === head.length && head.readUInt32LE(MAGIC_AT) === MAGIC);
}
