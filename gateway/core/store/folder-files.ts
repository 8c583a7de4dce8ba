import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECORDS } from './sqlite-records.ts';
import { adviseRestore, refuseFolder } from './store-folder.ts';

/** The file that holds the identity of the store, beside the record with the same value. */
const IDENTITY_FILE = 'identity';

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

/**
 * Forgets to which store the folder belongs, so that another or an empty store can be opened in it.
 *
 * @throws StoreError when the disk keeps the file
 */
export function removeIdentityFile(folder: string): void {
  try {
    rmSync(join(folder, IDENTITY_FILE), { force: true });
  } catch (error) {
    throw refuseFolder(folder, (error as Error).message, error);
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
