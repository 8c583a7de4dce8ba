import { type Account, counterNameFor } from '../access/account.ts';
import { describeUsage, type Limits } from '../access/counters.ts';
import type { Store } from '../store/store.ts';
import type { UseOutcome } from './allowances.ts';
import { retryAfter } from '../access/charge.ts';

/** What an account uses, with its own limits. */
export interface AccountUse {
  /** What is used. */
  what: string;
  account: Account;
  limits: Limits;
}

/**
 * Counts one use, such as a form that an account sends.
 *
 * @returns also when it was counted, ms since 1970 by the clock of the store
 */
export async function countUse(
  store: Store,
  { what, account, limits }: AccountUse,
): Promise<UseOutcome & { at: number }> {
  const name = counterNameFor(what, account);
  const { admitted, at, counters } = await store.countRequest(name, limits);
  if (!admitted) return { isAllowed: false, at, seconds: retryAfter(describeUsage(counters, limits), at) };
  const takeBack = async () => {
    await store.uncountRequest(name, at);
  };
  return { isAllowed: true, at, takeBack };
}
