import { randomUUID } from 'node:crypto';
import { addRequest, type Counters, countersAt, UNUSED, uncountRequest } from '../plans/counters.ts';
import { type Reading, type Store, StoreSilence } from '../store/store.ts';

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
/** How many accounts are merged at once, and how many can have pending counts. */
const BATCH = 50;
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
