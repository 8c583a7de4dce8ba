import type { IncomingMessage } from 'node:http';
import type { ClientAddress } from '../http/incoming.ts';
import { HttpProblem } from '../http/problem.ts';
import { type CounterName, counterNameOf, type Key, TIERS } from './account.ts';
import { describeUsage, type Limits, MINUTE_MS, type Usage } from './counters.ts';
import type { Admission, Reading } from '../store/store.ts';
import { PLACES } from '../key-terms/key-places.ts';
import type { Caller, Meter } from './ports.ts';

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
export type SingleCharge = Charge & { usage: Usage };

/**
 * Charges a request to its account, and to its key if the key has caps too.
 *
 * @returns undefined when neither has caps
 * @throws HttpProblem `quota-exceeded` when a cap of either is reached; then the request counts for neither
 */
export function chargeCaller(meter: Meter, caller: Caller, kind: ChargeKind): Promise<Charge> | undefined {
  const { limits } = TIERS[caller.tier];
  if (caller.key.browser?.limits !== undefined) return chargeKey(meter, caller, kind);
  return limits === null ? undefined : chargeRequest(meter, counterNameOf(caller.account), limits, kind);
}

async function chargeKey(meter: Meter, caller: Caller, kind: ChargeKind): Promise<Charge> {
  return await PLACES.charge(meter, caller, kind);
}

/**
 * Charges a request to an account or a key.
 *
 * @throws HttpProblem `quota-exceeded` when a cap is reached
 */
export function chargeRequest(
  meter: Meter,
  name: CounterName,
  limits: Limits,
  kind: ChargeKind,
  counted: Counted = 'account',
): Promise<SingleCharge> {
  const isCounted = kind === 'counted';
  const asked: Promise<Reading & Partial<Admission>> = isCounted
    ? meter.count(name, limits)
    : meter.read(name);
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
        const now = await meter.uncount(name, reading);
        Object.assign(headers, describeQuota(limits, describeUsage(now.counters, limits), now.at, counted));
      },
    };
  });
}

/** Checks from where a key may be used, and charges those that have caps of their own. */
export interface KeyPlaces {
  /** @throws HttpProblem `network-not-allowed`, `origin-not-allowed` */
  check(key: Key, request: IncomingMessage, clientAddress: ClientAddress): void;
  /** Charges a request to a key, and to its account if that has caps too. @throws HttpProblem `quota-exceeded`; then it counts for neither */
  charge(meter: Meter, caller: Caller, kind: ChargeKind): Promise<Charge>;
}
