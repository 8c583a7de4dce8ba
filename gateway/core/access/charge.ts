import { type CounterName, counterNameOf, counterNameOfKey } from '../plans/account.ts';
import { describeUsage, type Limits, type Usage } from '../plans/counters.ts';
import { TIERS } from '../plans/tiers.ts';
import type { Admission, Reading } from '../store/store.ts';
import type { Caller } from './authenticate.ts';
import type { Meter } from './meter.ts';
import { type Counted, describeQuota, quotaExceeded } from './quota-headers.ts';

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

/** Something with caps. */
interface Capped {
  name: CounterName;
  limits: Limits;
}

/** The charge of one thing with caps. */
type SingleCharge = Charge & { usage: Usage };

/**
 * Charges a request to its account, and to its key if the key has caps too.
 *
 * @returns undefined when neither has caps
 * @throws HttpProblem `quota-exceeded` when a cap of either is reached; then the request counts for neither
 */
export function chargeCaller(
  meter: Meter,
  { tier, account, key }: Caller,
  kind: ChargeKind,
): Promise<Charge> | undefined {
  const { limits } = TIERS[tier];
  const own = key.browser?.limits;
  if (own === undefined)
    return limits === null ? undefined : chargeRequest(meter, counterNameOf(account), limits, kind);
  const capped = limits === null ? undefined : { name: counterNameOf(account), limits };
  return chargeKey(meter, { name: counterNameOfKey(key), limits: own }, capped, kind);
}

async function chargeKey(
  meter: Meter,
  key: Capped,
  account: Capped | undefined,
  kind: ChargeKind,
): Promise<Charge> {
  const own = await chargeRequest(meter, key.name, key.limits, kind, 'key');
  const { usage: keyUsage, headers } = own;
  if (account === undefined) return { keyUsage, headers, undo: own.undo };
  const shared = await chargeRequest(meter, account.name, account.limits, kind).catch(async (error) => {
    await own.undo();
    throw error;
  });
  const joined = join(shared.headers, headers);
  return {
    usage: shared.usage,
    keyUsage,
    headers: joined,
    async undo() {
      await Promise.all([shared.undo(), own.undo()]);
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
