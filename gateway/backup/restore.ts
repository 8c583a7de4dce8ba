import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { errorOf } from '../../scripts/lib/system-error.ts';
import {
  adviseRestore,
  hasData,
  IDENTITY_FILE,
  openInFolder,
  RECORDS,
  refuseFolder,
  removeDraft,
  writeIdentityFile,
} from '../store/folder-files.ts';
import { explainFailure, StoreBusy } from '../store/sqlite-errors.ts';
import { listUsers } from '../store/sqlite-file.ts';
import { StoreError } from '../store/store.ts';
import { place } from './backup.ts';
import { type DataReport, verifyBackup } from './verify.ts';

/** What a restored store has, and the path of its previous data file. */
export interface RestoreReport extends DataReport {
  /** null if there was none */
  replaced: string | null;
}

/** What SQLite writes beside a data file. */
const COMPANIONS = ['-wal', '-shm'];

/**
 * Makes a backup the data file of a store. The copy is read and checked before it replaces the previous file, which is kept beside it.
 * Counters stay as they are.
 *
 * @throws StoreError when the backup is damaged, a process has the store open, or the folder cannot be written
 */
export function restoreFolder(path: string, folder: string): RestoreReport {
  const [file, store] = [resolve(path), resolve(folder)];
  if (!existsSync(file))
    throw new StoreError(`there is no backup ${file}; name a file that gateway store backup wrote`);
  const draft = join(store, `restore.${randomUUID()}.part`);
  try {
    return openInFolder(store, () => {
      refuseUsers(store);
      copyFileSync(file, draft);
      const report = verifyBackup(draft, file);
      return { ...report, replaced: replaceData(store, draft, report.identity) };
    });
  } finally {
    removeDraft(draft);
  }
}

/** The data file is replaced in one step: a process that is killed leaves the old one or the new one. */
function replaceData(store: string, draft: string, identity: string | null): string | null {
  const data = join(store, RECORDS);
  const replaced = `${data}.${new Date().toISOString().replaceAll(':', '')}.replaced`;
  const isKept = hasData(store);
  if (isKept) {
    makeSingle(store, data);
    linkSync(data, replaced);
  }
  // They are left only beside a damaged file. SQLite would apply the log to the new file.
  for (const end of COMPANIONS) if (existsSync(data + end)) renameSync(data + end, replaced + end);
  place(draft, data);
  if (identity === null) removeIdentityFile(store);
  else writeIdentityFile(store, identity);
  return isKept ? replaced : null;
}

/** Writes the log of a data file into it, so that it is complete without other files. SQLite does this only when no process has it open. */
function makeSingle(store: string, data: string): void {
  const database = new DatabaseSync(data);
  try {
    database.prepare('PRAGMA journal_mode = DELETE').get();
  } catch (error) {
    if (explainFailure(error, { folder: store, name: RECORDS, advice: '' }) instanceof StoreBusy)
      throw refuseInUse(store, listUsers([data]));
  } finally {
    database.close();
  }
}

/** A damaged data file does not show whether it is in use, but the locks on it do. */
function refuseUsers(store: string): void {
  const data = join(store, RECORDS);
  const users = listUsers([data, ...COMPANIONS.map((end) => data + end)]);
  if (users.length > 0) throw refuseInUse(store, users);
}

function refuseInUse(store: string, users: readonly string[]): StoreError {
  const by = users.length > 0 ? `the process ${users.join(', ')}` : 'another process';
  return new StoreError(
    `the store in ${store} is in use by ${by}; stop the gateways and commands that use it, then ${adviseRestore(store)}`,
  );
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
    throw refuseFolder(folder, errorOf(error).message, error);
  }
}
