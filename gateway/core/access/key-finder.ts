import type { IssuedKey } from '../plans/account.ts';
import type { Revision } from '../store/store.ts';

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
