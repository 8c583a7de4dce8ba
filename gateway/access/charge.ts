import { describeUsage, type Limits, type Usage } from '../plans/counters.ts';
import type { Admission, Reading } from '../store/store.ts';
import type { Meter } from './meter.ts';
import { describeQuota, quotaExceeded } from './quota-headers.ts';

/**
 * What a request is to its account: one that counts, one that finds its answer unchanged and is refused but never counted, or one
 * that is always answered.
 */
export type ChargeKind = 'counted' | 'unchanged' | 'free';

/** A request that was charged to its account. */
export interface Charge {
  usage: Usage;
  /** The header fields that tell what is left. */
  headers: Record<string, string>;
  /** Takes it back, where it was counted, also in the headers. */
  undo(): Promise<void>;
}

/**
 * Charges a request to an account.
 *
 * @param account its id
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
