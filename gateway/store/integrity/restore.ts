import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StoreError } from '../store.ts';
import { adviseRestore, openInFolder } from '../store-folder.ts';
import { place, removeStale } from './backup.ts';
import { DATA, hasData, LOCK, removeIdentityFile, writeIdentityFile } from './folder-files.ts';
import type { DataReport } from './read-records.ts';
import { runChild } from './run-child.ts';
import { listUsers } from './users.ts';

/** What a restored store has, and the path of its previous data file. */
export interface RestoreReport extends DataReport {
  /** null if there was none */
  replaced: string | null;
}

/**
 * Reads a whole backup.
 *
 * @throws StoreError when it is missing or damaged
 */
export async function verifyBackup(path: string): Promise<DataReport> {
  const file = resolve(path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new StoreError(`there is no backup ${file}; name a file that gateway store backup wrote`);
  // LMDB opens folders, and writes a lock file beside the data file.
  const folder = await mkdtemp(join(tmpdir(), 'backup-'));
  try {
    symlinkSync(file, join(folder, DATA));
    return await readWhole(folder, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes a backup the data file of a store. The copy is read and checked before it replaces the previous file, which is kept beside it.
 * Counters stay as they are.
 *
 * @throws StoreError when the backup is damaged, a process has the store open, or the folder cannot be written
 */
export async function restoreFolder(path: string, folder: string): Promise<RestoreReport> {
  const file = resolve(path);
  const store = resolve(folder);
  refuseInUse(store);
  if (!existsSync(file))
    throw new StoreError(`there is no backup ${file}; name a file that gateway store backup wrote`);
  const draft = openInFolder(store, () => copyBeside(file, store));
  try {
    const report = await readWhole(draft, file);
    refuseInUse(store);
    return {
      ...report,
      replaced: openInFolder(store, () => replaceData(store, join(draft, DATA), report.identity)),
    };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function copyBeside(file: string, store: string): string {
  removeStale(store, 'restore.');
  const draft = join(store, `restore.${randomUUID()}.part`);
  mkdirSync(draft, { mode: 0o700 });
  copyFileSync(file, join(draft, DATA));
  return draft;
}

/** The data file is replaced in one step: a process that is killed leaves the old one or the new one. */
function replaceData(store: string, copy: string, identity: string | null): string | null {
  const data = join(store, DATA);
  const isKept = hasData(store);
  const kept = `${data}.${new Date().toISOString().replaceAll(':', '')}.replaced`;
  if (isKept) linkSync(data, kept);
  // Processes that still have the store open must not share locks with those that open it later.
  rmSync(join(store, LOCK), { force: true });
  place(copy, data);
  if (identity === null) removeIdentityFile(store);
  else writeIdentityFile(store, identity);
  return isKept ? kept : null;
}

async function readWhole(folder: string, file: string): Promise<DataReport> {
  const outcome = await runChild({ folder });
  if ('report' in outcome) return outcome.report;
  throw new StoreError(`the backup ${file} is damaged (${outcome.fault}); use another backup`);
}

function refuseInUse(store: string): void {
  const users = listUsers(store);
  if (users.length === 0) return;
  throw new StoreError(
    `the store in ${store} is in use by the process ${users.join(', ')}; stop the gateways and commands that use it, then ${adviseRestore(store)}`,
  );
}
