import { HttpProblem } from '../http/problem.ts';
import { type Limits, MINUTE_MS, type Usage } from '../plans/counters.ts';

/** What is counted: the requests of an account with all of its keys, or those of one key. */
export type Counted = 'account' | 'key';

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
export function describeQuota(
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
export function quotaExceeded(
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
