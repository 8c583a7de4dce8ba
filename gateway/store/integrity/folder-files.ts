import { randomUUID } from 'node:crypto';
import { type BigIntStats, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adviseRestore, refuseFolder } from '../store-folder.ts';

/** The file that holds all records. */
export const DATA = 'data.mdb';
/** The file with the locks of the processes that have the store open. */
export const LOCK = 'lock.mdb';
/** The file that holds the identity of the store, beside the record with the same value. */
const IDENTITY_FILE = 'identity';
/** The file that describes the data file at the last close of the store. */
const CLOSED = 'closed';

/**
 * Checks, before LMDB creates a data file, that the folder does not belong to a store whose data file was lost.
 *
 * @throws StoreError when it does
 */
export function refuseLostData(folder: string): void {
  const identity = readIdentityFile(folder);
  if (identity === undefined || hasData(folder)) return;
  throw refuseFolder(
    folder,
    `it was in use (identity ${identity}), but its ${DATA} is missing or empty; ${adviseRestore(folder)}, or accept the loss with gateway store init --store ${folder}`,
  );
}

/**
 * Checks that the data file belongs to this folder.
 *
 * @param expected the identity of the folder
 * @param found that of the data file
 * @throws StoreError when it does not
 */
export function checkIdentity(folder: string, expected: string, found: string | undefined): void {
  if (found === expected) return;
  throw refuseFolder(
    folder,
    `its ${DATA} is ${found ? `that of another store (identity ${found})` : 'empty'}, but the folder belongs to the store ${expected}; ${adviseRestore(folder)}, or accept this ${DATA} with gateway store init --store ${folder}`,
  );
}

/** Whether the folder has a data file that is not empty. */
export function hasData(folder: string): boolean {
  return (statData(folder)?.size ?? 0n) > 0n;
}

/** Records the state of the data file when the store is closed properly. */
export function noteClosed(folder: string): void {
  ignoreFailure(() => writeFileSync(join(folder, CLOSED), describeData(folder), { mode: 0o600 }));
}

/** Whether the data file is unchanged since the store was closed properly, and its file system was not mounted again since then. */
export function wasClosed(folder: string): boolean {
  return readText(folder, CLOSED) === describeData(folder);
}

/** The number of the data file in its file system; another file with the same name has another number. */
export function readInode(folder: string): bigint | undefined {
  return statSync(join(folder, DATA), { throwIfNoEntry: false, bigint: true })?.ino;
}

/** The time of the inode's last change: no program can set it, not even when it copies files with their times. */
function describeData(folder: string): string {
  const stats = statData(folder);
  return stats ? `${stats.ino} ${stats.size} ${stats.ctimeNs}\n` : '';
}

/** The identity of the store that the folder belongs to; undefined for a folder without one. */
export function readIdentityFile(folder: string): string | undefined {
  return readText(folder, IDENTITY_FILE)?.trim() || undefined;
}

/** Forgets to which store the folder belongs, so that another or an empty store can be opened in it. */
export function removeIdentityFile(folder: string): void {
  rmSync(join(folder, IDENTITY_FILE), { force: true });
}

/** Records to which store the folder belongs. */
export function writeIdentityFile(folder: string, identity: string): void {
  const draft = join(folder, `${IDENTITY_FILE}.${randomUUID()}.tmp`);
  ignoreFailure(() => {
    writeFileSync(draft, `${identity}\n`, { mode: 0o600 });
    renameSync(draft, join(folder, IDENTITY_FILE));
  });
  rmSync(draft, { force: true });
}

function statData(folder: string): BigIntStats | undefined {
  try {
    return statSync(join(folder, DATA), { bigint: true });
  } catch {
    return undefined;
  }
}

function readText(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}

/** These files help to find damage, but a store works without them, for example on a full disk. */
function ignoreFailure(write: () => void): void {
  try {
    write();
  } catch {}
}
