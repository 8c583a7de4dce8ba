import { LRUCache } from 'lru-cache';
import type { Log } from '../log/log.ts';
import {
  countersAt,
  countRequest,
  type Limits,
  timeAfter,
  UNUSED,
  uncountRequest,
} from '../plans/counters.ts';
import { type Admission, type Reading, type Store, StoreError } from '../store/store.ts';

/** What a meter takes. */
export interface MeterOptions {
  store: Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters'>;
  /** ms since 1970 */
  now: () => number;
  /** Told when it begins to count alone, and when that ends. */
  log: Log;
}

/** Of how many accounts the last reading is remembered. */
const MAX_ACCOUNTS = 50_000;

/**
 * Counts requests against the caps of accounts, in a store. Never fails: while the store does not answer it counts on in memory, from
 * what the store reported last and by the store's clock.
 */
export class Meter {
  readonly #store: MeterOptions['store'];
  readonly #now: () => number;
  readonly #log: Log;
  readonly #readings = new LRUCache<string, Reading>({ max: MAX_ACCOUNTS });
  #isAlone = false;
  /** How far the store's clock was behind this one when it answered last, in ms. */
  #behind = 0;

  constructor({ store, now, log }: MeterOptions) {
    this.#store = store;
    this.#now = now;
    this.#log = log;
  }

  /** Counts a request of an account, by its id, unless a cap is reached. */
  count(account: string, limits: Limits): Promise<Admission> {
    return this.#ask(account, this.#store.countRequest(account, limits), ({ counters, at }) => {
      const counted = countRequest(counters, limits, at);
      return { counters: counted ?? counters, at, admitted: counted !== undefined };
    });
  }

  /** Takes back a request that was counted. */
  uncount(account: string, { at: then }: Reading): Promise<Reading> {
    return this.#ask<Reading>(account, this.#store.uncountRequest(account, then), ({ counters, at }) => ({
      counters: uncountRequest(counters, then),
      at,
    }));
  }

  /** What an account has used. */
  read(account: string): Promise<Reading> {
    return this.#ask<Reading>(account, this.#store.readCounters(account), (reading) => reading);
  }

  /** @param change does the same alone, where the store cannot */
  #ask<T extends Reading>(account: string, asked: Promise<T>, change: (reading: Reading) => T): Promise<T> {
    // Not awaited: every request with caps goes through here, and an async function makes further promises.
    return asked.then(
      (reading) => this.#noteReading(account, reading),
      (error: unknown) => {
        this.#noteFailure(error);
        return this.#changeAlone(account, change);
      },
    );
  }

  #noteReading<T extends Reading>(account: string, reading: T): T {
    if (this.#isAlone) this.#log.info('quotas are counted in the store again');
    this.#isAlone = false;
    this.#behind = this.#now() - reading.at;
    this.#readings.set(account, reading);
    return reading;
  }

  #noteFailure(error: unknown): void {
    if (!(error instanceof StoreError)) throw error;
    if (!this.#isAlone) this.#log.error('quotas are counted by this gateway alone', { error: error.message });
    this.#isAlone = true;
  }

  #changeAlone<T extends Reading>(account: string, change: (reading: Reading) => T): T {
    const { counters, at: then } = this.#readings.get(account) ?? { counters: UNUSED, at: 0 };
    // Responses that came late or in another order make the store's clock seem further behind than it is.
    const at = timeAfter(then, this.#now() - this.#behind);
    const reading = change({ counters: countersAt(counters, at), at });
    this.#readings.set(account, reading);
    return reading;
  }
}
