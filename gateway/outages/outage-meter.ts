import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Meter, MeterState } from '../access/ports.ts';
import type { Log } from '../http/log.ts';
import type { CounterName } from '../access/account.ts';
import {
  addRequest,
  type Counters,
  countersAt,
  countRequest,
  type Limits,
  timeAfter,
  UNUSED,
  uncountRequest,
} from '../access/counters.ts';
import { type Admission, type Reading, type Store, StoreError, StoreSilence } from '../store/store.ts';

/** Options of pending counts. */
export interface PendingCountsOptions {
  store: Pick<Store, 'mergeCounters'>;
  /** Called after a merge with the store's counters of the account. */
  onMerged(account: string, reading: Reading): void;
}

/** Some requests of an account, which the store counts once by their id. */
interface Portion {
  id: string;
  counters: Counters;
  /** Whether the store may have them already: then they no longer change. */
  isSent: boolean;
}

/** How often merging into the store is tried, in ms. */
const RETRY_MS = 250;
/** How many accounts are merged at once. */
const BATCH = 50;
/** How many accounts can have pending counts, and of how many the last readings are remembered. */
const MAX_ACCOUNTS = 50_000;

/** Requests that were admitted while the store did not respond. They are merged into the store when it is back, each exactly once. */
export class PendingCounts {
  readonly #store: PendingCountsOptions['store'];
  readonly #onMerged: PendingCountsOptions['onMerged'];
  /** The portions of each account, the oldest first. */
  readonly #portions = new Map<string, Portion[]>();
  /** Merges in progress, by account. */
  readonly #merging = new Map<string, Promise<void>>();
  #retries: NodeJS.Timeout | undefined;
  #isRetrying = false;

  constructor({ store, onMerged }: PendingCountsOptions) {
    this.#store = store;
    this.#onMerged = onMerged;
  }

  /** Returns whether an account has pending counts. */
  has(account: string): boolean {
    return this.#portions.size > 0 && this.#portions.has(account);
  }

  /**
   * Adds a request that was admitted without the store.
   *
   * @param at ms since 1970
   */
  add(account: string, at: number): void {
    const portion = this.#openPortion(account);
    if (portion) portion.counters = addRequest(countersAt(portion.counters, at), at);
  }

  /**
   * Removes a request, if the store cannot have it yet.
   *
   * @param at when it was admitted
   * @returns whether it was removed
   */
  remove(account: string, at: number): boolean {
    for (const portion of this.#portions.get(account) ?? []) {
      const counters = uncountRequest(portion.counters, at);
      if (portion.isSent || counters === portion.counters) continue;
      portion.counters = counters;
      return true;
    }
    return false;
  }

  /** Merges the pending counts of an account. @throws StoreError when the store does not accept them */
  merge(account: string): Promise<void> {
    let running = this.#merging.get(account);
    if (running === undefined) {
      running = this.#mergeAll(account).finally(() => this.#merging.delete(account));
      this.#merging.set(account, running);
    }
    return running;
  }

  /** Stops retrying, after one last attempt. */
  async close(): Promise<void> {
    clearInterval(this.#retries);
    await this.#mergeAccounts();
  }

  #openPortion(account: string): Portion | undefined {
    const portions = this.#portions.get(account) ?? [];
    const last = portions.at(-1);
    if (last && !last.isSent) return last;
    // Counts of further accounts are lost.
    if (portions.length === 0 && this.#portions.size >= MAX_ACCOUNTS) return undefined;
    const portion = { id: randomUUID(), counters: UNUSED, isSent: false };
    this.#portions.set(account, [...portions, portion]);
    this.#retries ??= setInterval(() => void this.#mergeAccounts(), RETRY_MS).unref();
    return portion;
  }

  async #mergeAll(account: string): Promise<void> {
    for (let portion = this.#first(account); portion; portion = this.#first(account)) {
      this.#onMerged(account, await this.#send(account, portion));
      this.#portions.get(account)?.shift();
    }
    this.#portions.delete(account);
  }

  async #send(account: string, portion: Portion): Promise<Reading> {
    const wasSent = portion.isSent;
    portion.isSent = true;
    try {
      return await this.#store.mergeCounters(account, portion.counters, portion.id);
    } catch (error) {
      if (!(error instanceof StoreSilence)) portion.isSent = wasSent;
      throw error;
    }
  }

  #first(account: string): Portion | undefined {
    return this.#portions.get(account)?.[0];
  }

  /** Merges account by account, until the store accepts none of several. A failed merge is tried again, also by the account's next request. */
  async #mergeAccounts(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    const accounts = [...this.#portions.keys()];
    for (let first = 0; first < accounts.length; first += BATCH) {
      const merges = accounts.slice(first, first + BATCH).map((account) => this.merge(account));
      const results = await Promise.allSettled(merges);
      if (results.every(({ status }) => status === 'rejected')) break;
    }
    this.#isRetrying = false;
    if (this.#portions.size > 0) return;
    clearInterval(this.#retries);
    this.#retries = undefined;
  }
}

/** Options of a meter. */
export interface MeterOptions {
  store: Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'mergeCounters'>;
  /** ms since 1970 */
  now: () => number;
  /** Logs when the meter starts and stops counting without the store. */
  log: Log;
}

/**
 * Counts requests against the caps of accounts, in a store. It never fails: while the store does not respond, it counts in memory, from
 * the store's last readings and by the store's clock. What it admitted alone is merged into the store when the store is back.
 */
export class OutageMeter implements Meter {
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

  get state(): MeterState {
    return { isAlone: this.#isAlone, countedAlone: this.#countedAlone };
  }

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

  uncount(account: CounterName, { at: then }: Reading): Promise<Reading> {
    const remove = ({ counters, at }: Reading) => ({ counters: uncountRequest(counters, then), at });
    if (this.#pending.remove(account, then)) return Promise.resolve(this.#changeAlone(account, remove));
    const asked = this.#pending.has(account)
      ? this.#pending.merge(account).then(() => this.#store.uncountRequest(account, then))
      : this.#store.uncountRequest(account, then);
    return this.#ask<Reading>(account, asked, remove);
  }

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
