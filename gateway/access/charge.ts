import { HttpProblem } from '../http/problem.ts';
import { type CounterName, counterNameOf, counterNameOfKey, TIERS } from './account.ts';
import { describeUsage, type Limits, MINUTE_MS, type Usage } from './counters.ts';
import type { Admission, Reading } from '../store/quota.ts';
import type { Caller } from './ports.ts';
import type { Quota } from './quota.ts';

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

/** Charges a browser key with caps of its own, and its account if that has caps too. */
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
