import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreError } from './store.ts';

/** The file that holds the identity of the store, beside the record with the same value. */
export const IDENTITY_FILE = 'identity';

/**
 * Checks, before SQLite creates a data file, that the folder does not belong to a store whose data file was lost.
 *
 * @throws StoreError when it does
 */
export function refuseLostData(folder: string): void {
  const identity = readIdentityFile(folder);
  if (identity === undefined || hasData(folder)) return;
  throw refuseFolder(
    folder,
    `it was in use (identity ${identity}), but its ${RECORDS} is missing or empty; ${adviseRestore(folder)}, or accept the loss with gateway store init --store ${folder}`,
  );
}

/** @throws StoreError when a folder has no store, although one with this identity must be there */
export function refuseMissing(folder: string, identity: string): void {
  if (hasData(folder)) return;
  const reason = `it has no ${RECORDS}, expected the store ${identity} (--store-id); mount its disk, or ${adviseRestore(folder)}`;
  throw refuseFolder(folder, reason);
}

/**
 * Checks that the data file belongs to this folder.
 *
 * @param expected the identity of the folder
 * @param identity that of the data file
 * @throws StoreError when it does not
 */
export function checkIdentity(folder: string, expected: string, identity: string | undefined): void {
  if (identity === expected) return;
  throw refuseFolder(
    folder,
    `its ${RECORDS} is ${identity ? `that of another store (identity ${identity})` : 'empty'}, but the folder belongs to the store ${expected}; ${adviseRestore(folder)}, or accept this ${RECORDS} with gateway store init --store ${folder}`,
  );
}

/** SQLite takes a shorter file for an empty one. */
const MIN_BYTES = 512;

/** Whether the folder has a data file that is not empty. */
export function hasData(folder: string): boolean {
  return (statSync(join(folder, RECORDS), { throwIfNoEntry: false })?.size ?? 0) >= MIN_BYTES;
}

/**
 * The identity of the store that the folder belongs to; undefined for a folder without one.
 *
 * @throws StoreError when a pipe or the like is in its place, which might never end
 */
export function readIdentityFile(folder: string): string | undefined {
  const file = join(folder, IDENTITY_FILE);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw refuseFolder(folder, `${file} is not a regular file; remove it`);
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Records to which store the folder belongs. The file helps to find a loss, but a store works without it, for example on a full disk. */
export function writeIdentityFile(folder: string, identity: string): void {
  const draft = join(folder, `${IDENTITY_FILE}.${randomUUID()}.tmp`);
  try {
    writeFileSync(draft, `${identity}\n`, { mode: 0o600 });
    renameSync(draft, join(folder, IDENTITY_FILE));
  } catch {
    removeDraft(draft);
  }
}

/** Removes a draft, a file or a folder. One that a failing disk keeps is removed by a later run. */
export function removeDraft(draft: string): void {
  try {
    rmSync(draft, { recursive: true, force: true });
  } catch {}
}

const NOT_A_FOLDER = 'it is not a folder; name a folder';
const NOT_ALLOWED = 'permission denied; run this as the user who owns it, or name another folder';
const REASONS: Record<string, string> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'it is read-only; name another folder',
  ENOENT: 'it cannot be created there; name another folder',
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
};

/**
 * Opens something in a folder. A missing folder is created, accessible to its owner only, and its parents with the usual permissions.
 *
 * @param open opens it, when the folder is there and can be written
 * @throws StoreError when the folder cannot be created or used, or `open` fails
 */
export function openInFolder<T>(folder: string, open: () => T): T {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    makePrivate(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Failures of the system have a code; anything else is a bug.
    throw code === undefined ? error : refuseFolder(folder, REASONS[code] ?? message, error);
  }
}

/** Not recursive: then Node.js would report a failing disk as a missing folder. */
function makePrivate(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** What to do about a data file that is damaged or lost. */
export function adviseRestore(folder: string): string {
  return `restore a backup with gateway store restore <file> --store ${folder}`;
}

/** The error for a store that cannot be opened. */
export function refuseFolder(folder: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(`cannot open the store in ${folder}: ${reason}`, { cause });
}

/** The name of the file with all records. */
export const RECORDS = 'store.sqlite';

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
