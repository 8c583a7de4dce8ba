// Counts requests against limits, in the table `quota` of the store, which all gateways share.
// A statement counts one request each of up to 64 names. Further requests with the same name need a statement each, until one is refused.
// If the store does not respond, requests are counted in memory, starting from the last counters that this process read. When it responds again, they
// are added to the store; each name is counted in memory until its requests are there.
// Guarantees: while the store responds, no name exceeds its limits, over all processes. If the store fails while counts are added, they may count
// twice, but never less. Limit: without the store, each process counts alone, so that limits apply per process.
// The arithmetic of the windows is in account.ts.
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Log } from '../http/log.ts';
import { HttpProblem } from '../http/problem.ts';
import type { UseOutcome } from '../store/limits.ts';
import { type Sql, type Store, StoreError, type Value } from '../store/sql.ts';
import {
  type Account,
  addRequest,
  type Caller,
  type CounterName,
  type Counters,
  counterNameFor,
  counterNameOf,
  counterNameOfKey,
  countersAt,
  dayOf,
  describeUsage,
  isSpent,
  type Limits,
  MINUTE_MS,
  TIERS,
  UNUSED,
  type Usage,
  uncountRequest,
} from './account.ts';

/** The counters of a name after a request, or without one. */
interface Admission {
  counters: Counters;
  /** ms since 1970, by the clock of the store. */
  at: number;
  /** Whether a request was counted; false if a limit is reached. */
  admitted: boolean;
}

interface QuotaRow {
  name: string;
  times: string;
  day: number;
  used: number;
}

/** Times are stored as texts of this many digits, which is enough until the year 2286. */
const DIGITS = 13;
/** How many rows one statement counts at most. */
const MAX_REQUESTS = 64;

const LATEST = `substr(q.times, length(q.times) - ${DIGITS - 1})`;
/** The time that has to leave the minute before the next request: the first of the last `minute_cap` times. */
const FIRST = `substr(q.times, CAST(length(q.times) - ${DIGITS} * excluded.minute_cap + 1 AS INTEGER), ${DIGITS})`;
const HAS_FIRST = `length(q.times) >= ${DIGITS} * excluded.minute_cap`;
/** Also true if the clock was set back over midnight, so that no account gets a day twice. */
const SAME_DAY = '(q.day = $4 OR q.day = $4 + 1)';

/**
 * Counts requests with different names, each unless a limit is reached. A row holds the times of the last admitted requests, as many as its limit; a
 * request is admitted if the first of them is at least a minute ago.
 *
 * The values: `$1` now, `$2` a minute ago, `$3` in a minute, as texts; `$4` today; then the name and limits of each request.
 */
const count = (
  rows: string,
) => `INSERT INTO quota AS q (name, times, day, used, minute_cap, day_cap) VALUES ${rows}
  ON CONFLICT (name) DO UPDATE SET
    times = CASE WHEN ${HAS_FIRST} THEN substr(q.times, CAST(length(q.times) - ${DIGITS} * (excluded.minute_cap - 1) + 1 AS INTEGER)) ELSE q.times END
      || CASE WHEN ${LATEST} > $1 AND ${LATEST} <= $3 THEN ${LATEST} ELSE $1 END,
    used = CASE WHEN ${SAME_DAY} THEN q.used + 1 ELSE 1 END,
    day = CASE WHEN ${SAME_DAY} THEN q.day ELSE $4 END,
    minute_cap = excluded.minute_cap, day_cap = excluded.day_cap
  WHERE (NOT ${SAME_DAY} OR q.used < excluded.day_cap)
    AND (NOT ${HAS_FIRST} OR ${FIRST} <= $2 OR ${FIRST} > $3)
  RETURNING name, times, day, used`;

/** The statement for each number of requests, cached. */
const statements: string[] = [];

/** Counts requests with different names. @returns the admitted ones, by name; the others have reached a limit */
export async function countRequests(
  sql: Sql,
  requests: Iterable<readonly [name: string, limits: Limits]>,
  now: number,
): Promise<Map<string, Counters>> {
  const values: Value[] = [write(now), write(now - MINUTE_MS), write(now + MINUTE_MS), dayOf(now)];
  // Sorted, because two processes that lock rows in different orders would wait for each other.
  const sorted = [...requests].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, { minute, day }] of sorted) values.push(name, minute, day);
  const row = (_: unknown, at: number) => `($${5 + 3 * at}, $1, $4, 1, $${6 + 3 * at}, $${7 + 3 * at})`;
  const statement = statements[sorted.length] ?? count(sorted.map(row).join(', '));
  statements[sorted.length] = statement;
  return countersIn(await sql.all<QuotaRow>(statement, values), now);
}

/** Reads counters by name. Names without requests are missing. */
export async function readCounters(
  sql: Sql,
  names: readonly string[],
  now: number,
): Promise<Map<string, Counters>> {
  if (names.length === 0) return new Map();
  const places = names.map((_, index) => `$${index + 1}`).join(', ');
  const select = `SELECT name, times, day, used FROM quota WHERE name IN (${places})`;
  return countersIn(await sql.all<QuotaRow>(select, names), now);
}

/** Reads the use of an account. */
export async function readCountersOf(sql: Sql, account: Account): Promise<Counters> {
  const name = counterNameOf(account);
  return (await readCounters(sql, [name], sql.now())).get(name) ?? UNUSED;
}

/** Counts one request without waiting for a batch, unless a limit is reached. */
export async function countAlone(sql: Sql, name: string, limits: Limits): Promise<Admission> {
  const at = sql.now();
  const counters = (await countRequests(sql, [[name, limits]], at)).get(name);
  if (counters) return { counters, at, admitted: true };
  return { counters: (await readCounters(sql, [name], at)).get(name) ?? UNUSED, at, admitted: false };
}

/** Replaces counters with the result of `change`, without checking the limits. */
export async function changeCounters(
  store: Store,
  name: string,
  change: (counters: Counters) => Counters,
): Promise<Omit<Admission, 'admitted'>> {
  return await store.transaction(async (sql) => {
    const at = sql.now();
    const before = (await readCounters(sql, [name], at)).get(name) ?? { ...UNUSED, day: dayOf(at) };
    const counters = change(before);
    await sql.run(
      `INSERT INTO quota (name, times, day, used, minute_cap, day_cap) VALUES ($1, $2, $3, $4, 0, 0)
       ON CONFLICT (name) DO UPDATE SET times = excluded.times, day = excluded.day, used = excluded.used`,
      [name, counters.times.map(write).join(''), counters.day, counters.count],
    );
    return { counters, at };
  });
}

function write(time: number): string {
  return String(time).padStart(DIGITS, '0');
}

function countersIn(rows: readonly QuotaRow[], now: number): Map<string, Counters> {
  const found = new Map<string, Counters>();
  for (const { name, times, day, used } of rows) {
    const each: number[] = [];
    for (let at = 0; at < times.length; at += DIGITS) {
      const time = Number(times.slice(at, at + DIGITS));
      if (time <= now + MINUTE_MS) each.push(time);
    }
    found.set(name, countersAt({ times: each, day, count: used }, now));
  }
  return found;
}

/** The requests that a statement counts together, and what becomes of them, by name. */
interface Batch {
  requests: Map<string, Limits>;
  outcome: Promise<ReadonlyMap<string, Admission>>;
}

/**
 * How a request is charged. `counted`: it counts, and is refused if a limit is reached. `unchanged`: its response is a 304, so it does not count, but
 * is refused if a limit is reached. `free`: it neither counts nor is refused.
 */
export type ChargeKind = 'counted' | 'unchanged' | 'free';

export interface Charge {
  /** The use of the account; absent if it has no limits. */
  usage: Usage | undefined;
  /** The use of the key; absent if only its account has limits. */
  keyUsage: Usage | undefined;
  /** The quota header fields of the response. */
  headers: Record<string, string>;
  /** Reverses the charge, also in `headers`. */
  undo(): Promise<void>;
}

/** Limits on the requests of an account with all its keys, or of a single key. */
interface Limited {
  of: 'account' | 'key';
  name: CounterName;
  limits: Limits;
}

type Used = Limited & Admission;

/** How often the store is tried again, in ms. */
const RETRY_MS = 500;
/** How many names are remembered for when the store does not respond. */
const MAX_NAMES = 20_000;

/** Counts requests against limits; see the head of this file. */
export class Quota {
  readonly #store: Store;
  readonly #log: Log | undefined;
  /** Collects the requests of an event-loop tick. */
  #batch: Batch | undefined;
  readonly #seen = new LRUCache<string, Counters>({ max: MAX_NAMES });
  /** When requests were admitted that the store does not have yet, by name. */
  readonly #alone = new Map<string, number[]>();
  #isAway = false;
  #retry: NodeJS.Timeout | undefined;
  #adding: Promise<void> = Promise.resolve();

  constructor(store: Store, log?: Log) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * Charges a request to its key if that has limits, and to its account.
   *
   * @returns undefined if neither has limits
   * @throws HttpProblem `quota-exceeded` if a limit of either is reached; then the request counts for neither
   */
  charge({ tier, account, key }: Caller, kind: ChargeKind): Promise<Charge> | undefined {
    const all: Limited[] = [];
    const own = key.browser?.limits;
    if (own) all.push({ of: 'key', name: counterNameOfKey(key), limits: own });
    const { limits } = TIERS[tier];
    if (limits) all.push({ of: 'account', name: counterNameOf(account), limits });
    return all.length === 0 ? undefined : this.#charge(all, kind);
  }

  async #charge(all: readonly Limited[], kind: ChargeKind): Promise<Charge> {
    const charged: Used[] = [];
    const undo = async () => {
      for (const used of kind === 'counted' ? charged : []) await this.#uncount(used);
    };
    try {
      for (const limited of all) {
        const { name, limits } = limited;
        const asking = kind === 'counted' ? this.count(name, limits) : this.#read(name);
        const used = { ...limited, ...(await asking) };
        const isRefused = kind === 'counted' ? !used.admitted : isSpent(used.counters, limits);
        if (isRefused && kind !== 'free') throw quotaExceeded(used);
        charged.push(used);
      }
    } catch (error) {
      await undo();
      throw error;
    }
    const usageOf = (of: Limited['of']) => {
      const used = charged.find((each) => each.of === of);
      return used && describeUsage(used.counters, used.limits);
    };
    const headers = describeQuota(charged);
    return {
      usage: usageOf('account'),
      keyUsage: usageOf('key'),
      headers,
      async undo() {
        await undo();
        Object.assign(headers, describeQuota(charged));
      },
    };
  }

  /** Counts a request unless a limit is reached; together with the others of this event-loop tick. */
  async count(name: CounterName, limits: Limits): Promise<Admission> {
    for (;;) {
      if (this.#isAway || this.#alone.has(name)) return this.#askAlone(name, limits);
      const isFull = this.#batch?.requests.size === MAX_REQUESTS;
      const batch: Batch = (!isFull && this.#batch) || this.#beginBatch();
      // Another request with this name comes first. If a limit is reached, all that wait are refused together.
      const isFirst = !batch.requests.has(name);
      if (isFirst) batch.requests.set(name, limits);
      const admission = (await batch.outcome).get(name) as Admission;
      this.#seen.set(name, admission.counters);
      if (isFirst || !admission.admitted) return admission;
    }
  }

  #beginBatch(): Batch {
    const requests = new Map<string, Limits>();
    const outcome = setImmediate().then(() => {
      if (this.#batch?.requests === requests) this.#batch = undefined;
      return this.#countAll(requests);
    });
    this.#batch = { requests, outcome };
    return this.#batch;
  }

  async #countAll(requests: ReadonlyMap<string, Limits>): Promise<ReadonlyMap<string, Admission>> {
    const { fast } = this.#store;
    const at = this.#store.now();
    const names = [...requests.keys()];
    try {
      const counted = await countRequests(fast, requests, at);
      const refused = names.filter((name) => !counted.has(name));
      const read = await readCounters(fast, refused, at);
      const admissionOf = (name: string) => {
        const counters = counted.get(name) ?? read.get(name) ?? UNUSED;
        return { counters, at, admitted: counted.has(name) };
      };
      return new Map(names.map((name) => [name, admissionOf(name)]));
    } catch (error) {
      if (!this.#noteAway(error)) throw error;
      return new Map(Array.from(requests, ([name, limits]) => [name, this.#askAlone(name, limits)]));
    }
  }

  async #read(name: string): Promise<Admission> {
    const at = this.#store.now();
    try {
      if (this.#isAway || this.#alone.has(name)) return this.#askAlone(name);
      const counters = (await readCounters(this.#store.fast, [name], at)).get(name) ?? UNUSED;
      return { counters, at, admitted: false };
    } catch (error) {
      if (!this.#noteAway(error)) throw error;
      return this.#askAlone(name);
    }
  }

  /** Counts a request in memory, or only reads the counters if no limits are given. */
  #askAlone(name: string, limits?: Limits): Admission {
    const at = this.#store.now();
    const times = this.#alone.get(name) ?? [];
    const before = withTimes(this.#seen.get(name) ?? UNUSED, times, at);
    if (limits === undefined || isSpent(before, limits)) return { counters: before, at, admitted: false };
    this.#alone.set(name, times);
    times.push(at);
    return { counters: addRequest(before, at), at, admitted: true };
  }

  async #uncount(used: Used): Promise<void> {
    const { name, at } = used;
    const alone = this.#alone.get(name);
    const index = alone?.lastIndexOf(at) ?? -1;
    if (index >= 0) {
      alone?.splice(index, 1);
      Object.assign(used, this.#askAlone(name));
      return;
    }
    try {
      Object.assign(used, await changeCounters(this.#store, name, (before) => uncountRequest(before, at)));
    } catch (error) {
      this.#noteAway(error);
    }
  }

  /** Records a failure of the store. @returns false if the error is a different one */
  #noteAway(error: unknown): boolean {
    if (!(error instanceof StoreError)) return false;
    if (this.#isAway) return true;
    const message = 'quotas are counted in memory, because the store does not respond';
    this.#log?.error(message, { error: error.message });
    this.#tryLater(true);
    return true;
  }

  #tryLater(isAway: boolean): void {
    this.#isAway = isAway;
    this.#retry = setTimeout(() => {
      this.#adding = this.#add();
    }, RETRY_MS).unref();
  }

  /** Adds the counts in memory to the store, and stops counting in memory when all of them are there. */
  async #add(): Promise<void> {
    try {
      // Fails if the store cannot be written.
      await this.#store.fast.run("UPDATE quota SET used = used WHERE name = ''");
      this.#isAway = false;
      for (const [name, added] of this.#alone) {
        const sent = [...added];
        const change = (before: Counters) => withTimes(before, sent, this.#store.now());
        this.#seen.set(name, (await changeCounters(this.#store, name, change)).counters);
        // Meanwhile, further requests may have been admitted or reversed.
        const left = added.filter((time) => !sent.includes(time));
        if (left.length > 0) this.#alone.set(name, left);
        else this.#alone.delete(name);
      }
      if (this.#alone.size > 0) this.#tryLater(false);
      else this.#log?.info('the store responds again; quotas are counted there');
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#tryLater(true);
    }
  }

  /** Adds the counts in memory to the store, if it responds. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.#adding;
    if (this.#alone.size > 0) await this.#add();
    clearTimeout(this.#retry);
  }
}

/** Adds requests by their times, without checking the limits. @param now ms since 1970 */
function withTimes(before: Counters, added: readonly number[], now: number): Counters {
  const { times, day, count } = countersAt(before, now);
  const recent = added.filter((time) => now - time < MINUTE_MS);
  const onDay = added.filter((time) => dayOf(time) === day);
  return { times: [...times, ...recent].sort((a, b) => a - b), day, count: count + onDay.length };
}

/** The length of each window, in seconds and in words. */
const WINDOWS = { minute: [60, '60 seconds'], day: [86_400, 'a UTC day'] } as const;
const POLICIES = ['minute', 'day'] as const;

const nameIn = ({ of }: Limited, name: keyof Limits) => (of === 'key' ? `key-${name}` : name);

/**
 * Returns the header fields with the limits and what is left of them (structured fields of the IETF draft *RateLimit header fields for HTTP*): `r` is
 * what is left, `t` the seconds until it next grows.
 */
function describeQuota(all: readonly Used[]): Record<string, string> {
  const [policies, states]: [string[], string[]] = [[], []];
  for (const used of all.toReversed()) {
    const { counters, limits, at } = used;
    const usage = describeUsage(counters, limits);
    for (const name of POLICIES) {
      const { remaining, resetsAt } = usage[name];
      const [length] = WINDOWS[name];
      const seconds = resetsAt === null ? length : secondsUntil(resetsAt, at);
      policies.push(`"${nameIn(used, name)}";q=${limits[name]};w=${length}`);
      states.push(`"${nameIn(used, name)}";r=${remaining};t=${seconds}`);
    }
  }
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: states.join(', ') };
}

const spentOf = (usage: Usage) => POLICIES.filter((name) => usage[name].remaining === 0);

/** The 429 for an account or key that has reached a limit. */
function quotaExceeded(used: Used): HttpProblem {
  const usage = describeUsage(used.counters, used.limits);
  const seconds = retryAfter(usage, used.at);
  const spent = spentOf(usage).map((name) => `${used.limits[name]} requests in ${WINDOWS[name][1]}`);
  return new HttpProblem(
    'quota-exceeded',
    `this ${used.of} has used its ${spent.join(' and ')}; its next request is admitted in ${seconds} s`,
    { 'violated-policies': spentOf(usage).map((name) => nameIn(used, name)) },
    { ...describeQuota([used]), 'Retry-After': seconds },
  );
}

/** Returns in how many seconds the next request is admitted. */
function retryAfter(usage: Usage, now: number): number {
  const waits = spentOf(usage).map((name) => secondsUntil(usage[name].resetsAt ?? now + MINUTE_MS, now));
  return Math.max(1, ...waits);
}

function secondsUntil(time: number, now: number): number {
  return Math.max(0, Math.ceil((time - now) / 1000));
}

/** Counts one use, such as a form that an account sends, against its own limits. @param use `what` is for `counterNameFor` */
export async function countUse(
  store: Store,
  { what, account, limits }: { what: string; account: Account; limits: Limits },
): Promise<UseOutcome> {
  const name = counterNameFor(what, account);
  const { admitted, at, counters } = await countAlone(store.fast, name, limits);
  if (!admitted) return { isAllowed: false, seconds: retryAfter(describeUsage(counters, limits), at) };
  const takeBack = async () => {
    await changeCounters(store, name, (before) => uncountRequest(before, at));
  };
  return { isAllowed: true, takeBack };
}
