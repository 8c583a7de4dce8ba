import { describeUsage, type Limits, type Usage } from './counters.ts';
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
export async function chargeRequest(
  meter: Meter,
  account: string,
  limits: Limits,
  kind: ChargeKind,
): Promise<Charge> {
  const counted = kind === 'counted' ? await meter.count(account, limits) : undefined;
  const reading = counted ?? (await meter.read(account));
  const usage = describeUsage(reading.counters, limits);
  const headers = describeQuota(limits, usage, reading.at);
  const isSpent = counted ? !counted.admitted : usage.minute.remaining === 0 || usage.day.remaining === 0;
  if (isSpent && kind !== 'free') throw quotaExceeded(limits, usage, reading.at, headers);
  return {
    usage,
    headers,
    async undo() {
      if (!counted) return;
      const { counters, at } = await meter.uncount(account, counted);
      Object.assign(headers, describeQuota(limits, describeUsage(counters, limits), at));
    },
  };
}
