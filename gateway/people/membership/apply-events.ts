import type { Store } from '../../store/sql.ts';
import { transact } from '../../store/records.ts';
import { refreshTier } from '../../store/accounts.ts';
import {
  applyEvent,
  isWorthKeeping,
  type MembershipEvent,
  membershipId,
  newMembership,
  proUntil,
} from './membership.ts';
import { findMembership, putMembership } from './memberships.ts';
import type { Actor } from '../../store/audit.ts';
import { findOwner } from './owner.ts';

/** The effect of events on a membership. */
export interface Outcome {
  /** Until when the membership was Pro before the events, ISO 8601 UTC; null if it was not. */
  before: string | null;
  /** The same after the events. */
  after: string | null;
  /** Whether the membership belongs to an account. Otherwise it waits for an account with its email address. */
  hasAccount: boolean;
}

/** How events are applied. */
export interface ApplyOptions {
  commit?: boolean;
  /** For the log of the account. */
  actor: Actor;
  /** ms since 1970. */
  now: number;
}

/**
 * Applies the events of one member of a platform, and updates the tier of the account that the membership belongs to.
 *
 * @param options.commit false to only report what would change
 */
export async function applyEvents(
  store: Store,
  platform: string,
  events: readonly [MembershipEvent, ...MembershipEvent[]],
  { commit = true, actor }: ApplyOptions,
): Promise<Outcome> {
  const [{ member }] = events;
  return await transact(store, async (transaction) => {
    const membership = await findMembership(transaction, membershipId({ platform, member }));
    const before = membership ?? newMembership(platform, member);
    const after = events.reduce(applyEvent, before);
    const owner = await findOwner(transaction, after);
    if (commit && after !== before && (membership || isWorthKeeping(after))) {
      const owners = [await findOwner(transaction, before), owner];
      await putMembership(transaction, after);
      const cause = { event: 'membership.changed', actor };
      for (const account of owners) if (account) await refreshTier(transaction, account.id, cause);
    }
    return { before: proUntil(before), after: proUntil(after), hasAccount: owner !== undefined };
  });
}
