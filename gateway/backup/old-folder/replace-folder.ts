import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { checkIdentity, OLD_DATA, RECORDS, readIdentityFile, SEAL } from '../../store/folder-files.ts';
import { explainFailure } from '../../store/sqlite-errors.ts';
import { openSqliteStore } from '../../store/sqlite-store.ts';
import { describeRecord, IDENTITY, MIGRATION, type Store, StoreError } from '../../store/store.ts';
import { sync } from '../backup.ts';
import { copyStore } from '../migrate.ts';
import { BACKUP, readFolderState } from './folder-state.ts';
import { LmdbRecords } from './lmdb-records.ts';
import { findMetaFault } from './meta-pages.ts';
import { readOldCounters } from './old-counters.ts';
import { refuseUsers } from './old-users.ts';
import type { TakeOverTask } from './take-over-task.ts';

/** The folder in which the new files are written. */
const DRAFT = 'taking-over.part';
const SEAL_DRAFT = 'data.mdb.sealed';
/** Locked by the process of this version that takes the folder over; others wait for it. It stays: SQLite fails on a file that is removed. */
const MUTEX = 'taking-over.lock';
const MAX_WAIT_MS = 600_000;
/** The old files that are moved away at the end, besides the data file. */
const OLD_FILES = /^(lock\.mdb|closed|quota(-.*)?)$/;

/**
 * Does what `takeOverFolder` describes, in a process of its own. README.md of this room explains the order of the steps.
 *
 * @throws StoreError when the folder cannot be taken over; errors of the file system; other errors where the data file is damaged
 */
export async function replaceFolder(task: TakeOverTask): Promise<void> {
  const { folder } = task;
  try {
    const backup = join(folder, BACKUP);
    mkdirSync(backup, { recursive: true, mode: 0o700 });
    const mutex = new DatabaseSync(join(backup, MUTEX), { timeout: MAX_WAIT_MS });
    try {
      mutex.exec('BEGIN EXCLUSIVE');
      await replaceAlone(task);
    } finally {
      mutex.close();
    }
  } catch (error) {
    throw explainFailure(error, { folder, name: MUTEX, advice: 'remove this file' });
  }
}

async function replaceAlone({ folder, acceptsLoss }: TakeOverTask): Promise<void> {
  const state = readFolderState(folder);
  if (state === 'new') return;
  if (state === 'both')
    throw new StoreError(
      `it has both ${RECORDS} and an LMDB file, ${OLD_DATA}; move the one away that is not to be used`,
    );
  if (state === 'damaged') throw new Error('it is not an LMDB file');
  if (state === 'sealed') renameSync(join(folder, BACKUP, OLD_DATA), join(folder, OLD_DATA));
  refuseUsers(folder, []);
  const fault = await findMetaFault(folder);
  if (fault !== undefined) throw new Error(fault);
  await copyAndReplace(folder, acceptsLoss);
}

async function copyAndReplace(folder: string, acceptsLoss: boolean): Promise<void> {
  const leftOut = new Set<string>();
  const old = await LmdbRecords.open(folder, Date.now, leftOut);
  try {
    await old.lock(async () => {
      refuseUsers(folder, old.listReaders());
      for (const name of findDamaged(old, acceptsLoss)) leftOut.add(name);
      await checkRecords(folder, old, acceptsLoss);
      await writeDraft(folder, old);
      replaceFiles(folder, old);
    });
  } finally {
    await old.close();
    rmSync(join(folder, DRAFT), { recursive: true, force: true });
  }
}

/** @returns the names of damaged records, which are left out. @throws StoreError unless that is accepted */
function findDamaged(old: LmdbRecords, acceptsLoss: boolean): string[] {
  const damaged = old.findDamaged();
  if (damaged.length === 0 || acceptsLoss) return damaged;
  const kinds = [...new Set(damaged.map(describeRecord))].join(', ');
  throw new StoreError(
    `${damaged.length} of its records are damaged (${kinds}); restore a backup with that version, or leave them out with gateway store init`,
  );
}

/** @throws StoreError when the records are not those of this folder, or not all of a store */
async function checkRecords(folder: string, old: LmdbRecords, acceptsLoss: boolean): Promise<void> {
  const [identity, migration] = await old.read([IDENTITY, MIGRATION]);
  if (migration !== undefined)
    throw new StoreError('a migration to it was not finished; do it again with that version');
  const expected = readIdentityFile(folder);
  if (expected !== undefined && !acceptsLoss) checkIdentity(folder, expected, identity);
}

/** Writes the new files, by the same code as any commit. */
async function writeDraft(folder: string, old: LmdbRecords): Promise<void> {
  const draft = join(folder, DRAFT);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  const store = await openSqliteStore(draft);
  try {
    const identity = await old.identity();
    if (identity !== '')
      await store.commit({ read: new Map(), write: new Map([[IDENTITY, { value: identity }]]) });
    await copyStore({ from: old, to: store, now: Date.now });
    await copyCounters(folder, store);
  } finally {
    await store.close();
  }
  for (const name of newFiles(draft)) sync(join(draft, name));
  sync(draft);
}

async function copyCounters(folder: string, store: Store): Promise<void> {
  const counters = [...readOldCounters(folder, Date.now())];
  await Promise.all(
    counters.map(([account, used]) => store.mergeCounters(account, used, `taken over: ${account}`)),
  );
}

/** From the moment at which the seal takes the place of the data file, old versions refuse the folder. */
function replaceFiles(folder: string, old: LmdbRecords): void {
  const [data, backup] = [join(folder, OLD_DATA), join(folder, BACKUP)];
  rmSync(join(backup, OLD_DATA), { force: true });
  linkSync(data, join(backup, OLD_DATA));
  if (existsSync(join(folder, 'identity'))) copyFileSync(join(folder, 'identity'), join(backup, 'identity'));
  sync(backup);
  const seal = join(folder, SEAL_DRAFT);
  writeFileSync(seal, describeSeal(), { mode: 0o600 });
  sync(seal);
  refuseUsers(folder, old.listReaders());
  renameSync(seal, data);
  sync(folder);
  try {
    // One that began to open the old file just before is found by now, and waits for this process.
    refuseUsers(folder, old.listReaders());
  } catch (error) {
    renameSync(join(backup, OLD_DATA), data);
    throw error;
  }
  const draft = join(folder, DRAFT);
  for (const name of newFiles(draft)) renameSync(join(draft, name), join(folder, name));
  sync(folder);
  for (const name of readdirSync(folder).filter((entry) => OLD_FILES.test(entry))) {
    rmSync(join(backup, name), { recursive: true, force: true });
    renameSync(join(folder, name), join(backup, name));
  }
}

/** The file of the records is the last one: with it, the folder is taken over. */
function newFiles(draft: string): string[] {
  const names = readdirSync(draft).filter((name) => name.includes('.sqlite') && name !== RECORDS);
  return [...names, RECORDS];
}

function describeSeal(): string {
  return `${SEAL} The records of this store are in ${RECORDS}, which versions before 0.2 cannot read.
The files from before are in ${BACKUP}/, without what happened later. To go back with everything, run this with version 0.2:
gateway store migrate --from <this folder> --to lmdb:<new folder>
`;
}
