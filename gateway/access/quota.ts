// Counts requests against limits, in the table `quota` of the store, which all gateways share.
// A statement counts one request each of up to 64 names. Further requests with the same name need a statement each, until one is refused.
// If the store does not respond, requests are counted in memory, from the last counters of the name. When it responds again, they are added to the store; each name is counted
// in memory until its requests are there.
// Guarantees: while the store responds, no name exceeds its limits, over all processes. If the store fails while counts are added, they may count
// twice, but never less. Limit: without the store, each process counts alone, so that limits apply per process.
// The arithmetic of the windows is in account.ts.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Log } from '../http/log.ts';
import { HttpProblem } from '../http/problem.ts';
import { type Sql, type Store, StoreError, type Value } from '../store/sql.ts';
import {
  type Account,
  addTimes,
  type Caller,
  type Counters,
  countersAt,
  dayOf,
  describeUsage,
  isSpent,
  type Limits,
  limitsOf,
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

type QuotaRow = Record<'name' | 'times', string> & Record<'day' | 'used', number>;

/** Times are stored as texts of this many digits, which is enough until the year 2286. */
const DIGITS = 13;
/** How many rows one statement counts at most. */
const MAX_REQUESTS = 64;
/** How many names' last counters are kept in memory. */
const MAX_NAMES = 20_000;

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

/** Counts a request with each name, unless a limit is reached. */
export async function countRequests(
  sql: Sql,
  requests: ReadonlyMap<string, Limits>,
  at = sql.now(),
): Promise<Map<string, Admission>> {
  const values: Value[] = [write(at), write(at - MINUTE_MS), write(at + MINUTE_MS), dayOf(at)];
  // Sorted, because two processes that lock rows in different orders would wait for each other.
  const sorted = [...requests].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, { minute, day }] of sorted) values.push(name, minute, day);
  const row = (_: unknown, index: number) =>
    `($${5 + 3 * index}, $1, $4, 1, $${6 + 3 * index}, $${7 + 3 * index})`;
  const statement = statements[sorted.length] ?? count(sorted.map(row).join(', '));
  statements[sorted.length] = statement;
  const counted = await selectCounters(sql, statement, values, at);
  const names = sorted.map(([name]) => name);
  const refused = names.filter((name) => !counted.has(name));
  const read = await readCounters(sql, refused, at);
  const admissionOf = (name: string) => {
    const counters = counted.get(name) ?? read.get(name) ?? UNUSED;
    return { counters, at, admitted: counted.has(name) };
  };
  return new Map(names.map((name) => [name, admissionOf(name)]));
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
  return await selectCounters(sql, select, names, now);
}

async function selectCounters(
  sql: Sql,
  statement: string,
  values: readonly Value[],
  now: number,
): Promise<Map<string, Counters>> {
  const found = new Map<string, Counters>();
  for (const { name, times: text, day, used } of await sql.all<QuotaRow>(statement, values)) {
    const times: number[] = [];
    for (let at = 0; at < text.length; at += DIGITS) times.push(Number(text.slice(at, at + DIGITS)));
    found.set(name, countersAt({ times, day, count: used }, now));
  }
  return found;
}

/** Reads the use of an account. */
export async function readCountersOf(sql: Sql, { counted_as }: Account): Promise<Counters> {
  return (await readCounters(sql, [counted_as], sql.now())).get(counted_as) ?? UNUSED;
}

/** Replaces counters with the result of `change`, without checking the limits. */
export async function changeCounters(
  store: Store,
  name: string,
  change: (counters: Counters, now: number) => Counters,
): Promise<Counters> {
  return await store.transaction(async (sql) => {
    const at = sql.now();
    const before = (await readCounters(sql, [name], at)).get(name) ?? UNUSED;
    const counters = change(before, at);
    await sql.run(
      `INSERT INTO quota (name, times, day, used, minute_cap, day_cap) VALUES ($1, $2, $3, $4, 0, 0)
       ON CONFLICT (name) DO UPDATE SET times = excluded.times, day = excluded.day, used = excluded.used`,
      [name, counters.times.map(write).join(''), counters.day, counters.count],
    );
    return counters;
  });
}

function write(time: number): string {
  return String(time).padStart(DIGITS, '0');
}

/**
 * How a request is charged. `counted`: it counts, and is refused if a limit is reached. `unchanged`: its response is a 304, so it does not count, but
 * is refused if a limit is reached. `free`: it neither counts nor is refused.
 */
export type ChargeKind = 'counted' | 'unchanged' | 'free';

export interface Charge {
  /** Returns the use of the account or of the key, if it has limits. */
  usageOf(of: Limited['of']): Usage | undefined;
  /** The quota header fields of the response. */
  headers: Record<string, string>;
  /** Reverses the charge, also in `headers`. */
  undo(): Promise<void>;
}

/** Limits on the requests of an account with all its keys, or of a single key. */
interface Limited {
  of: 'account' | 'key';
  name: string;
  limits: Limits;
}

type Used = Limited & Admission;
type Batch = { requests: Map<string, Limits>; admissions: Promise<Map<string, Admission>> };

/** How often the store is tried again, in ms. */
const RETRY_MS = 500;

/** Counts requests against limits; see the head of this file. */
export class Quota {
  readonly #store: Store;
  readonly #log: Log | undefined;
  /** The requests that came before the next microtask, which one statement counts, and their admissions, by name. */
  #batch: Batch | undefined;
  /** The times of admitted requests that the store does not have yet, by name. */
  readonly #inMemory = new Map<string, number[]>();
  /** The last counters from the store. Requests are added to these while it does not respond. */
  readonly #seen = new LRUCache<string, Counters>({ max: MAX_NAMES });
  #isStoreDown = false;
  #retry: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

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
    const { limits } = TIERS[tier];
    const own = limitsOf(key, tier);
    // With limits of the account, all of its public keys share theirs.
    if (own) all.push({ of: 'key', name: limits ? `${account.counted_as} public` : key.hash, limits: own });
    if (limits) all.push({ of: 'account', name: account.counted_as, limits });
    return all.length === 0 ? undefined : this.#charge(all, kind);
  }

  async #charge(all: readonly Limited[], kind: ChargeKind): Promise<Charge> {
    const charged: Used[] = [];
    const undo = async () => {
      for (const used of charged) if (used.admitted) await this.#uncount(used);
    };
    try {
      for (const { of, name, limits } of all) {
        const asking = kind === 'counted' ? this.count(name, limits) : this.#read(name);
        const { counters, at, admitted } = await asking;
        const used: Used = { of, name, limits, counters, at, admitted };
        const isRefused = kind === 'counted' ? !admitted : isSpent(counters, limits);
        if (isRefused && kind !== 'free') throw quotaExceeded(used);
        charged.push(used);
      }
    } catch (error) {
      await undo();
      throw error;
    }
    const headers = describeQuota(charged);
    return {
      usageOf(of) {
        const used = charged.find((each) => each.of === of);
        return used && describeUsage(used.counters, used.limits);
      },
      headers,
      async undo() {
        await undo();
        Object.assign(headers, describeQuota(charged));
      },
    };
  }

  /** Counts a request unless a limit is reached, together with those that come before the next microtask. */
  async count(name: string, limits: Limits): Promise<Admission> {
    for (;;) {
      if (this.#isStoreDown || this.#inMemory.has(name)) return this.#countInMemory(name, limits);
      const isFull = this.#batch?.requests.size === MAX_REQUESTS;
      const batch = (!isFull && this.#batch) || this.#beginBatch();
      // Another request with this name comes first. If a limit is reached, all that wait are refused together.
      const isFirst = !batch.requests.has(name);
      if (isFirst) batch.requests.set(name, limits);
      const admission = (await batch.admissions).get(name) as Admission;
      this.#seen.set(name, admission.counters);
      if (isFirst || !admission.admitted) return admission;
    }
  }

  #beginBatch(): Batch {
    const requests = new Map<string, Limits>();
    const admissions = Promise.resolve().then(async () => {
      if (this.#batch?.requests === requests) this.#batch = undefined;
      try {
        return await countRequests(this.#store.fast, requests);
      } catch (error) {
        this.#switchToMemory(error);
        return new Map(Array.from(requests, ([name, limits]) => [name, this.#countInMemory(name, limits)]));
      }
    });
    this.#batch = { requests, admissions };
    return this.#batch;
  }

  async #read(name: string): Promise<Admission> {
    try {
      if (this.#isStoreDown || this.#inMemory.has(name)) return this.#countInMemory(name);
      const at = this.#store.now();
      const counters = (await readCounters(this.#store.fast, [name], at)).get(name) ?? UNUSED;
      return { counters, at, admitted: false };
    } catch (error) {
      this.#switchToMemory(error);
      return this.#countInMemory(name);
    }
  }

  /** Counts a request in memory, or only reads the counters if no limits are given. */
  #countInMemory(name: string, limits?: Limits): Admission {
    const at = this.#store.now();
    const times = this.#inMemory.get(name) ?? [];
    const before = addTimes(this.#seen.get(name) ?? UNUSED, times, at);
    if (limits === undefined || isSpent(before, limits)) return { counters: before, at, admitted: false };
    this.#inMemory.set(name, times);
    times.push(at);
    return { counters: addTimes(before, [at], at), at, admitted: true };
  }

  async #uncount(used: Used): Promise<void> {
    const { name, at } = used;
    used.admitted = false;
    const counted = this.#inMemory.get(name);
    const index = counted?.lastIndexOf(at) ?? -1;
    if (index >= 0) {
      counted?.splice(index, 1);
      used.counters = this.#countInMemory(name).counters;
      return;
    }
    try {
      used.counters = await changeCounters(this.#store, name, (before) => uncountRequest(before, at));
    } catch (error) {
      this.#switchToMemory(error);
    }
  }

  /** Counts in memory from now on. @throws the error if it is not from the store */
  #switchToMemory(error: unknown): void {
    if (!(error instanceof StoreError)) throw error;
    const message = 'quotas are counted in memory, because the store does not respond';
    if (!this.#isStoreDown) this.#log?.error(message, { error: error.message });
    this.#isStoreDown = true;
    this.#tryLater();
  }

  #tryLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#flushing = this.#flush();
    }, RETRY_MS).unref();
  }

  /** Adds the counts in memory to the store, and stops counting in memory when all of them are there. */
  async #flush(): Promise<void> {
    try {
      // Fails if the store cannot be written.
      await this.#store.fast.run("UPDATE quota SET used = used WHERE name = ''");
      this.#isStoreDown = false;
      for (const [name, added] of this.#inMemory) {
        const sent = [...added];
        const change = (before: Counters, now: number) => addTimes(before, sent, now);
        await changeCounters(this.#store, name, change);
        // Meanwhile, further requests may have been admitted or reversed.
        const left = added.filter((time) => !sent.includes(time));
        if (left.length > 0) this.#inMemory.set(name, left);
        else this.#inMemory.delete(name);
      }
      if (this.#inMemory.size > 0) this.#tryLater();
      else this.#log?.info('the store responds again; quotas are counted there');
    } catch (error) {
      this.#switchToMemory(error);
    }
  }

  /** Adds the counts in memory to the store, if it responds. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.#flushing;
    if (this.#inMemory.size > 0) await this.#flush();
    clearTimeout(this.#retry);
  }
}

/** The windows of limits: the length of each in seconds, and in words. */
const WINDOWS = { minute: [60, '60 seconds'], day: [86_400, 'a UTC day'] } as const;

/** Returns the state of both limits. `seconds` is the time until `remaining` next grows. */
function describeWindows({ of, counters, limits, at }: Used) {
  const usage = describeUsage(counters, limits);
  return (['minute', 'day'] as const).map((window) => {
    const { remaining, resetsAt } = usage[window];
    const [length, words] = WINDOWS[window];
    const seconds = resetsAt === null ? length : Math.max(0, Math.ceil((resetsAt - at) / 1000));
    const name = of === 'key' ? `key-${window}` : window;
    return { name, limit: limits[window], length, words, remaining, seconds };
  });
}

/**
 * Returns the header fields with the limits and what is left of them (structured fields of the IETF draft *RateLimit header fields for HTTP*): `r` is
 * what is left, `t` the seconds until it next grows.
 */
function describeQuota(all: readonly Used[]): Record<string, string> {
  let [policies, states] = ['', ''];
  for (const used of all.toReversed())
    for (const { name, limit, length, remaining, seconds } of describeWindows(used)) {
      policies += `, "${name}";q=${limit};w=${length}`;
      states += `, "${name}";r=${remaining};t=${seconds}`;
    }
  return { 'RateLimit-Policy': policies.slice(2), RateLimit: states.slice(2) };
}

/** Returns the limits that are reached, and in how many seconds the next request is admitted. */
function findSpent(used: Used) {
  const spent = describeWindows(used).filter(({ remaining }) => remaining === 0);
  return { spent, seconds: Math.max(1, ...spent.map(({ seconds }) => seconds)) };
}

/** The 429 for an account or key that has reached a limit. */
function quotaExceeded(used: Used): HttpProblem {
  const { spent, seconds } = findSpent(used);
  const limits = spent.map(({ limit, words }) => `${limit} requests in ${words}`).join(' and ');
  return new HttpProblem(
    'quota-exceeded',
    `this ${used.of} has used its ${limits}; its next request is admitted in ${seconds} s`,
    { 'violated-policies': spent.map(({ name }) => name) },
    { ...describeQuota([used]), 'Retry-After': seconds },
  );
}

const nameOfUse = (what: string, { counted_as }: Account) => hash('sha256', `${what} ${counted_as}`, 'hex');

/** Returns whether a use was counted today. */
export async function countsToday({ fast }: Store, what: string, account: Account): Promise<boolean> {
  const name = nameOfUse(what, account);
  return ((await readCounters(fast, [name], fast.now())).get(name)?.count ?? 0) > 0;
}

/**
 * Counts one use, such as a form that an account sends, against its own limits.
 *
 * The store holds only a hash of `what` and the account.
 * @returns whether it is allowed; if not, in how many seconds the next one is
 */
export async function countUse(
  { fast }: Store,
  { what, account, limits }: { what: string; account: Account; limits: Limits },
): Promise<{ isAllowed: boolean; seconds: number }> {
  const name = nameOfUse(what, account);
  const used = (await countRequests(fast, new Map([[name, limits]]))).get(name) as Admission;
  return { isAllowed: used.admitted, seconds: findSpent({ of: 'account', name, limits, ...used }).seconds };
}
