// Counts requests against limits, in the table `quota` of the store, which all gateways share.
// A statement counts one request each of up to 64 names. Further requests with the same name need a statement each, until one is refused.
// If the store does not respond, requests are counted in memory, starting from the last counters that this process read. When it responds again, they
// are added to the store; each name is counted in memory until its requests are there.
// Guarantees: while the store responds, no name exceeds its limits, over all processes. If the store fails while counts are added, they may count
// twice, but never less. Limit: without the store, each process counts alone, so that limits apply per process.
// The arithmetic of the windows is in account.ts.
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
export interface Admission {
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
  requests: readonly { name: string; limits: Limits }[],
  now: number,
): Promise<Map<string, Counters>> {
  const values: Value[] = [write(now), write(now - MINUTE_MS), write(now + MINUTE_MS), dayOf(now)];
  // Sorted, because two processes that lock rows in different orders would wait for each other.
  for (const { name, limits } of [...requests].sort((a, b) => (a.name < b.name ? -1 : 1)))
    values.push(name, limits.minute, limits.day);
  const row = (_: unknown, at: number) => `($${5 + 3 * at}, $1, $4, 1, $${6 + 3 * at}, $${7 + 3 * at})`;
  statements[requests.length] ??= count(requests.map(row).join(', '));
  return countersIn(await sql.all<QuotaRow>(statements[requests.length] as string, values), now);
}

/** Reads counters by name. Names without requests are missing. */
export async function readCounters(
  sql: Sql,
  names: readonly string[],
  now: number,
): Promise<Map<string, Counters>> {
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
export async function countAlone(sql: Sql, request: { name: string; limits: Limits }): Promise<Admission> {
  const at = sql.now();
  const counters = (await countRequests(sql, [request], at)).get(request.name);
  if (counters) return { counters, at, admitted: true };
  const read = await readCounters(sql, [request.name], at);
  return { counters: read.get(request.name) ?? UNUSED, at, admitted: false };
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

/** A request that waits to be counted; without limits, a request to read what is used. */
interface Waiting {
  limits: Limits | undefined;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
}

/**
 * How a request is charged. `counted`: it counts, and is refused if a limit is reached. `unchanged`: its response is a 304, so it does not count, but
 * is refused if a limit is reached. `free`: it neither counts nor is refused.
 */
export type ChargeKind = 'counted' | 'unchanged' | 'free';

export interface Charge {
  /** The use of the account; absent if it has no limits. */
  usage?: Usage | undefined;
  /** The use of the key; absent if only its account has limits. */
  keyUsage?: Usage | undefined;
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

/** The state of limits at a time, in ms since 1970. */
interface Used {
  limited: Limited;
  usage: Usage;
  at: number;
}

/** How many statements may be under way. Meanwhile, further requests wait, and are counted together. */
const MAX_STATEMENTS = 2;
/** How often the store is tried again, in ms. */
const RETRY_MS = 500;
/** How many names are remembered for when the store does not respond. */
const MAX_NAMES = 20_000;

/** Counts requests against limits; see the head of this file. */
export class Quota {
  readonly #store: Store;
  readonly #log: Log | undefined;
  readonly #waiting = new Map<string, Waiting[]>();
  #isScheduled = false;
  #statements = 0;
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
      if (kind !== 'counted') return;
      for (const used of charged) Object.assign(used, await this.#uncount(used));
    };
    for (const limited of all) {
      const isCounted = kind === 'counted';
      const asked = this.#ask(limited.name, isCounted ? limited.limits : undefined);
      const { counters, at, admitted } = await asked.catch(async (error) => {
        await undo();
        throw error;
      });
      const used = { limited, usage: describeUsage(counters, limited.limits), at };
      if (isCounted ? !admitted : kind === 'unchanged' && isSpent(counters, limited.limits)) {
        await undo();
        throw quotaExceeded(used);
      }
      charged.push(used);
    }
    const usageOf = (of: Limited['of']) => charged.find(({ limited }) => limited.of === of)?.usage;
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

  /** Counts a request unless a limit is reached. */
  count(name: CounterName, limits: Limits): Promise<Admission> {
    return this.#ask(name, limits);
  }

  async #uncount({ limited: { name, limits }, at }: Used): Promise<Pick<Used, 'usage' | 'at'> | undefined> {
    const alone = this.#alone.get(name);
    const index = alone?.lastIndexOf(at) ?? -1;
    if (alone && index >= 0) {
      alone.splice(index, 1);
      return { usage: describeUsage(this.#countersAlone(name, at), limits), at };
    }
    try {
      const now = await changeCounters(this.#store, name, (before) => uncountRequest(before, at));
      this.#seen.set(name, now.counters);
      return { usage: describeUsage(now.counters, limits), at: now.at };
    } catch (error) {
      this.#noteAway(error);
      return undefined;
    }
  }

  /** Adds the counts in memory to the store, if it responds. */
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
      this.#statements++;
      void this.#serve().finally(() => {
        this.#statements--;
        this.#schedule();
      });
    });
  }

  /** Serves one waiting request of each name. */
  async #serve(): Promise<void> {
    const round: [name: string, first: Waiting][] = [];
    for (const [name, queue] of this.#waiting) {
      if (round.length === MAX_REQUESTS) break;
      round.push([name, queue.shift() as Waiting]);
      if (queue.length === 0) this.#waiting.delete(name);
    }
    const { fast } = this.#store;
    const at = this.#store.now();
    try {
      const counted = round.flatMap(([name, { limits }]) => (limits ? { name, limits } : []));
      const none = new Map<string, Counters>();
      const admitted = counted.length > 0 ? await countRequests(fast, counted, at) : none;
      const others = round.flatMap(([name]) => (admitted.has(name) ? [] : name));
      const read = others.length > 0 ? await readCounters(fast, others, at) : none;
      for (const [name, { limits, resolve }] of round) {
        const counters = admitted.get(name) ?? read.get(name) ?? UNUSED;
        this.#seen.set(name, counters);
        resolve({ counters, at, admitted: admitted.has(name) });
        if (admitted.has(name)) continue;
        // What only reads is answered together; if a limit is reached, so is all that waits.
        const queue = this.#take(name);
        const left = limits ? [] : queue.filter((each) => each.limits);
        for (const each of queue) if (!left.includes(each)) each.resolve({ counters, at, admitted: false });
        if (left.length > 0) this.#waiting.set(name, left);
      }
    } catch (error) {
      const isAway = this.#noteAway(error);
      for (const [name, first] of round)
        for (const { limits, resolve, reject } of [first, ...this.#take(name)])
          if (isAway) resolve(this.#askAlone(name, limits));
          else reject(error);
    }
  }

  #take(name: string): Waiting[] {
    const queue = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    return queue;
  }

  #askAlone(name: string, limits: Limits | undefined): Admission {
    const at = this.#store.now();
    const before = this.#countersAlone(name, at);
    if (limits === undefined || isSpent(before, limits)) return { counters: before, at, admitted: false };
    this.#alone.set(name, [...(this.#alone.get(name) ?? []), at]);
    return { counters: addRequest(before, at), at, admitted: true };
  }

  /** The counters of a name, as far as this process knows. */
  #countersAlone(name: string, at: number): Counters {
    return withTimes(this.#seen.get(name) ?? UNUSED, this.#alone.get(name) ?? [], at);
  }

  /** Records a failure of the store. @returns false if the error is a different one */
  #noteAway(error: unknown): boolean {
    if (!(error instanceof StoreError)) return false;
    if (this.#isAway) return true;
    this.#isAway = true;
    const message = 'quotas are counted in memory, because the store does not respond';
    this.#log?.error(message, { error: error.message });
    this.#tryLater();
    return true;
  }

  #tryLater(): void {
    this.#retry = setTimeout(() => {
      this.#adding = this.#add();
    }, RETRY_MS);
    this.#retry.unref();
  }

  /** Adds the counts in memory to the store, and stops counting in memory when all of them are there. */
  async #add(): Promise<void> {
    try {
      // Fails if the store cannot be written.
      await this.#store.fast.run("UPDATE quota SET used = used WHERE name = ''");
      this.#isAway = false;
      for (const [name, added] of this.#alone) {
        const { counters } = await changeCounters(this.#store, name, (before) =>
          withTimes(before, added, this.#store.now()),
        );
        this.#seen.set(name, counters);
        // Meanwhile, further requests may have been admitted or reversed.
        const left = [...(this.#alone.get(name) ?? [])];
        for (const time of added) if (left.includes(time)) left.splice(left.indexOf(time), 1);
        if (left.length > 0) this.#alone.set(name, left);
        else this.#alone.delete(name);
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
  let [policy, state] = ['', ''];
  for (const { limited, usage, at } of all.toReversed())
    for (const name of POLICIES) {
      const { remaining, resetsAt } = usage[name];
      const comma = policy === '' ? '' : ', ';
      const seconds = resetsAt === null ? WINDOWS[name][0] : secondsUntil(resetsAt, at);
      policy += `${comma}"${nameIn(limited, name)}";q=${limited.limits[name]};w=${WINDOWS[name][0]}`;
      state += `${comma}"${nameIn(limited, name)}";r=${remaining};t=${seconds}`;
    }
  return { 'RateLimit-Policy': policy, RateLimit: state };
}

/** The 429 for an account or key that has reached a limit. */
function quotaExceeded(used: Used): HttpProblem {
  const { limited, usage, at } = used;
  const violated = POLICIES.filter((name) => usage[name].remaining === 0);
  const seconds = retryAfter(usage, at);
  const spent = violated
    .map((name) => `${limited.limits[name]} requests in ${WINDOWS[name][1]}`)
    .join(' and ');
  return new HttpProblem(
    'quota-exceeded',
    `this ${limited.of} has used its ${spent}; its next request is admitted in ${seconds} s`,
    { 'violated-policies': violated.map((name) => nameIn(limited, name)) },
    { ...describeQuota([used]), 'Retry-After': seconds },
  );
}

/** Returns in how many seconds the next request is admitted. */
function retryAfter(usage: Usage, now: number): number {
  const spent = POLICIES.filter((name) => usage[name].remaining === 0);
  return Math.max(1, ...spent.map((name) => secondsUntil(usage[name].resetsAt ?? now + MINUTE_MS, now)));
}

function secondsUntil(time: number, now: number): number {
  return Math.max(0, Math.ceil((time - now) / 1000));
}

interface AccountUse {
  /** The purpose, for `counterNameFor`. */
  what: string;
  account: Account;
  limits: Limits;
}

/** Counts one use, such as a form that an account sends, against its own limits. */
export async function countUse(store: Store, { what, account, limits }: AccountUse): Promise<UseOutcome> {
  const name = counterNameFor(what, account);
  const { admitted, at, counters } = await countAlone(store.fast, { name, limits });
  if (!admitted) return { isAllowed: false, seconds: retryAfter(describeUsage(counters, limits), at) };
  const takeBack = async () => {
    await changeCounters(store, name, (before) => uncountRequest(before, at));
  };
  return { isAllowed: true, takeBack };
}
