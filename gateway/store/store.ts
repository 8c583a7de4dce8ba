import { randomUUID } from 'node:crypto';
import type { Log } from '../http/log.ts';
import type { Counters, Limits } from '../access/counters.ts';

/** What an account has used at a time. */
export interface Reading {
  counters: Counters;
  /** Milliseconds since 1970, by the clock that all gateways on the store share. */
  at: number;
}

/** The outcome of counting a request. */
export interface Admission extends Reading {
  /** Whether the request was counted; false if a cap is reached. */
  admitted: boolean;
}

/** The new state of a record. */
export interface Write {
  /** null removes the record. */
  value: string | null;
  /** When the record ceases to exist, ms since 1970; never without it. */
  expires?: number;
}

/** What to write, and what was read to decide on it. */
export interface Change {
  /** Name → value; undefined where there was no record. */
  read: ReadonlyMap<string, string | undefined>;
  write: ReadonlyMap<string, Write>;
}

/** A record with all that a store knows of it. */
export interface StoredRecord {
  name: string;
  value: string;
  /** From when on it is gone, ms since 1970; without it, it stays. */
  expires?: number;
}

/** How a record, a JSON object, refers to another record. */
export interface Reference {
  /** The member whose value is the end of the other record's name. */
  member: string;
  /** The beginning of the other record's name. */
  prefix: string;
}

/** A page of a list. */
export interface Page {
  /** Only names after this one. */
  after: string;
  /** The maximum number of records. */
  limit: number;
}

/** The record whose value `revision` returns. */
export const REVISION = 'revision';

/** The version of everything that gateways remember of keys and accounts. */
export interface Revision {
  /** Changes whenever a key or an account changes. */
  readonly value: string;
  /** The value was current at this time or later: ms by `performance.now()` of this process. */
  readonly heardAt: number;
}

/**
 * The port to everything that outlives a gateway or is shared by several: records, which are texts by name, and the counters of quotas.
 * A driver does not know what records mean; `transaction.ts` makes tables of them. Several processes may use a store at the same time. A
 * written record is durable when the promise resolves, and every later call sees what any process wrote. If a store cannot do its work,
 * its methods reject with a `StoreError`; those that a request waits for do so soon.
 */
export interface Store {
  /**
   * Reads records, all as of one moment.
   *
   * @returns the values in the order of the names; undefined where there is no record
   * @throws DamagedRecordError when one of them is damaged
   */
  read(names: readonly string[]): Promise<(string | undefined)[]>;
  /**
   * Reads a record for a request, which waits for it, and the record that it refers to.
   *
   * @returns their values; undefined for one that does not exist
   * @throws DamagedRecordError when one of them is damaged
   */
  find(
    name: string,
    reference?: Reference,
  ): Promise<[value: string | undefined, referred?: string | undefined]>;
  /**
   * Lists the records whose names begin with a prefix, in the byte order of their names. Damaged ones are reported and
   * left out. The last page has fewer records than the limit.
   */
  list(prefix: string, page: Page): Promise<[name: string, value: string][]>;
  /**
   * Lists all records with their expiry, in the byte order of their names, to move them to another store.
   *
   * @throws StoreError also where one of them is damaged
   */
  dump(page: Page): Promise<StoredRecord[]>;
  /**
   * Writes all of a change, or nothing if a record has changed since it was read.
   *
   * @returns whether it was written
   */
  commit(change: Change): Promise<boolean>;
  /**
   * Returns the value of the record `REVISION`, which is at most half a second old while the store responds. Costs next to nothing.
   *
   * @throws StoreError when it cannot be read
   */
  revision(): Revision;
  /**
   * Counts a request of an account, by the name of its counters, unless a cap is reached. A request waits for it. A refused request leaves
   * nothing, and counters are gone when nothing of their minute and day is in use.
   */
  countRequest(account: string, limits: Limits): Promise<Admission>;
  /**
   * Removes a counted request from the counters.
   *
   * @param at the time of its admission
   */
  uncountRequest(account: string, at: number): Promise<Reading>;
  /** Returns what an account (its id) has used. A request may wait for it. */
  readCounters(account: string): Promise<Reading>;
  /**
   * Counts requests of an account (its id) that were admitted while the store did not respond, whatever its caps.
   *
   * @param counters of these requests alone
   * @param id names these requests: if it fails with a `StoreSilence` and is called again with the same id, they count once
   */
  mergeCounters(account: string, counters: Counters, id: string): Promise<Reading>;
  /** Removes the counters of an account (its id). */
  removeCounters(account: string): Promise<void>;
  /**
   * Returns the identity of the store: a random id that is created with the store, kept in it, and the same for all processes. A store
   * that was lost and made again has another one.
   *
   * @throws StoreError when it cannot be read
   */
  identity(): Promise<string>;
  /** Reports that a record cannot be read, once for each record. */
  reportDamage(record: string): void;
  /**
   * Resolves when the store responds and can be written. A request may wait for it.
   *
   * @throws StoreRefusal when it responds, but refuses writes or is not the store that it was, and when it is closed
   */
  ping(): Promise<void>;
  /** Finishes all writes and closes the store. Closing it again does nothing. */
  close(): Promise<void>;
}

/** Options of opening a store, whatever its driver. */
export interface DriverOptions {
  /** Counts and lets records expire by this clock, in ms since 1970; without it, by the machine's, or that of Redis. */
  now?: () => number;
  /** Gets an entry when the store stops working, and when it works again. */
  log?: Log;
  /** Is called with the name of each damaged record that is found. */
  reportDamage?: (record: string) => void;
  /** How long a request waits for the store, in ms; `DEFAULT_WAIT_MS` by default. */
  waitMs?: number | undefined;
}

/** A store cannot be opened, read or written. The message is one line and says what to do. */
export class StoreError extends Error {
  override name = 'StoreError';
}

/** A store has not responded in time: it is not known whether it did what it was asked for. */
export class StoreSilence extends StoreError {
  override name = 'StoreSilence';
}

/** A store that responds, but cannot be used until an operator does something: it refuses writes, or it is not the store that it was. */
export class StoreRefusal extends StoreError {
  override name = 'StoreRefusal';
}

/** A record exists, but its content is damaged. */
export class DamagedRecordError extends StoreError {
  override name = 'DamagedRecordError';

  constructor(record: string) {
    super(
      `${describeRecord(record)} is damaged; gateway store verify lists it, and a backup may have it undamaged`,
    );
  }
}

/** Describes a record by its kind only, because its name may contain an email address. */
export function describeRecord(name: string): string {
  const kind = /^[\w-]+(?=:)/.exec(name)?.[0];
  return kind === undefined ? 'a record of the store' : `a record of the kind "${kind}" in the store`;
}

/** Returns a function that calls `report` once for each damaged record, by its name. */
export function reportOnce(report: (record: string) => void = () => {}): (record: string) => void {
  const reported = new Set<string>();
  return (record) => {
    if (reported.has(record)) return;
    reported.add(record);
    report(record);
  };
}

/** How long a request waits for a store by default, in ms, and the bounds of what can be set. */
export const DEFAULT_WAIT_MS = 250;
export const MIN_WAIT_MS = 50;
export const MAX_WAIT_MS = 5000;

/** How long a request waits for each thing that it needs from a store on another machine, in ms. */
export interface Deadlines {
  /** In all, to find its key and be counted. */
  total: number;
  /** To read records. */
  find: number;
  /** To find out whether a cap is reached. */
  count: number;
  /** Until what was counted without the store is added to it, before a request is counted. */
  merge: number;
}

/** Divides the time that a request waits for a store. */
export function divideWait(total = DEFAULT_WAIT_MS): Deadlines {
  return { total, find: 0.36 * total, count: 0.6 * total, merge: 0.4 * total };
}

/** Whether a store's address is that of Redis or Valkey servers; otherwise it is a folder. */
export function isRedisAddress(address: string): boolean {
  return /^rediss?(\+(cluster|sentinel))?:\/\//i.test(address);
}

/** Returns a store's address without its password, as messages show it. */
export function nameStore(address: string): string {
  return isRedisAddress(address) ? address.replace(/(:\/\/[^@/:]*):.*@/, '$1@') : address;
}

/** The record that holds the identity of a store. */
export const IDENTITY = 'identity';
/** The record that a store has while another is copied to it: the identity of that one. */
export const MIGRATION = 'migration';

/**
 * Reads the identity of a store, and creates it in a store that has none yet.
 *
 * @throws StoreError when the store cannot be read or written
 */
export async function ensureIdentity(store: Pick<Store, 'read' | 'commit'>): Promise<string> {
  for (;;) {
    const [identity] = await store.read([IDENTITY]);
    if (identity !== undefined) return identity;
    const value = randomUUID();
    const read = new Map([[IDENTITY, undefined]]);
    if (await store.commit({ read, write: new Map([[IDENTITY, { value }]]) })) return value;
  }
}
