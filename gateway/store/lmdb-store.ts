import { resolve } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { openCounters } from './counters/counter-table.ts';
import { openLmdbFolder } from './lmdb-folder.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import {
  type Change,
  type Page,
  REVISION,
  type Revision,
  type Store,
  StoreError,
  type Write,
} from './store.ts';

/** The tables of the environment. */
interface Tables {
  root: RootDatabase<unknown, string>;
  /** Name → record, as `encodeRecord` makes it. */
  records: Database<string, string>;
  /** `<when it expires, of 15 digits> <name>` of every record that does, or did until it was changed. */
  expiring: Database<true, string>;
}

/** How many expired records a commit removes at most. */
const SWEEP = 100;

/**
 * Opens the store that is an LMDB environment in a folder of one machine, with a log of counters in a folder below. Several processes may
 * have it open. Reads are synchronous look-ups in shared memory, from a snapshot that lasts no longer than the turn of the event loop.
 * Writes are synchronous transactions, ended by an fsync: they are rare, an exception undoes all of one, and a full disk is such an
 * exception. (A commit of lmdb's asynchronous transactions that fails rejects a second promise, which nobody can catch, and
 * so ends the process.)
 *
 * @param now ms since 1970
 * @throws StoreError when the folder cannot be used
 */
export async function openLmdbStore(
  folder: string,
  { now }: { now: () => number } = { now: Date.now },
): Promise<Store> {
  const path = resolve(folder);
  const tables = explainFailure(path, () => openTables(path));
  let closed = false;

  const attempt = <T>(work: () => T): T => {
    if (closed) throw new StoreError(`the store in ${path} is closed`);
    return explainFailure(path, work);
  };
  const counters = attempt(() => openCounters(path, now, attempt));
  const readOne = (name: string) => decodeRecord(tables.records.get(name), now());
  let revision: Revision | undefined;
  const forgetRevision = () => {
    revision = undefined;
  };
  /** What was read holds for a turn of the event loop, as its snapshot does. */
  const readRevision = () => {
    const value = attempt(() => readOne(REVISION) ?? '');
    revision = { value, heardAt: performance.now() };
    setImmediate(forgetRevision);
    return revision;
  };

  return {
    read: async (names) => attempt(() => names.map(readOne)),
    list: async (prefix, page) => attempt(() => listRecords(tables, prefix, page, now())),
    commit: async (change) =>
      attempt(() => {
        forgetRevision();
        return tables.root.transactionSync(() => writeChange(tables, change, now()));
      }),
    revision: () => revision ?? readRevision(),
    countRequest: counters.countRequest,
    uncountRequest: counters.uncountRequest,
    readCounters: counters.readCounters,
    removeCounters: counters.removeCounters,
    // The first time, all that was counted is read: a balancer asks for this before it sends the first request.
    ping: async () => {
      attempt(() => tables.records.doesExist(REVISION));
      await counters.readCounters('');
    },
    close: async () => {
      if (closed) return;
      counters.close();
      closed = true;
      forgetRevision();
      await tables.root.close();
    },
  };
}

function openTables(path: string): Tables {
  const root = openLmdbFolder(path);
  return {
    root,
    records: root.openDB<string, string>('records', { encoding: 'string' }),
    expiring: root.openDB<true, string>('expiring', { encoding: 'json' }),
  };
}

function listRecords(
  { records }: Tables,
  prefix: string,
  { after, limit }: Page,
  now: number,
): [string, string][] {
  const found: [string, string][] = [];
  for (const { key, value: text } of records.getRange({ start: after || prefix })) {
    if (found.length === limit || !key.startsWith(prefix)) break;
    const value = decodeRecord(text, now);
    if (key !== after && value !== undefined) found.push([key, value]);
  }
  return found;
}

function writeChange(tables: Tables, { read, write }: Change, now: number): boolean {
  for (const [name, value] of read) {
    if (decodeRecord(tables.records.get(name), now) !== value) return false;
  }
  removeExpired(tables, now);
  for (const [name, change] of write) writeRecord(tables, name, change);
  return true;
}

function writeRecord({ records, expiring }: Tables, name: string, { value, expires }: Write): void {
  if (value === null) {
    records.removeSync(name);
    return;
  }
  records.putSync(name, encodeRecord(value, expires));
  if (expires !== undefined) expiring.putSync(`${describeTime(expires)} ${name}`, true);
}

function removeExpired({ records, expiring }: Tables, now: number): void {
  for (const entry of [...expiring.getKeys({ end: describeTime(now), limit: SWEEP })]) {
    const name = entry.slice(describeTime(0).length + 1);
    // It may be another by now.
    if (decodeRecord(records.get(name), now) === undefined) records.removeSync(name);
    expiring.removeSync(entry);
  }
}

function describeTime(time: number): string {
  return String(Math.ceil(time)).padStart(15, '0');
}

function explainFailure<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isFailure(error)) throw error;
    const text = `the store in ${path} failed: ${error.message}; see whether its disk is full or failing`;
    throw new StoreError(text, { cause: error });
  }
}

/** LMDB's own failures, such as a full disk, carry a number, those of the file system the call that failed; anything else is a bug. */
function isFailure(error: unknown): error is Error {
  return (
    error instanceof Error && (typeof (error as { code?: unknown }).code === 'number' || 'syscall' in error)
  );
}
