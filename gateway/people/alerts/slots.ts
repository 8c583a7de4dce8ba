import { LRUCache } from 'lru-cache';
import type { Choice } from '../jobs/queue.ts';
import type { Delivery } from './delivery.ts';

/** How many deliveries may be under way at once: `failing` to accounts whose last delivery failed or was slow, `fresh` to all others. */
export interface SlotCounts {
  fresh: number;
  failing: number;
}

/** How many deliveries to one account may be under way at once. */
const MAX_SLOTS_PER_ACCOUNT = { fresh: 2, failing: 1 };
/** How many failing accounts are remembered. */
const MAX_FAILING = 10_000;

type Pool = keyof SlotCounts;

/**
 * The slots for deliveries under way, arranged so that slow accounts do not hold up the others: each account has at most two slots, and
 * accounts whose last delivery failed or was slow have one each, in a small pool, until a delivery succeeds in time.
 */
export class Slots {
  readonly #counts: SlotCounts;
  readonly #used = new Tally();
  readonly #failing = new LRUCache<string, true>({ max: MAX_FAILING });

  constructor(counts: SlotCounts) {
    this.#counts = counts;
  }

  /** Takes a slot for a delivery. @returns a function that frees the slot */
  take(delivery: Delivery): () => void {
    const { account } = delivery;
    const pool = this.#poolOf(delivery);
    this.#used.add(account, pool, 1);
    return () => this.#used.add(account, pool, -1);
  }

  /** Returns a `choose` function for `claimJobs`: it takes each delivery that a slot is free for, and counts the slots it has given out. */
  plan(): (delivery: Delivery) => Choice {
    const planned = new Tally();
    return (delivery) => {
      const pool = this.#poolOf(delivery);
      const choice = this.#choose(delivery.account, pool, planned);
      if (choice === 'take') planned.add(delivery.account, pool, 1);
      return choice;
    };
  }

  /** Remembers whether the last delivery to an account failed or was slow. */
  note(account: string, failed: boolean): void {
    if (failed) this.#failing.set(account, true);
    else this.#failing.delete(account);
  }

  #choose(account: string, pool: Pool, planned: Tally): Choice {
    // Stop even if `failing` has free slots: a search for failed deliveries in a long queue takes time, and they can wait.
    if (this.#isFull('fresh', planned)) return 'stop';
    const count = this.#used.countOf(account) + planned.countOf(account);
    return this.#isFull(pool, planned) || count >= MAX_SLOTS_PER_ACCOUNT[pool] ? 'skip' : 'take';
  }

  #isFull(pool: Pool, planned: Tally): boolean {
    return this.#used.countIn(pool) + planned.countIn(pool) >= this.#counts[pool];
  }

  #poolOf({ account, failures }: Delivery): Pool {
    return failures > 0 || this.#failing.has(account) ? 'failing' : 'fresh';
  }
}

/** Counts slots by pool and by account. */
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
