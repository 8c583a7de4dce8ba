import { LRUCache } from 'lru-cache';
import type { Choice } from '../../jobs/queue.ts';
import type { Delivery } from './delivery.ts';

/** How many deliveries may be under way at once: those to accounts where all went well, and those to accounts where the last one failed. */
export interface SlotCounts {
  fresh: number;
  failing: number;
}

/** How many deliveries of one account are under way at once. */
const MAX_OF_ONE = 2;
const MAX_FAILING = 10_000;

type Pool = keyof SlotCounts;

/**
 * The places for deliveries under way. An account that keeps others waiting waits alone: each has two places at most, and those where the
 * last delivery failed share a few until one arrives.
 */
export class Slots {
  readonly #counts: SlotCounts;
  readonly #taken = new Tally();
  readonly #failing = new LRUCache<string, true>({ max: MAX_FAILING });

  constructor(counts: SlotCounts) {
    this.#counts = counts;
  }

  /** Takes a place for a delivery. @returns what gives it back */
  take(delivery: Delivery): () => void {
    const { account } = delivery;
    const pool = this.#poolOf(delivery);
    this.#taken.add(account, pool, 1);
    return () => this.#taken.add(account, pool, -1);
  }

  /** Makes what says of each delivery, one after the other, whether there is room for it beside those before. */
  plan(): (delivery: Delivery) => Choice {
    const planned = new Tally();
    return (delivery) => {
      const pool = this.#poolOf(delivery);
      const choice = this.#choose(delivery.account, pool, planned);
      if (choice === 'take') planned.add(delivery.account, pool, 1);
      return choice;
    };
  }

  /** Remembers how a delivery to an account went. */
  note(account: string, failed: boolean): void {
    if (failed) this.#failing.set(account, true);
    else this.#failing.delete(account);
  }

  #choose(account: string, pool: Pool, planned: Tally): Choice {
    // A delivery that failed can wait; to look for those in a long queue costs time.
    if (this.#isFull('fresh', planned)) return 'stop';
    const count = this.#taken.countOf(account) + planned.countOf(account);
    return this.#isFull(pool, planned) || count >= MAX_OF_ONE ? 'skip' : 'take';
  }

  #isFull(pool: Pool, planned: Tally): boolean {
    return this.#taken.countIn(pool) + planned.countIn(pool) >= this.#counts[pool];
  }

  #poolOf({ account, failures }: Delivery): Pool {
    return failures > 0 || this.#failing.has(account) ? 'failing' : 'fresh';
  }
}

/** Places, counted by pool and by account. */
class Tally {
  readonly #pools = { fresh: 0, failing: 0 };
  readonly #accounts = new Map<string, number>();

  add(account: string, pool: Pool, count: 1 | -1): void {
    this.#pools[pool] += count;
    const sum = this.countOf(account) + count;
    if (sum === 0) this.#accounts.delete(account);
    else this.#accounts.set(account, sum);
  }

  countIn(pool: Pool): number {
    return this.#pools[pool];
  }

  countOf(account: string): number {
    return this.#accounts.get(account) ?? 0;
  }
}
