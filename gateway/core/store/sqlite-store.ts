import { resolve } from 'node:path';
import type { Log } from '../log/log.ts';
import type { Counters, Limits } from '../plans/counters.ts';
import { DamagedRecordError, reportOnce } from './damage.ts';
import { type Deadlines, divideWait } from './deadlines.ts';
import { ensureIdentity, IDENTITY } from './identity.ts';
import {
  checkIdentity,
  readIdentityFile,
  refuseLostData,
  writeIdentityFile,
} from '../../parts/backup/folder-files.ts';
import { COUNTER_SCHEMA, COUNTERS, SqliteCounters } from './sqlite-counters.ts';
import { SqliteFile, StoreBusy } from './sqlite-file.ts';
import { RECORD_SCHEMA, RECORDS, SqliteRecords } from './sqlite-records.ts';
import {
  type Admission,
  type Change,
  type Page,
  REVISION,
  type Reading,
  type Reference,
  type Revision,
  type Store,
  type StoredRecord,
} from './store.ts';
import { adviseRestore, openInFolder } from './store-folder.ts';

/** Options of a store in a folder. */
export interface SqliteStoreOptions {
  /** ms since 1970; the system's clock without it */
  now?: () => number;
  /** Gets an entry when a file was removed, replaced or cut short while the store was open. */
  log?: Log;
  /** Is called with the name of each damaged record that is found. */
  reportDamage?: (record: string) => void;
  /** How long a request waits for a lock that another process has, in ms; `DEFAULT_WAIT_MS` by default. */
  waitMs?: number | undefined;
}

/** How long commands, and writes of records, wait for a lock that another process has, in ms. */
const PATIENCE_MS = 10_000;
/** For how long a revision is kept, in ms. */
const REVISION_MS = 5;

/**
 * Opens the store in a folder: a database of records, and one of counters. Several processes of one machine may have it open.
 *
 * @throws StoreError when the folder cannot be used, or its data was lost
 */
export async function openSqliteStore(
  path: string,
  { now = Date.now, log, reportDamage, waitMs }: SqliteStoreOptions = {},
): Promise<Store> {
  const folder = resolve(path);
  const report = reportOnce(reportDamage);
  const files = await openFiles(folder, log);
  const store = new SqliteStore({ folder, files, now, report, deadlines: divideWait(waitMs) });
  try {
    await store.identify(readIdentityFile(folder));
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

async function openFiles(folder: string, log: Log | undefined): Promise<Files> {
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    try {
      return openInFolder(folder, () => {
        refuseLostData(folder);
        const records = openRecords(folder, log);
        try {
          return { records, counters: openCounters(folder, log) };
        } catch (error) {
          records.close();
          throw error;
        }
      });
    } catch (error) {
      // Another process may be creating the same files.
      if (!(error instanceof StoreBusy) || performance.now() > end) throw error;
    }
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** Opens the records of a folder that exists, also for the commands that read or copy them. */
export function openRecords(folder: string, log?: Log): SqliteFile {
  const [name, schema, advice] = [RECORDS, RECORD_SCHEMA, adviseRestore(folder)];
  return new SqliteFile({ folder, name, schema, pageBytes: 4096, synchronous: 'FULL', advice, log });
}

function openCounters(folder: string, log?: Log): SqliteFile {
  const [name, schema] = [COUNTERS, COUNTER_SCHEMA];
  const advice = `end the gateways on it, and remove ${name}, ${name}-wal and ${name}-shm: what was used today is then forgotten`;
  return new SqliteFile({ folder, name, schema, pageBytes: 1024, synchronous: 'NORMAL', advice, log });
}

interface Parts {
  folder: string;
  files: Files;
  now: () => number;
  report: (record: string) => void;
  deadlines: Deadlines;
}

class SqliteStore implements Store {
  readonly reportDamage: (record: string) => void;
  readonly #folder: string;
  readonly #files: Files;
  readonly #records: SqliteRecords;
  readonly #counters: SqliteCounters;
  readonly #findMs: number;
  #revision: Revision | undefined;

  constructor({ folder, files, now, report, deadlines }: Parts) {
    this.#folder = folder;
    this.#files = files;
    this.#records = new SqliteRecords(files.records, now, report);
    this.#counters = new SqliteCounters({ file: files.counters, now, waitMs: deadlines.count });
    this.#findMs = deadlines.find;
    this.reportDamage = report;
  }

  /**
   * Checks that the records belong to this folder, and gives a new store its identity.
   *
   * @param expected the identity that the folder had before the store was opened
   * @throws StoreError when they do not
   */
  async identify(expected: string | undefined): Promise<void> {
    const [known] = await this.read([IDENTITY]);
    if (expected !== undefined) checkIdentity(this.#folder, expected, known);
    else writeIdentityFile(this.#folder, known ?? (await this.identity()));
  }

  read(names: readonly string[]): Promise<(string | undefined)[]> {
    return this.#files.records.retry(PATIENCE_MS, () => this.#records.readAll(names));
  }

  find(
    name: string,
    reference?: Reference,
  ): Promise<[found: string | undefined, referred?: string | undefined]> {
    const { records } = this.#files;
    return records.retry(this.#findMs, () => {
      if (reference === undefined) return [this.#records.read(name)];
      return records.readTogether(() => {
        const found = this.#records.read(name);
        const referred = found === undefined ? undefined : nameReferred(name, found, reference);
        return [found, referred && this.#records.read(referred)];
      });
    });
  }

  list(prefix: string, page: Page): Promise<[name: string, value: string][]> {
    return this.#files.records.retry(PATIENCE_MS, () => this.#records.list(prefix, page));
  }

  dump(page: Page): Promise<StoredRecord[]> {
    return this.#files.records.retry(PATIENCE_MS, () => this.#records.dump(page));
  }

  async commit(change: Change): Promise<boolean> {
    this.#revision = undefined;
    this.#files.records.checkFiles();
    const isWritten = await this.#files.records.retry(PATIENCE_MS, () => this.#records.commit(change));
    this.#revision = undefined;
    return isWritten;
  }

  revision(): Revision {
    const now = performance.now();
    const known = this.#revision;
    if (known && now - known.heardAt < REVISION_MS) return known;
    this.#files.records.checkFiles(now);
    this.#files.counters.checkFiles(now);
    try {
      const value = this.#files.records.attempt(() => this.#records.read(REVISION)) ?? '';
      this.#revision = { value, heardAt: now };
      return this.#revision;
    } catch (error) {
      if (known && error instanceof StoreBusy) return known;
      throw error;
    }
  }

  countRequest(account: string, limits: Limits): Promise<Admission> {
    return this.#counters.countRequest(account, limits);
  }

  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#counters.uncountRequest(account, at);
  }

  readCounters(account: string): Promise<Reading> {
    return this.#counters.readCounters(account);
  }

  mergeCounters(account: string, counters: Counters): Promise<Reading> {
    return this.#counters.mergeCounters(account, counters);
  }

  removeCounters(account: string): Promise<void> {
    return this.#counters.removeCounters(account);
  }

  identity(): Promise<string> {
    return ensureIdentity(this);
  }

  /** The first call reads all counters, so that no request waits for that: a balancer asks for readiness before it sends requests. */
  async ping(): Promise<void> {
    this.#files.records.checkFiles();
    this.#files.counters.checkFiles();
    await this.find(REVISION);
    await this.#counters.readCounters('');
  }

  async close(): Promise<void> {
    await this.#counters.close();
    this.#files.counters.close();
    this.#files.records.close();
    this.#revision = undefined;
  }
}

/** Returns the name of the record that another one refers to, if it does. @throws DamagedRecordError when that one is not JSON */
function nameReferred(name: string, value: string, { member, prefix }: Reference): string | undefined {
  try {
    const id = (JSON.parse(value) as Record<string, unknown> | null)?.[member];
    return typeof id === 'string' ? prefix + id : undefined;
  } catch {
    throw new DamagedRecordError(name);
  }
}
