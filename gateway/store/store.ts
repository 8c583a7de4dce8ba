import type { Counters, Limits } from '../plans/counters.ts';

/** What an account has used, and the store's time of it. */
export interface Reading {
  counters: Counters;
  /** Milliseconds since 1970, by the one clock that all gateways on the store count by. */
  at: number;
}

/** What became of a request that was to be counted. */
export interface Admission extends Reading {
  /** Whether it was counted; false when a cap is reached. */
  admitted: boolean;
}

/** What a record becomes. */
export interface Write {
  /** null removes it. */
  value: string | null;
  /** From when on the record is gone, ms since 1970; for ever without. */
  expires?: number;
}

/** What is to be written, and what was read to know it. */
export interface Change {
  /** undefined where there was no record. */
  read: ReadonlyMap<string, string | undefined>;
  write: ReadonlyMap<string, Write>;
}

/** A part of what `list` finds. */
export interface Page {
  /** Only names after this one. */
  after: string;
  /** How many at most. */
  limit: number;
}

/** The record whose value `revision` tells. */
export const REVISION = 'revision';

/** What a store tells of all that gateways remember of keys and accounts. */
export interface Revision {
  /** Another each time that something of it changed. */
  readonly value: string;
  /** It was so at this time, or after: ms by `performance.now()` of this process. */
  readonly heardAt: number;
}

/**
 * The port that everything lives behind which outlives a gateway or is shared by several: records, which are texts by name, and the
 * counters of quotas. What the records mean is not a driver's business; `transaction.ts` makes tables of them. A driver is a plain object
 * with these methods. It is safe among several processes; what it wrote of records is durable when the promise resolves, and
 * the next call sees what another process wrote. A store that cannot do its work rejects with a `StoreError`; those
 * methods that a request waits for do so soon.
 */
export interface Store {
  /**
   * Reads records as of one moment; undefined where there is none. A request may wait for it.
   *
   * @param patience how long it may take, in ms, where the store is another process
   */
  read(names: readonly string[], patience?: number): Promise<(string | undefined)[]>;
  /** Lists records whose names begin so, in the order of their names' bytes. Fewer than the limit are the last. */
  list(prefix: string, page: Page): Promise<[name: string, value: string][]>;
  /**
   * Writes all of a change, or nothing where a record is no longer what was read.
   *
   * @returns whether it was written
   */
  commit(change: Change): Promise<boolean>;
  /**
   * What the record `REVISION` is now; at most half a second old while the store answers. Costs next to nothing.
   *
   * @throws StoreError when it cannot be read
   */
  revision(): Revision;
  /** Counts a request of an account, by its id, unless a cap is reached. A request waits for it. */
  countRequest(account: string, limits: Limits): Promise<Admission>;
  /**
   * Takes back a request that was counted.
   *
   * @param at what its admission told
   */
  uncountRequest(account: string, at: number): Promise<Reading>;
  /** Tells what an account has used, by its id. A request may wait for it. */
  readCounters(account: string): Promise<Reading>;
  /** Forgets what an account has used, by its id. */
  removeCounters(account: string): Promise<void>;
  /**
   * Returns the identity of the store: a random id that is created with the store, kept in it, and the same for all processes. A store
   * that was lost and made again has another one.
   *
   * @throws StoreError when it cannot be read
   */
  identity(): Promise<string>;
  /** Resolves when the store responds. A request may wait for it. */
  ping(): Promise<void>;
  /** Waits for what is being written and closes the store; closing it again does nothing. */
  close(): Promise<void>;
}

/** A store that cannot be opened, read or written; the message is one line and says what to do. */
export class StoreError extends Error {
  override name = 'StoreError';
}
