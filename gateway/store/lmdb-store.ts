import { resolve } from 'node:path';
import type { Limits } from '../plans/counters.ts';
import { CounterTable } from './counters/counter-table.ts';
import { ensureIdentity } from './identity.ts';
import { LmdbRecords, type LmdbRecordsOptions } from './lmdb-records.ts';
import {
  type Admission,
  type Change,
  type Page,
  REVISION,
  type Reading,
  type Revision,
  type Store,
  StoreError,
} from './store.ts';

/**
 * Opens the store in a folder: an LMDB environment, and a log of counters in a subfolder. Several processes of one machine may have it open.
 * Reads are synchronous lookups in shared memory, in a snapshot that lasts until the end of the event-loop tick. Writes are synchronous
 * transactions that end with an fsync; the README of this room says why.
 *
 * @param now ms since 1970
 * @throws StoreError when the folder cannot be used
 */
export async function openLmdbStore(
  folder: string,
  { now }: { now: () => number } = { now: Date.now },
): Promise<Store> {
  return new LmdbStore({ folder: resolve(folder), now });
}

class LmdbStore implements Store {
  readonly #folder: string;
  readonly #records: LmdbRecords;
  readonly #counters: CounterTable;
  #isClosed = false;
  #revision: Revision | undefined;
  readonly #forgetRevision = () => {
    this.#revision = undefined;
  };

  constructor({ folder, now }: LmdbRecordsOptions) {
    this.#folder = folder;
    const attempt = <T>(work: () => T): T => this.#attempt(work);
    this.#records = attempt(() => new LmdbRecords({ folder, now }));
    this.#counters = attempt(() => new CounterTable({ store: folder, now, attempt }));
  }

  async read(names: readonly string[]): Promise<(string | undefined)[]> {
    return this.#attempt(() => names.map((name) => this.#records.read(name)));
  }

  async list(prefix: string, page: Page): Promise<[name: string, value: string][]> {
    return this.#attempt(() => this.#records.list(prefix, page));
  }

  async commit(change: Change): Promise<boolean> {
    this.#forgetRevision();
    return this.#attempt(() => this.#records.commit(change));
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

  removeCounters(account: string): Promise<void> {
    return this.#counters.removeCounters(account);
  }

  identity(): Promise<string> {
    return ensureIdentity(this);
  }

  /** The first call reads all counters, so that no request waits for that: a balancer asks for readiness before it sends requests. */
  async ping(): Promise<void> {
    this.#attempt(() => this.#records.read(REVISION));
    await this.#counters.readCounters('');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#counters.close();
    this.#isClosed = true;
    this.#forgetRevision();
    await this.#records.close();
  }

  /** The value is kept until the end of the event-loop tick, as long as the snapshot that it was read from. */
  #readRevision(): Revision {
    const value = this.#attempt(() => this.#records.read(REVISION) ?? '');
    this.#revision = { value, heardAt: performance.now() };
    setImmediate(this.#forgetRevision);
    return this.#revision;
  }

  #attempt<T>(work: () => T): T {
    if (this.#isClosed) throw new StoreError(`the store in ${this.#folder} is closed`);
    try {
      return work();
    } catch (error) {
      if (!isFailure(error)) throw error;
      const text = `the store in ${this.#folder} failed: ${error.message}; check whether its disk is full or failing`;
      throw new StoreError(text, { cause: error });
    }
  }
}

/** Failures of LMDB, such as a full disk, have a number as their code; those of the file system name a system call. Anything else is a bug. */
function isFailure(error: unknown): error is Error {
  return (
    error instanceof Error && (typeof (error as { code?: unknown }).code === 'number' || 'syscall' in error)
  );
}
