import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeCounters } from '../access/counters.ts';
import {
  adviseRestore,
  checkIdentity,
  openInFolder,
  readIdentityFile,
  refuseLostData,
  writeIdentityFile,
} from './folder-files.ts';
import { COUNTER_FILE, SqliteCounters } from './sqlite-counters.ts';
import { StoreBusy } from './sqlite-errors.ts';
import { SqliteFile } from './sqlite-file.ts';
import { PATIENCE_MS, RECORD_FILE, SqliteRecords } from './sqlite-records.ts';
import {
  type DriverOptions,
  divideWait,
  ensureIdentity,
  IDENTITY,
  REVISION,
  reportOnce,
  type Store,
} from './store.ts';

/** The pause before files are opened again that another process is just creating, in ms. */
const PAUSE_MS = 10;

/**
 * Opens the store in a folder: a database of records, and one of counters. Several processes of one machine may have it open.
 *
 * @throws StoreError when the folder cannot be used, or its data was lost
 */
export async function openSqliteStore(path: string, options: DriverOptions = {}): Promise<Store> {
  const folder = resolve(path);
  const store = joinFiles(await openFiles(folder, options), options);
  try {
    await checkFolder(store, folder);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Files {
  records: SqliteFile;
  counters: SqliteFile;
}

async function openFiles(folder: string, { log }: DriverOptions): Promise<Files> {
  const open = () => {
    refuseLostData(folder);
    const records = new SqliteFile({ ...RECORD_FILE, folder, log, advice: adviseRestore(folder) });
    try {
      return { records, counters: new SqliteFile({ ...COUNTER_FILE, folder, log }) };
    } catch (error) {
      records.close();
      throw error;
    }
  };
  for (const end = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return openInFolder(folder, open);
    } catch (error) {
      // Another process may be creating the same files.
      if (!(error instanceof StoreBusy) || performance.now() > end) throw error;
    }
  }
}

/** Checks that the records belong to the folder, and gives a new store its identity. @throws StoreError when they do not */
async function checkFolder(store: Store, folder: string): Promise<void> {
  const expected = readIdentityFile(folder);
  if (expected === undefined) writeIdentityFile(folder, await store.identity());
  else checkIdentity(folder, expected, (await store.read([IDENTITY]))[0]);
}

/** Makes a store of its files. */
function joinFiles(files: Files, { now = Date.now, reportDamage: report, waitMs }: DriverOptions): Store {
  const { find, count } = divideWait(waitMs);
  const reportDamage = reportOnce(report);
  const records = new SqliteRecords({ file: files.records, now, waitMs: find, reportDamage });
  const counters = new SqliteCounters({ file: files.counters, now, waitMs: count });
  return {
    reportDamage,
    read: (names) => records.read(names),
    find: (name, reference) => records.find(name, reference),
    list: (prefix, page) => records.list(prefix, page),
    dump: (page) => records.dump(page),
    commit: (change) => records.commit(change),
    revision: () => records.revision(),
    readCounters: (account) => counters.read(account),
    countRequest: (account, { minute, day }) => counters.change(['count', account, minute, day]),
    uncountRequest: (account, at) => counters.change(['uncount', account, at]),
    // A change is written or it is not, which is known at once, so no id is needed.
    mergeCounters: (account, used) => counters.change(['merge', account, writeCounters(used)]),
    async removeCounters(account) {
      await counters.change(['forget', account]);
    },
    identity: () => ensureIdentity(records),
    // The first call reads all counters, so that no request waits for that: a balancer asks for readiness before it sends requests.
    async ping() {
      for (const file of Object.values(files)) file.checkFiles();
      await records.find(REVISION);
      await counters.read('');
    },
    async close() {
      await counters.close();
      files.counters.close();
      files.records.close();
    },
  };
}
