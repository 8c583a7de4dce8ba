import { LRUCache } from 'lru-cache';
import type { Log } from '../http/log.ts';
import type { UseOutcome } from '../store/limits.ts';
import {
  type Admission,
  changeCounters,
  countAlone,
  countRequests,
  MAX_REQUESTS,
  readCounters,
  type Reading,
} from '../store/quota.ts';
import { type Sql, type Store, StoreError } from '../store/sql.ts';
import {
  type Account,
  addRequest,
  type CounterName,
  counterNameFor,
  counterNameOf,
  type Counters,
  countersAt,
  describeUsage,
  isSpent,
  type Limits,
  mergeCounters,
  retryAfter,
  uncountRequest,
  UNUSED,
} from './account.ts';

/** A request that waits to be counted, or, without limits, for what its name has used. */
interface Waiting {
  limits: Limits | undefined;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
}

/** What was counted while the store did not respond. */
interface Alone {
  /** With what the store had before, as far as this process knows. */
  counters: Counters;
  /** The requests that the store does not have yet. */
  pending: Counters;
}

/** How many statements may be under way: more requests wait, and are counted together. */
const MAX_STATEMENTS = 2;
/** How often the store is tried again, in ms. */
const RETRY_MS = 500;
/** How many names are remembered, for when the store does not respond. */
const MAX_NAMES = 20_000;

/**
 * Counts requests against caps, in the table `quota`. All requests of one event-loop tick are one statement; only further requests with the
 * same name need one each, until one of them is refused.
 *
 * When the store does not respond, requests are counted in memory, beginning with what this process last saw. When it responds again, they
 * are added to the store; a name is counted in memory until its requests are there. If the store fails while they are added, they may count
 * twice, never less.
 */
export class Quota {
  readonly #store: Store;
  readonly #log: Log | undefined;
  #waiting = new Map<string, Waiting[]>();
  #isScheduled = false;
  #statements = 0;
  readonly #seen = new LRUCache<string, Counters>({ max: MAX_NAMES });
  readonly #alone = new Map<string, Alone>();
  #isAway = false;
  #retry: NodeJS.Timeout | undefined;
  #adding: Promise<void> = Promise.resolve();

  constructor(store: Store, log?: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Counts a request unless a cap is reached. */
  count(name: CounterName, limits: Limits): Promise<Admission> {
    return this.#ask(name, limits);
  }

  /** Reads what was used. */
  read(name: CounterName): Promise<Reading> {
    return this.#ask(name, undefined);
  }

  /** Removes a request that was counted. */
  async uncount(name: CounterName, { at, counters }: Reading): Promise<Reading> {
    const alone = this.#alone.get(name);
    if (alone) {
      alone.counters = uncountRequest(alone.counters, at);
      alone.pending = uncountRequest(alone.pending, at);
      return { counters: alone.counters, at };
    }
    try {
      const reading = await changeCounters(this.#store, name, (before) =>
        uncountRequest(before, latestOf(before, at)),
      );
      this.#seen.set(name, reading.counters);
      return reading;
    } catch (error) {
      this.#note(error);
      return { counters, at };
    }
  }

  /** Adds what was counted in memory to the store, if it responds. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.#adding;
    if (this.#alone.size > 0) await this.#add();
    clearTimeout(this.#retry);
  }

  #ask(name: string, limits: Limits | undefined): Promise<Admission> {
    if (this.#isAway || this.#alone.has(name)) return Promise.resolve(this.#askAlone(name, limits));
    return new Promise((resolve, reject) => {
      const waiting = { limits, resolve, reject };
      const others = this.#waiting.get(name);
      if (others) others.push(waiting);
      else this.#waiting.set(name, [waiting]);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#statements >= MAX_STATEMENTS || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = new Map();
    this.#statements++;
    this.#serve(batch)
      .catch((error: unknown) => {
        if (!this.#note(error)) for (const waiting of [...batch.values()].flat()) waiting.reject(error);
        else
          for (const [name, all] of batch)
            for (const waiting of all) waiting.resolve(this.#askAlone(name, waiting.limits));
      })
      .finally(() => {
        this.#statements--;
        this.#schedule();
      });
  }

  /** Serves all that waits, one request of each name at a time. */
  async #serve(batch: Map<string, Waiting[]>): Promise<void> {
    while (batch.size > 0) {
      const round = [...batch].slice(0, MAX_REQUESTS);
      const counted = round.flatMap(([name, [first]]) =>
        first?.limits ? [{ name, limits: first.limits }] : [],
      );
      const at = this.#store.now();
      const admitted =
        counted.length > 0 ? await countRequests(this.#store.fast, counted, at) : new Map<string, Counters>();
      const others = round.flatMap(([name]) => (admitted.has(name) ? [] : [name]));
      const read =
        others.length > 0 ? await readCounters(this.#store.fast, others, at) : new Map<string, Counters>();
      for (const [name, waiting] of round) {
        const counters = admitted.get(name) ?? read.get(name) ?? UNUSED;
        this.#seen.set(name, counters);
        // A name that has reached a cap refuses all that wait with the same caps.
        const isLast = waiting.length === 1 || !admitted.has(name);
        const served = isLast
          ? waiting.filter(({ limits }) => limits === waiting[0]?.limits)
          : waiting.slice(0, 1);
        const left = waiting.filter((each) => !served.includes(each));
        if (left.length > 0) batch.set(name, left);
        else batch.delete(name);
        for (const { resolve } of served) resolve({ counters, at, admitted: admitted.has(name) });
      }
    }
  }

  #askAlone(name: string, limits: Limits | undefined): Admission {
    const at = this.#store.now();
    const alone = this.#alone.get(name);
    const before = countersAt(alone?.counters ?? this.#seen.get(name) ?? UNUSED, at);
    if (limits === undefined || isSpent(before, limits)) return { counters: before, at, admitted: false };
    const counters = addRequest(before, at);
    this.#alone.set(name, { counters, pending: addRequest(countersAt(alone?.pending ?? UNUSED, at), at) });
    return { counters, at, admitted: true };
  }

  /** Notes a failure of the store. @returns false if it is something else */
  #note(error: unknown): boolean {
    if (!(error instanceof StoreError)) return false;
    if (this.#isAway) return true;
    this.#isAway = true;
    this.#log?.error('quotas are counted in memory, because the store does not respond', {
      error: error.message,
    });
    this.#tryLater();
    return true;
  }

  #tryLater(): void {
    this.#retry = setTimeout(() => {
      this.#adding = this.#add();
    }, RETRY_MS);
    this.#retry.unref();
  }

  /** Adds to the store what was counted in memory, and ends counting in memory when all of it is there. */
  async #add(): Promise<void> {
    try {
      // Fails if the store cannot be written.
      await this.#store.fast.run("UPDATE quota SET used = used WHERE name = ''");
      this.#isAway = false;
      for (const [name, { pending }] of this.#alone) {
        const { counters, at } = await changeCounters(this.#store, name, (before) =>
          mergeCounters(before, pending, this.#store.now()),
        );
        this.#seen.set(name, counters);
        const alone = this.#alone.get(name);
        if (alone === undefined) continue;
        alone.pending = without(alone.pending, pending);
        if (alone.pending.count === 0 && alone.pending.times.length === 0) this.#alone.delete(name);
        else alone.counters = mergeCounters(counters, alone.pending, at);
      }
      if (this.#alone.size > 0) this.#tryLater();
      else this.#log?.info('the store responds again; quotas are counted there');
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#isAway = true;
      this.#tryLater();
    }
  }
}

/** The time under which a request is stored that was admitted at another: the store may have counted it a little later. */
function latestOf({ times }: Counters, at: number): number {
  return times.includes(at) ? at : (times.find((time) => time > at) ?? at);
}

/** Removes requests from later counters that contain them. */
function without(later: Counters, { times, day, count }: Counters): Counters {
  const left = [...later.times];
  for (const time of times) {
    const index = left.indexOf(time);
    if (index >= 0) left.splice(index, 1);
  }
  return { times: left, day: later.day, count: later.day === day ? later.count - count : later.count };
}

/** Reads what an account has used, without waiting for a gateway's tick. */
export async function readCountersOf(sql: Sql, account: Account): Promise<Counters> {
  const name = counterNameOf(account);
  return (await readCounters(sql, [name], sql.now())).get(name) ?? UNUSED;
}

/** What an account uses, with its own limits. */
export interface AccountUse {
  /** What is used. */
  what: string;
  account: Account;
  limits: Limits;
}

/** Counts one use of something with its own caps, such as a form that an account sends. */
export async function countUse(store: Store, { what, account, limits }: AccountUse): Promise<UseOutcome> {
  const name = counterNameFor(what, account);
  const { admitted, at, counters } = await countAlone(store.fast, { name, limits });
  if (!admitted) return { isAllowed: false, seconds: retryAfter(describeUsage(counters, limits), at) };
  const takeBack = async () => {
    await changeCounters(store, name, (before) => uncountRequest(before, latestOf(before, at)));
  };
  return { isAllowed: true, takeBack };
}
