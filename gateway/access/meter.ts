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

/** Counts requests against the caps of accounts. Never fails: without its store it goes on by itself. */
export interface Meter {
  /** Counts a request of an account, by its id, unless a cap is reached. */
  count(account: string, limits: Limits): Promise<Admission>;
  /** Takes back a request that was counted. */
  uncount(account: string, admission: Reading): Promise<Reading>;
  /** What an account has used. */
  read(account: string): Promise<Reading>;
}

/** Of how many accounts is remembered what they have used. */
const MOST_ACCOUNTS = 50_000;

/**
 * Makes a meter that counts in a store. While the store does not answer it counts on in memory, from what the store told last and by
 * the store's clock.
 *
 * @param now ms since 1970
 * @param log told when it begins to count alone, and when it ends
 */
export function createMeter(
  store: Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters'>,
  now: () => number,
  log: Log,
): Meter {
  let isAlone = false;
  /** How far the store's clock was behind this one when it answered last, in ms. */
  let behind = 0;
  /** The last readings. */
  const last = new LRUCache<string, Reading>({ max: MOST_ACCOUNTS });

  const keep = <T extends Reading>(account: string, reading: T): T => {
    last.set(account, reading);
    return reading;
  };
  const alone = <T extends Reading>(account: string, change: (reading: Reading) => T): T => {
    const { counters, at: then } = last.get(account) ?? { counters: UNUSED, at: 0 };
    // Answers that came late or in another order make the store's clock seem further behind than it is.
    const at = timeAfter(then, now() - behind);
    return keep(account, change({ counters: countersAt(counters, at), at }));
  };
  const ask = <T extends Reading>(
    account: string,
    asked: Promise<T>,
    change: (reading: Reading) => T,
  ): Promise<T> =>
    // Not awaited: every request with caps goes through here, and an async function makes further promises.
    asked.then(
      (reading) => {
        if (isAlone) log.info('quotas are counted in the store again');
        isAlone = false;
        behind = now() - reading.at;
        return keep(account, reading);
      },
      (error: unknown) => {
        if (!(error instanceof StoreError)) throw error;
        if (!isAlone) log.error('quotas are counted by this gateway alone', { error: error.message });
        isAlone = true;
        return alone(account, change);
      },
    );

  return {
    count: (account, limits) =>
      ask(account, store.countRequest(account, limits), ({ counters, at }) => {
        const counted = countRequest(counters, limits, at);
        return { counters: counted ?? counters, at, admitted: counted !== undefined };
      }),
    uncount: (account, { at: then }) =>
      ask<Reading>(account, store.uncountRequest(account, then), ({ counters, at }) => ({
        counters: uncountRequest(counters, then),
        at,
      })),
    read: (account) => ask<Reading>(account, store.readCounters(account), (reading) => reading),
  };
}
