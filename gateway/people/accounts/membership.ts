import type { Grant } from '../../plans/account.ts';

/**
 * What a charge says of a member, the weakest first: of several payloads about one charge, in whatever order they come, the strongest
 * holds. `undecided` was not paid, or not yet; `unentitled` paid for something else; `active` paid for Pro; `cancelled` will not be
 * charged again; `revoked` got the money back.
 */
export const STANDINGS = ['undecided', 'unentitled', 'active', 'cancelled', 'revoked'] as const;
export type Standing = (typeof STANDINGS)[number];

/** What a platform tells of one of its members. */
export interface MembershipEvent {
  /** What the platform calls it. */
  name: string;
  /** Tells it from all others: what was applied before changes nothing. */
  id: string;
  /** The platform's id of the member. */
  member: string;
  /** As `readEmail` gives it. */
  email?: string;
  /** When the member was charged last, ISO 8601 UTC; null where that never was. Events are in the order of these. */
  charged_at: string | null;
  standing: Standing;
  /** The end of what was paid for, ISO 8601 UTC. */
  paid_until?: string;
  /** Until when the next charge is waited for, ISO 8601 UTC. */
  grace_until?: string;
}

/** A member of a platform, as the store keeps it. Times are ISO 8601 UTC. */
export interface Membership {
  platform: string;
  member: string;
  /** As the platform tells it; it belongs to the account of this address, unless another one claimed it. */
  email: string | null;
  /** The id of the account that claimed it. */
  account: string | null;
  charged_at: string | null;
  standing: Standing;
  /** The charge that the two ends below are of. */
  paid_at: string | null;
  paid_until: string | null;
  grace_until: string | null;
  /** The ids of the events that were applied last. */
  seen: string[];
}

/** More than a platform sends of one member in years of one event a month. */
const MOST_SEEN = 60;

/** Names a membership among those of all platforms. */
export function membershipId({ platform, member }: Pick<Membership, 'platform' | 'member'>): string {
  return `${platform}:${member}`;
}

/** A member of whom nothing is known yet. */
export function newMembership(platform: string, member: string): Membership {
  return {
    platform,
    member,
    email: null,
    account: null,
    charged_at: null,
    standing: 'undecided',
    paid_at: null,
    paid_until: null,
    grace_until: null,
    seen: [],
  };
}

/**
 * What an event makes of a membership. Platforms send no sequence numbers, and send again what was not taken: so an event is taken for the state
 * that it tells of, as of the last charge. One about an older charge than was seen changes nothing. One about a newer charge replaces
 * the state; where it was not paid, or not yet, what was paid for before goes on. Of several about one charge the strongest standing and the
 * latest end hold.
 *
 * @returns the very same membership where nothing changes
 */
export function applyEvent(before: Membership, event: MembershipEvent): Membership {
  const age = compare(event.charged_at, before.charged_at);
  if (age < 0 || before.seen.includes(event.id)) return before;
  const standing = age > 0 ? event.standing : strongest(before.standing, event.standing);
  return {
    ...before,
    ...(standing === 'revoked' ? NO_ENDS : endsOf(before, event)),
    email: event.email ?? before.email,
    charged_at: event.charged_at,
    standing,
    seen: [...before.seen, event.id].slice(-MOST_SEEN),
  };
}

/** Whether there is anything to remember of a membership: of free members of a platform, who never were charged, there is not. */
export function isWorthKeeping({ charged_at, paid_until }: Membership): boolean {
  return charged_at !== null || paid_until !== null;
}

/** Until when a membership is Pro, ISO 8601 UTC; null where it never was, or was revoked. */
export function proUntil({ standing, paid_until, grace_until }: Membership): string | null {
  return standing === 'undecided' || standing === 'active' ? (grace_until ?? paid_until) : paid_until;
}

/** What a membership gives the account that it belongs to. */
export function grantOf(membership: Membership): Grant {
  const pro_until = proUntil(membership);
  return { tier: pro_until === null ? 'free' : 'pro', pro_until };
}

type Ends = Pick<Membership, 'paid_at' | 'paid_until' | 'grace_until'>;

const NO_ENDS: Ends = { paid_at: null, paid_until: null, grace_until: null };

function endsOf({ paid_at, paid_until, grace_until }: Membership, event: MembershipEvent): Ends {
  if (event.paid_until === undefined) return { paid_at, paid_until, grace_until };
  const told = {
    paid_at: event.charged_at,
    paid_until: event.paid_until,
    grace_until: event.grace_until ?? null,
  };
  if (paid_at !== event.charged_at) return told;
  return {
    paid_at,
    paid_until: latest(paid_until, told.paid_until),
    grace_until: latest(grace_until, told.grace_until),
  };
}

function strongest(a: Standing, b: Standing): Standing {
  return STANDINGS.indexOf(a) > STANDINGS.indexOf(b) ? a : b;
}

function latest(a: string | null, b: string | null): string | null {
  return compare(a, b) > 0 ? a : b;
}

/** Times in ISO 8601 UTC with years of four digits are in the order of their texts; none comes before all. */
function compare(a: string | null, b: string | null): number {
  const [one, other] = [a ?? '', b ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
}
