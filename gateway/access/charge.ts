import { HttpProblem } from '../http/problem.ts';
import type { Admission, Reading } from '../store/quota.ts';
import { type Caller, type CounterName, counterNameOf, counterNameOfKey, TIERS } from './account.ts';
import type { Quota } from './quota.ts';

/** A tier's caps on the requests of one account. */
export interface Limits {
  /** Requests in any 60 seconds. */
  minute: number;
  /** Requests in a UTC day. */
  day: number;
}

/** The requests of one account that count against its caps, as a store holds them. */
export interface Counters {
  /** When the requests of the last 60 seconds were admitted, ms since 1970, ascending. */
  times: readonly number[];
  /** The UTC day that `count` belongs to, in days since 1970. */
  day: number;
  /** How many requests were admitted on that day. */
  count: number;
}

/** How much of one cap is used. */
export interface WindowUsage {
  used: number;
  remaining: number;
  /** When `remaining` next grows, ms since 1970; null while nothing is used. */
  resetsAt: number | null;
}

/** How much of each cap is used. */
export type Usage = Record<keyof Limits, WindowUsage>;

/** The length of the sliding window. A request leaves it exactly this long after it was admitted. */
export const MINUTE_MS = 60_000;
/** The length of a UTC day. */
const DAY_MS = 86_400_000;

/** Returns the UTC day of a time (ms since 1970), in days since 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** The counters of an account that has used nothing. */
export const UNUSED: Counters = { times: [], day: 0, count: 0 };

/**
 * Returns the counters at a time, without the requests that have left their window. After a clock was set back, requests that seem to be in
 * the future count as admitted now: no client waits longer than a window. If it was set back over midnight, the day goes on: no account gets
 * it twice.
 *
 * @param now ms since 1970
 */
export function countersAt(counters: Counters, now: number): Counters {
  const { times, day, count } = counters;
  const today = dayOf(now);
  const begun = day === today + 1 && count > 0 ? day : today;
  let gone = 0;
  while (now - (times[gone] ?? now) >= MINUTE_MS) gone++;
  const isSetBack = (times.at(-1) ?? now) > now;
  if (gone === 0 && day === begun && !isSetBack) return counters;
  const recent = gone === 0 ? times : times.slice(gone);
  return {
    times: isSetBack ? recent.map((time) => Math.min(time, now)) : recent,
    day: begun,
    count: day < today ? 0 : count,
  };
}

/**
 * Whether a cap is reached.
 *
 * @param counters from `countersAt`
 */
export function isSpent({ times, count }: Counters, limits: Limits): boolean {
  return times.length >= limits.minute || count >= limits.day;
}

/**
 * Counts one request, whatever the caps.
 *
 * @param counters from `countersAt` for the same time
 */
export function addRequest({ times, day, count }: Counters, now: number): Counters {
  return { times: [...times, now], day, count: count + 1 };
}

/**
 * Removes one request that was counted at most a minute ago.
 *
 * @param counters from `countersAt` for now
 * @param at when it was admitted, ms since 1970
 */
export function uncountRequest(counters: Counters, at: number): Counters {
  const { times, day, count } = counters;
  const index = times.indexOf(at);
  if (index === -1) return counters;
  const isToday = dayOf(at) === day;
  return { times: times.toSpliced(index, 1), day, count: isToday ? count - 1 : count };
}

/**
 * Counts requests that were admitted elsewhere, whatever the caps. They count on their day only if it is that of the counters.
 *
 * @param counters from `countersAt` for now
 * @param others counters of these requests alone
 * @param now ms since 1970
 */
export function mergeCounters(counters: Counters, others: Counters, now: number): Counters {
  const all = [...counters.times, ...countersAt(others, now).times];
  return {
    times: all.sort((a, b) => a - b),
    day: counters.day,
    count: counters.count + (others.day === counters.day ? others.count : 0),
  };
}

/** @param counters from `countersAt` for the same time */
export function describeUsage({ times, day, count }: Counters, limits: Limits): Usage {
  // After a cap was lowered there can be more requests than it allows: the later ones must leave as well.
  const first = times[Math.max(0, times.length - limits.minute)];
  return {
    minute: {
      used: times.length,
      remaining: Math.max(0, limits.minute - times.length),
      resetsAt: first === undefined ? null : first + MINUTE_MS,
    },
    day: {
      used: count,
      remaining: Math.max(0, limits.day - count),
      resetsAt: count === 0 ? null : (day + 1) * DAY_MS,
    },
  };
}

/** Counts requests against caps. */
export type Counting = Pick<Quota, 'count' | 'read' | 'uncount'>;

/** What is counted: the requests of an account with all of its keys, or those of one key. */
type Counted = 'account' | 'key';

/** How the names of policies begin. */
const BEGINNINGS: Record<Counted, string> = { account: '', key: 'key-' };

/** The length of each window, in seconds. */
const SECONDS = { minute: 60, day: 86_400 } as const satisfies Record<keyof Limits, number>;
const POLICIES = Object.keys(SECONDS) as (keyof Limits)[];

/**
 * Returns the header fields with the caller's caps and what is left of them, as the IETF draft *RateLimit header fields for HTTP*
 * describes (structured fields): `r` is what is left, `t` in how many seconds it next grows.
 *
 * @param now ms since 1970
 */
function describeQuota(
  limits: Limits,
  usage: Usage,
  now: number,
  counted: Counted = 'account',
): Record<string, string> {
  const begin = BEGINNINGS[counted];
  const state = POLICIES.map((name) => describeWindow(begin, name, usage, now));
  return { 'RateLimit-Policy': describePolicy(begin, limits), RateLimit: state.join(', ') };
}

function describeWindow(begin: string, name: keyof Limits, usage: Usage, now: number): string {
  const { remaining, resetsAt } = usage[name];
  return `"${begin}${name}";r=${remaining};t=${resetsAt === null ? SECONDS[name] : secondsUntil(resetsAt, now)}`;
}

const policies = new WeakMap<Limits, string>();

function describePolicy(begin: string, limits: Limits): string {
  let policy = policies.get(limits);
  if (policy === undefined) {
    policy = POLICIES.map((name) => `"${begin}${name}";q=${limits[name]};w=${SECONDS[name]}`).join(', ');
    policies.set(limits, policy);
  }
  return policy;
}

/**
 * Returns the 429 for an account or a key that has reached a cap.
 *
 * @param headers from `describeQuota`
 */
function quotaExceeded(
  limits: Limits,
  usage: Usage,
  now: number,
  headers: Record<string, string>,
  counted: Counted = 'account',
): HttpProblem {
  const violated = violatedPolicies(usage);
  const seconds = retryAfter(usage, now);
  const caps = violated.map((name) => `${limits[name]} requests in ${WINDOWS[name]}`).join(' and ');
  return new HttpProblem(
    'quota-exceeded',
    `this ${counted} has used its ${caps}; its next request is admitted in ${seconds} s`,
    { 'violated-policies': violated.map((name) => BEGINNINGS[counted] + name) },
    { ...headers, 'Retry-After': seconds },
  );
}

/** In how many seconds the next request is admitted. */
export function retryAfter(usage: Usage, now: number): number {
  const ends = violatedPolicies(usage).map((name) => usage[name].resetsAt ?? now + MINUTE_MS);
  return Math.max(1, ...ends.map((end) => secondsUntil(end, now)));
}

function violatedPolicies(usage: Usage): (keyof Limits)[] {
  return POLICIES.filter((name) => usage[name].remaining === 0);
}

const WINDOWS: Record<keyof Limits, string> = { minute: '60 seconds', day: 'a UTC day' };

function secondsUntil(time: number, now: number): number {
  return Math.max(0, Math.ceil((time - now) / 1000));
}

/**
 * How a request is charged. `counted`: it counts, and is refused when a cap is reached. `unchanged`: its response is a 304, so it does
 * not count, but is refused when a cap is reached. `free`: it neither counts nor is refused.
 */
export type ChargeKind = 'counted' | 'unchanged' | 'free';

/** The result of charging a request to its account. */
export interface Charge {
  /** What the account has used; absent if it has no caps. */
  usage?: Usage | undefined;
  /** What the key has used; absent if only its account has caps. */
  keyUsage?: Usage;
  /** The quota header fields of the response. */
  headers: Record<string, string>;
  /** Takes the charge back, also in `headers`. */
  undo(): Promise<void>;
}

/** The charge of one thing with caps. */
type SingleCharge = Charge & { usage: Usage };

/**
 * Charges a request to its account, and to its key if the key has caps too.
 *
 * @returns undefined when neither has caps
 * @throws HttpProblem `quota-exceeded` when a cap of either is reached; then the request counts for neither
 */
export function chargeCaller(quota: Counting, caller: Caller, kind: ChargeKind): Promise<Charge> | undefined {
  const { limits } = TIERS[caller.tier];
  const keyLimits = caller.key.browser?.limits;
  if (keyLimits !== undefined) return chargeKey(quota, caller, keyLimits, kind);
  return limits === null ? undefined : chargeRequest(quota, counterNameOf(caller.account), limits, kind);
}

/** Counts a request of a browser key: for the key, which has its own caps, and for its account, if that has caps. */
async function chargeKey(
  quota: Counting,
  { tier, account, key }: Caller,
  keyLimits: Limits,
  kind: ChargeKind,
): Promise<Charge> {
  const keyCharge = await chargeRequest(quota, counterNameOfKey(key), keyLimits, kind, 'key');
  const { usage: keyUsage, headers } = keyCharge;
  const { limits } = TIERS[tier];
  if (limits === null) return { keyUsage, headers, undo: keyCharge.undo };
  const shared = await chargeRequest(quota, counterNameOf(account), limits, kind).catch(async (error) => {
    await keyCharge.undo();
    throw error;
  });
  const joined = join(shared.headers, headers);
  return {
    usage: shared.usage,
    keyUsage,
    headers: joined,
    async undo() {
      await Promise.all([shared.undo(), keyCharge.undo()]);
      Object.assign(joined, join(shared.headers, headers));
    },
  };
}

/** Joins quota header fields, which are lists. */
function join(one: Record<string, string>, other: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, `${value}, ${other[name]}`]));
}

/**
 * Charges a request to an account or a key.
 *
 * @throws HttpProblem `quota-exceeded` when a cap is reached
 */
function chargeRequest(
  quota: Counting,
  name: CounterName,
  limits: Limits,
  kind: ChargeKind,
  counted: Counted = 'account',
): Promise<SingleCharge> {
  const isCounted = kind === 'counted';
  const asked: Promise<Reading & Partial<Admission>> = isCounted
    ? quota.count(name, limits)
    : quota.read(name);
  return asked.then((reading) => {
    const { counters, at, admitted } = reading;
    const usage = describeUsage(counters, limits);
    const headers = describeQuota(limits, usage, at, counted);
    const isSpent = isCounted ? !admitted : usage.minute.remaining === 0 || usage.day.remaining === 0;
    if (isSpent && kind !== 'free') throw quotaExceeded(limits, usage, at, headers, counted);
    return {
      usage,
      headers,
      async undo() {
        if (!isCounted) return;
        const now = await quota.uncount(name, reading);
        Object.assign(headers, describeQuota(limits, describeUsage(now.counters, limits), now.at, counted));
      },
    };
  });
}
