import { describeUsage, type Limits, type Usage } from '../plans/counters.ts';
import type { Admission, Reading } from '../store/store.ts';
import type { Meter } from './meter.ts';
import { describeQuota, quotaExceeded } from './quota-headers.ts';

/**
 * How a request is charged. `counted`: it counts, and is refused when a cap is reached. `unchanged`: its response is a 304, so it does
 * not count, but is refused when a cap is reached. `free`: it neither counts nor is refused.
 */
export type ChargeKind = 'counted' | 'unchanged' | 'free';

/** The result of charging a request to its account. */
export interface Charge {
  usage: Usage;
  /** The quota header fields of the response. */
  headers: Record<string, string>;
  /** Takes the charge back, also in `headers`. */
  undo(): Promise<void>;
}

/**
 * Charges a request to an account.
 *
 * @param account the name of its counters, as returned by `countersOf`
 * @throws HttpProblem `quota-exceeded` when a cap is reached
 */
export function chargeRequest(
  meter: Meter,
  account: string,
  limits: Limits,
  kind: ChargeKind,
): Promise<Charge> {
  const isCounted = kind === 'counted';
  const asked: Promise<Reading & Partial<Admission>> = isCounted
    ? meter.count(account, limits)
    : meter.read(account);
  return asked.then((reading) => {
    const { counters, at, admitted } = reading;
    const usage = describeUsage(counters, limits);
    const headers = describeQuota(limits, usage, at);
    const isSpent = isCounted ? !admitted : usage.minute.remaining === 0 || usage.day.remaining === 0;
    if (isSpent && kind !== 'free') throw quotaExceeded(limits, usage, at, headers);
    return {
      usage,
      headers,
      async undo() {
        if (!isCounted) return;
        const now = await meter.uncount(account, reading);
        Object.assign(headers, describeQuota(limits, describeUsage(now.counters, limits), now.at));
      },
    };
  });
}
