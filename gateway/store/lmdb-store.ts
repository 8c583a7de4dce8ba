import { resolve } from 'node:path';
import type { Log } from '../log/log.ts';
import type { Counters, Limits } from '../plans/counters.ts';
import { CounterTable } from './counters/counter-table.ts';
import { DamagedRecordError, reportOnce } from './damage.ts';
import { ensureIdentity, IDENTITY } from './identity.ts';
import { checkIdentity, noteClosed, readIdentityFile, writeIdentityFile } from './integrity/folder-files.ts';
import { FolderGuard } from './integrity/folder-guard.ts';
import { LmdbRecords } from './lmdb-records.ts';
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
  StoreRefusal,
} from './store.ts';

/** Options of a store in a folder. */
export interface LmdbStoreOptions {
  /** ms since 1970; the system's clock without it */
  now?: () => number;
  /** Gets an entry when the data file was removed or replaced while the store was open. */
  log?: Log;
  /** Is called with the name of each damaged record that is found. */
  reportDamage?: (record: string) => void;
}

/**
 * Opens the store in a folder: an LMDB environment, and a log of counters in a subfolder. Several processes of one machine may have it open.
 * Reads are synchronous lookups in shared memory, in a snapshot that lasts until the end of the event-loop tick. Writes are synchronous
 * transactions that end with an fsync; the README of this room says why.
 *
 * @throws StoreError when the folder cannot be used, or its data file was lost
 */
export async function openLmdbStore(
  path: string,
  { now = Date.now, log, reportDamage }: LmdbStoreOptions = {},
): Promise<Store> {
  const folder = resolve(path);
  const report = reportOnce(reportDamage);
  const guard = new FolderGuard({ folder, log });
  const expected = readIdentityFile(folder);
  const attempt = <T>(work: () => T): T => guard.attempt(work);
  const records = attempt(() => new LmdbRecords({ folder, now, reportDamage: report }));
  try {
    guard.watchData();
    const counters = attempt(() => new CounterTable({ store: folder, now, attempt }));
    const store = new LmdbStore({ folder, guard, records, counters, reportDamage: report });
    await store.identify(expected);
    return store;
  } catch (error) {
    await records.close();
    throw error;
  }
}

interface Parts {
  folder: string;
  guard: FolderGuard;
  records: LmdbRecords;
  counters: CounterTable;
  reportDamage: (record: string) => void;
}

class LmdbStore implements Store {
  readonly reportDamage: (record: string) => void;
  readonly #folder: string;
  readonly #guard: FolderGuard;
  readonly #records: LmdbRecords;
  readonly #counters: CounterTable;
  #isClosed = false;
  #revision: Revision | undefined;
  readonly #forgetRevision = () => {
    this.#revision = undefined;
  };

  constructor({ folder, guard, records, counters, reportDamage }: Parts) {
    this.#folder = folder;
    this.#guard = guard;
    this.#records = records;
    this.#counters = counters;
    this.reportDamage = reportDamage;
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

  async read(names: readonly string[]): Promise<(string | undefined)[]> {
    return this.#guard.attempt(() => names.map((name) => this.#records.read(name)));
  }

  async find(
    name: string,
    reference?: Reference,
  ): Promise<[found: string | undefined, referred?: string | undefined]> {
    return this.#guard.attempt(() => {
      const found = this.#records.readNow(name);
      if (found === undefined || reference === undefined) return [found];
      const referred = nameReferred(name, found, reference);
      return [found, referred && this.#records.read(referred)];
    });
  }

  async list(prefix: string, page: Page): Promise<[name: string, value: string][]> {
    return this.#guard.attempt(() => this.#records.list(prefix, page));
  }

  async dump(page: Page): Promise<StoredRecord[]> {
    return this.#guard.attempt(() => this.#records.dump(page));
  }

  async commit(change: Change): Promise<boolean> {
    this.#forgetRevision();
    this.#guard.checkData();
    return this.#guard.attempt(() => this.#records.commit(change));
  }

  revision(): Revision {
    return this.#revision ?? this.#readRevision();
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
    if (this.#isClosed) throw new StoreRefusal(`the store in ${this.#folder} is closed`);
    this.#guard.checkData();
    this.#guard.attempt(() => this.#records.read(REVISION));
    await this.#counters.readCounters('');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#counters.close();
    const isWhole = this.#guard.close();
    this.#forgetRevision();
    await this.#records.close();
    if (isWhole) noteClosed(this.#folder);
  }

  /** The value is kept until the end of the event-loop tick, as long as the snapshot that it was read from. */
  #readRevision(): Revision {
    const heardAt = performance.now();
    this.#guard.checkData(heardAt);
    // The text is not decoded: this runs once per event-loop tick, and any change of it matters.
    const value = this.#guard.attempt(() => this.#records.readText(REVISION) ?? '');
    this.#revision = { value, heardAt };
    setImmediate(this.#forgetRevision);
    return this.#revision;
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
