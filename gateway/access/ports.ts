import type { IncomingMessage } from 'node:http';
import type { CounterName, IssuedKey, Tier } from './account.ts';
import type { Limits } from './counters.ts';
import type { Admission, Reading, Revision, Store } from '../store/store.ts';

/** How a meter counts. */
export interface MeterState {
  /** Whether it counts in memory because the store does not respond. */
  isAlone: boolean;
  /** How many requests it has counted or read in memory since it started. */
  countedAlone: number;
}

/** Counts requests against the caps of accounts. */
export interface Meter {
  readonly state: MeterState;
  /** Counts a request of an account unless a cap is reached. */
  count(account: CounterName, limits: Limits): Promise<Admission>;
  /** Removes a request that was counted. */
  uncount(account: CounterName, admission: Reading): Promise<Reading>;
  /** Reads what an account has used. */
  read(account: CounterName): Promise<Reading>;
  /** Stores what is not stored yet, if the store responds. */
  close(): Promise<void>;
}

/** Counts in a store alone: it fails while the store does not respond. */
export class StoreMeter implements Meter {
  readonly state: MeterState = { isAlone: false, countedAlone: 0 };
  readonly #store: Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters'>;

  constructor(store: Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters'>) {
    this.#store = store;
  }

  count(account: CounterName, limits: Limits): Promise<Admission> {
    return this.#store.countRequest(account, limits);
  }

  uncount(account: CounterName, { at }: Reading): Promise<Reading> {
    return this.#store.uncountRequest(account, at);
  }

  read(account: CounterName): Promise<Reading> {
    return this.#store.readCounters(account);
  }

  async close(): Promise<void> {}
}

/** How many attempts with secrets failed. */
export interface BadAttemptsState {
  /** Those that were refused as such. */
  refused: number;
  /** Those that were refused because there were too many before. */
  throttled: number;
}

/** The size of a key cache, and how often it had a key. */
export interface KeyCacheState {
  /** How many keys are in memory. */
  keys: number;
  /** How many look-ups found the key in memory, and how many read the store. */
  hits: number;
  misses: number;
}

/** Finds keys by their SHA-256. */
export interface KeyFinder {
  readonly state: KeyCacheState;
  /**
   * Finds a key, revoked ones included.
   *
   * @throws StoreError when the key is not in memory and the store does not respond
   */
  find(hash: string): IssuedKey | Promise<IssuedKey | undefined>;
}

/** The source that keys are read from. */
export interface KeySource {
  /** Finds a key, revoked ones included, by its SHA-256. */
  findKey(hash: string): Promise<IssuedKey | undefined>;
  /** Returns another value after every change that could change a result of `findKey`. */
  revision(): Revision;
}

/** Reads each key from its source, for a gateway without the part that holds keys in memory. */
export function readKeys(source: KeySource): KeyFinder {
  return { find: (hash) => source.findKey(hash), state: { keys: 0, hits: 0, misses: 0 } };
}

/** The key and account that a request was sent with, and the account's tier at that time. */
export interface Caller extends IssuedKey {
  tier: Tier;
}

/** Counts the requests of each key. */
export interface KeyUses {
  /** @param hash the key's SHA-256 @param now ms since 1970 */
  count(hash: string, request: IncomingMessage, now: number): void;
  /** Stores what was counted, if the store accepts it, and ends. */
  close(): Promise<void>;
}
