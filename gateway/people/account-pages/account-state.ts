import { type Key, type Tier, tierAt, TIERS } from '../../access/account.ts';
import { describeUsage, type Usage } from '../../access/charge.ts';
import { readCountersOf } from '../../access/quota.ts';
import type { DistFollower } from '../../data/follow-dist.ts';
import { addressesOf, liveKeysOf } from '../../store/keys.ts';
import type { Store } from '../../store/sql.ts';
import { type OpenSession, type Session, sessionsOf } from '../accounts/session.ts';
import { type Attempt, listAttempts } from '../alerts/deliver.ts';
import {
  isSeen,
  readSecrets,
  readSubscription,
  type Subscription,
  type WebhookSecrets,
} from '../alerts/subscription.ts';
import type { AuditEvent } from '../audit/audit-event.ts';
import { readEvents } from '../audit/audit-log.ts';
import { asSeen, type RankedRequest } from '../game-requests/game-request.ts';
import { readRanking } from '../game-requests/requests.ts';

/** A game that can be followed. */
export interface FollowableGame {
  slug: string;
  title: string;
}

/** Where a membership that includes Pro is sold. */
export interface JoinLink {
  /** The platform: `Ko-fi`. */
  name: string;
  /** An https address. */
  address: string;
}

/** Everything that the account page shows. */
export interface AccountState {
  session: Session;
  tier: Tier;
  /** The keys that work, the oldest first. */
  keys: Key[];
  /** The read-only addresses, the oldest first. */
  addresses: Key[];
  /** undefined if the tier has no caps. */
  usage: Usage | undefined;
  /** All game requests, by rank. */
  requests: RankedRequest[];
  subscription: Subscription;
  /** The secrets of the webhook; undefined without one. */
  secrets: WebhookSecrets | undefined;
  /** The last attempts to deliver alerts, the newest first. */
  attempts: Attempt[];
  /** The games that Pro sees. */
  games: FollowableGame[];
  /** Whether memberships under other email addresses can be claimed. */
  hasClaims: boolean;
  /** Where memberships are sold; empty if the operator does not say. */
  joinLinks: readonly JoinLink[];
  /** The open sessions, the newest first. */
  sessions: OpenSession[];
  /** The audit log, the newest first. */
  events: AuditEvent[];
}

/** What the state is read from. */
export interface StateSources {
  store: Store;
  follower: DistFollower;
  hasClaims: boolean;
  joinLinks?: readonly JoinLink[];
}

/** Reads the state of an account. @param now ms since 1970 */
export async function readAccountState(
  session: Session,
  { store, follower, hasClaims, joinLinks = [] }: StateSources,
  now: number,
): Promise<AccountState> {
  const { account } = session;
  const tier = tierAt(account, now);
  const { limits } = TIERS[tier];
  const view = follower.catalog.viewAt(now, tier);
  const subscription = await readSubscription(store, account.id);
  return {
    session,
    tier,
    keys: await liveKeysOf(store, account.id),
    addresses: await addressesOf(store, account.id),
    usage: limits ? describeUsage(await readCountersOf(store, account), limits) : undefined,
    requests: (await readRanking(store, now)).map((ranked) => ({
      ...ranked,
      request: asSeen(ranked.request, view.games),
    })),
    subscription: { ...subscription, follows: subscription.follows.filter((topic) => isSeen(topic, view)) },
    secrets: await readSecrets(store, account.id),
    attempts: await listAttempts(store, account.id),
    games: listGames(follower, now),
    hasClaims,
    joinLinks,
    sessions: await sessionsOf(store, account.id),
    events: await readEvents(store, account.id),
  };
}

/** Lists the games that can be followed. @param now ms since 1970 */
export function listGames({ catalog }: DistFollower, now: number): FollowableGame[] {
  const { games, lost } = catalog.viewAt(now, 'pro');
  return [...games.values(), ...lost.values()].map(({ slug, title }) => ({ slug, title }));
}
