import { LRUCache } from 'lru-cache';
import type { Log } from '../log/log.ts';
import type { CounterName } from '../plans/account.ts';
import {
  countersAt,
  countRequest,
  type Limits,
  timeAfter,
  UNUSED,
  uncountRequest,
} from '../plans/counters.ts';
import { type Admission, type Reading, type Store, StoreError } from '../store/store.ts';
import { PendingCounts } from './pending-counts.ts';

/** Options of a meter. */
export interface MeterOptions {
  store: Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'mergeCounters'>;
  /** ms since 1970 */
  now: () => number;
  /** Logs when the meter starts and stops counting without the store. */
  log: Log;
}

/** How a meter counts. */
export interface MeterState {
  /** Whether it counts in memory because the store does not respond. */
  isAlone: boolean;
  /** How many requests it has counted or read in memory since it started. */
  countedAlone: number;
}

/** How many accounts' last readings are remembered. */
const MAX_ACCOUNTS = 50_000;

/**
 * Counts requests against the caps of accounts, in a store. It never fails: while the store does not respond, it counts in memory, from
 * the store's last readings and by the store's clock. What it admitted alone is merged into the store when the store is back.
 */
export class Meter {
  readonly #store: MeterOptions['store'];
  readonly #now: () => number;
  readonly #log: Log;
  readonly #readings = new LRUCache<string, Reading>({ max: MAX_ACCOUNTS });
  /** What this meter admitted alone. */
  readonly #pending: PendingCounts;
  #isAlone = false;
  #countedAlone = 0;
  /** How far the store's clock was behind this one at its last response, in ms. */
  #behind = 0;

  constructor({ store, now, log }: MeterOptions) {
    this.#store = store;
    this.#now = now;
    this.#log = log;
    this.#pending = new PendingCounts({
      store,
      onMerged: (account, reading) => this.#noteReading(account, reading),
    });
  }

  /** How it counts now. */
  get state(): MeterState {
    return { isAlone: this.#isAlone, countedAlone: this.#countedAlone };
  }

  /** Counts a request of an account unless a cap is reached. */
  count(account: CounterName, limits: Limits): Promise<Admission> {
    const asked = this.#pending.has(account)
      ? this.#pending.merge(account).then(() => this.#store.countRequest(account, limits))
      : this.#store.countRequest(account, limits);
    return this.#ask(account, asked, ({ counters, at }) => {
      const counted = countRequest(counters, limits, at);
      if (counted !== undefined) this.#pending.add(account, at);
      return { counters: counted ?? counters, at, admitted: counted !== undefined };
    });
  }

  /** Removes a request that was counted. */
  uncount(account: CounterName, { at: then }: Reading): Promise<Reading> {
    const remove = ({ counters, at }: Reading) => ({ counters: uncountRequest(counters, then), at });
    if (this.#pending.remove(account, then)) return Promise.resolve(this.#changeAlone(account, remove));
    const asked = this.#pending.has(account)
      ? this.#pending.merge(account).then(() => this.#store.uncountRequest(account, then))
      : this.#store.uncountRequest(account, then);
    return this.#ask<Reading>(account, asked, remove);
  }

  /** Reads what an account has used. */
  read(account: CounterName): Promise<Reading> {
    const asked = this.#pending.has(account)
      ? this.#pending.merge(account).then(() => this.#store.readCounters(account))
      : this.#store.readCounters(account);
    return this.#ask<Reading>(account, asked, (reading) => reading);
  }

  /** Merges what was counted alone into the store, if it responds. Counts that the store does not accept are lost. */
  async close(): Promise<void> {
    await this.#pending.close();
  }

  /** @param change makes the same change in memory when the store does not respond */
  #ask<T extends Reading>(account: string, asked: Promise<T>, change: (reading: Reading) => T): Promise<T> {
    // No async function: every request with caps comes through here, and it would make more promises.
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
    this.#countedAlone++;
    const { counters, at: then } = this.#readings.get(account) ?? { counters: UNUSED, at: 0 };
    // Responses that came late or in another order make the store's clock seem further behind than it is.
    const at = timeAfter(then, this.#now() - this.#behind);
    const reading = change({ counters: countersAt(counters, at), at });
    this.#readings.set(account, reading);
    return reading;
  }
}
