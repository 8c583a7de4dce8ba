import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { refreshTier } from '../accounts/accounts.ts';
import {
  applyEvent,
  isWorthKeeping,
  type MembershipEvent,
  membershipId,
  newMembership,
  proUntil,
} from '../accounts/membership.ts';
import { MEMBERSHIPS, putMembership } from '../accounts/memberships.ts';
import { findOwner } from './owner.ts';

/** What events made of a membership. */
export interface Outcome {
  /** Until when it was Pro, ISO 8601 UTC; null where it was not. */
  before: string | null;
  after: string | null;
  /** Whether it belongs to an account; otherwise it waits for one of its address. */
  hasAccount: boolean;
}

/**
 * Applies events of one member of a platform, and gives what follows from them to the account that the membership belongs to.
 *
 * @param commit false tells only what they would make of it
 */
export async function applyEvents(
  store: Store,
  platform: string,
  events: readonly [MembershipEvent, ...MembershipEvent[]],
  commit = true,
): Promise<Outcome> {
  const [{ member }] = events;
  return await transact(store, async (transaction) => {
    const known = await transaction.get(MEMBERSHIPS, membershipId({ platform, member }));
    const before = known ?? newMembership(platform, member);
    const after = events.reduce(applyEvent, before);
    const owner = await findOwner(transaction, after);
    if (commit && after !== before && (known || isWorthKeeping(after))) {
      const owners = [await findOwner(transaction, before), owner];
      await putMembership(transaction, after);
      for (const account of owners) if (account) await refreshTier(transaction, account);
    }
    return { before: proUntil(before), after: proUntil(after), hasAccount: owner !== undefined };
  });
}
