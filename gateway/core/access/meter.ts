import type { CounterName } from '../plans/account.ts';
import type { Limits } from '../plans/counters.ts';
import type { Admission, Reading, Store } from '../store/store.ts';

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
