import { LRUCache } from 'lru-cache';
import type { Choice } from '../../jobs/queue.ts';
import type { Delivery } from './delivery.ts';

/** How many deliveries may be under way at once: those to whom all went well, and those of whoever failed last. */
export interface SlotCounts {
  fresh: number;
  failing: number;
}

/** The places for deliveries under way. */
export interface Slots {
  /** Takes a place for a delivery. @returns what gives it back */
  take(delivery: Delivery): () => void;
  /** Makes what says of each delivery, one after the other, whether there is room for it beside those before. */
  plan(): (delivery: Delivery) => Choice;
  /** Remembers how an account fared. */
  note(account: string, failed: boolean): void;
}

/** How many deliveries of one account are under way at once. */
const MOST_OF_ONE = 2;
const MOST_FAILING = 10_000;

type Pool = keyof SlotCounts;

/**
 * Divides the places, so that who keeps others waiting waits alone: an account has two at most, and whoever failed last shares a few
 * with the like until something arrives there.
 */
export function createSlots(counts: SlotCounts): Slots {
  const taken = createTally();
  const failing = new LRUCache<string, true>({ max: MOST_FAILING });
  const poolOf = ({ account, failures }: Delivery): Pool =>
    failures > 0 || failing.has(account) ? 'failing' : 'fresh';
  return {
    take(delivery) {
      const { account } = delivery;
      const pool = poolOf(delivery);
      taken.add(account, pool, 1);
      return () => taken.add(account, pool, -1);
    },
    plan() {
      const planned = createTally();
      const isFull = (pool: Pool) => taken.pools[pool] + planned.pools[pool] >= counts[pool];
      return (delivery) => {
        const { account } = delivery;
        const pool = poolOf(delivery);
        // Who failed can wait; to look for them in a long queue costs time.
        if (isFull('fresh')) return 'stop';
        if (isFull(pool) || taken.of(account) + planned.of(account) >= MOST_OF_ONE) return 'skip';
        planned.add(account, pool, 1);
        return 'take';
      };
    },
    note(account, failed) {
      if (failed) failing.set(account, true);
      else failing.delete(account);
    },
  };
}

function createTally() {
  const pools = { fresh: 0, failing: 0 };
  const accounts = new Map<string, number>();
  const of = (account: string) => accounts.get(account) ?? 0;
  return {
    pools,
    of,
    add(account: string, pool: Pool, count: 1 | -1) {
      pools[pool] += count;
      const sum = of(account) + count;
      if (sum === 0) accounts.delete(account);
      else accounts.set(account, sum);
    },
  };
}
