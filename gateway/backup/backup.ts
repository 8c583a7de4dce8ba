import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorOf } from '../../scripts/lib/system-error.ts';
import { hasData, refuseLostData, removeDraft } from '../store/folder-files.ts';
import { StoreError } from '../store/store.ts';
import { type DataReport, readFolder, verifyBackup } from './verify.ts';

/**
 * Writes a backup of the records of a store in a folder: one file with the state of one moment. The file is read and checked before it gets its name.
 * Other processes may use the store meanwhile. Counters are not in it.
 *
 * @param path where the backup is written; no such file may exist
 * @throws StoreError when there is no such store, it is damaged, or the file cannot be written
 */
export function backUpFolder(folder: string, path: string): DataReport {
  const file = resolve(path);
  refuseLostData(folder);
  if (!hasData(folder))
    throw new StoreError(`there is no store in ${folder} to back up; name its folder by --store`);
  if (existsSync(file)) throw refuseExisting(file);
  const draft = `${file}.${randomUUID()}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // SQLite would create it readable by others.
    closeSync(openSync(draft, 'wx', 0o600));
    readFolder(folder, (database) => database.prepare('VACUUM INTO ?').run(draft));
    const report = verifyBackup(draft);
    placeNew(draft, file);
    return report;
  } catch (error) {
    if (errorOf(error).code === 'EEXIST') throw refuseExisting(file);
    throw refuseCopy(folder, file, error);
  } finally {
    removeDraft(draft);
  }
}

/** Gives a complete file its name, so that it exists even after a power failure. */
export function place(from: string, to: string): void {
  chmodSync(from, 0o600);
  sync(from);
  renameSync(from, to);
  sync(dirname(to));
}

/** Like `place`, but replaces no file, not even one that another process gave this name just now. @throws Error with the code EEXIST */
function placeNew(from: string, to: string): void {
  chmodSync(from, 0o600);
  sync(from);
  try {
    linkSync(from, to);
  } catch (error) {
    const { code = '' } = errorOf(error);
    // A disk without links, such as FAT.
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(code) || existsSync(to)) throw error;
    renameSync(from, to);
  }
  sync(dirname(to));
}

/** Makes the content of a file, or the names in a folder, outlast a power failure. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function refuseExisting(file: string): StoreError {
  return new StoreError(`${file} exists already; name a new file for the backup`);
}

function refuseCopy(folder: string, file: string, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(
    `cannot back up the store in ${folder} to ${file}: ${reason}; check whether a disk is full, and check the store with gateway store verify`,
    { cause: error },
  );
}
