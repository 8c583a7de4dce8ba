import type { DistFollower } from '../../catalog/follow-dist.ts';
import { type Key, type Tier, tierAt } from '../../plans/account.ts';
import { describeUsage, type Usage } from '../../plans/counters.ts';
import { TIERS } from '../../plans/tiers.ts';
import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { liveKeysOf } from '../accounts/keys.ts';
import type { Session } from '../accounts/session.ts';
import { type Attempt, listAttempts } from '../alerts/attempts.ts';
import { findSubscription, type Subscription } from '../alerts/subscription.ts';
import type { RankedRequest } from '../game-requests/game-request.ts';
import { listRequests } from '../game-requests/requests.ts';

/** A game that can be followed. */
export interface FollowableGame {
  slug: string;
  title: string;
}

/** All that the account page tells. */
export interface AccountState {
  session: Session;
  tier: Tier;
  /** Those that work, the oldest first. */
  keys: Key[];
  /** undefined where there are no caps. */
  usage: Usage | undefined;
  /** All of them, in the order in which they are looked at. */
  requests: RankedRequest[];
  subscription: Subscription;
  /** The last attempts to send events, the newest first. */
  attempts: Attempt[];
  /** Those that Pro sees. */
  games: FollowableGame[];
  /** Whether memberships of other addresses can be claimed. */
  hasClaims: boolean;
}

/** What it is read from. */
export interface StateSources {
  store: Store;
  follower: DistFollower;
  hasClaims: boolean;
}

/** @param now ms since 1970 */
export async function readAccountState(
  session: Session,
  { store, follower, hasClaims }: StateSources,
  now: number,
): Promise<AccountState> {
  const { account } = session;
  const tier = tierAt(account, now);
  const { limits } = TIERS[tier];
  return {
    session,
    tier,
    keys: await transact(store, (transaction) => liveKeysOf(transaction, account, now)),
    usage: limits ? describeUsage((await store.readCounters(account.id)).counters, limits) : undefined,
    requests: await listRequests(store, now),
    subscription: await findSubscription(store, account.id),
    attempts: await listAttempts(store, account.id),
    games: listGames(follower, now),
    hasClaims,
  };
}

/** The games that can be followed. @param now ms since 1970 */
export function listGames({ catalog }: DistFollower, now: number): FollowableGame[] {
  return [...catalog.viewAt(now, 'pro').games.values()].map(({ slug, title }) => ({ slug, title }));
}
