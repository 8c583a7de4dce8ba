/**
 * What a charge means for a member, the weakest first; of several events about one charge, the strongest counts. `undecided`: not paid, or
 * not yet; `unentitled`: paid for something else than Pro; `active`: paid for Pro; `cancelled`: will not be charged again; `revoked`:
 * refunded.
 */
export const STANDINGS = ['undecided', 'unentitled', 'active', 'cancelled', 'revoked'] as const;
export type Standing = (typeof STANDINGS)[number];

/** A platform's report about one of its members. */
export interface MembershipEvent {
  /** The platform's name for this kind of event. */
  name: string;
  /** Identifies the event: applying the same id again changes nothing. */
  id: string;
  /** The platform's id of the member. */
  member: string;
  /** As returned by `readEmail`. */
  email?: string;
  /** When the member was last charged, ISO 8601 UTC; null when never. Events are ordered by it. */
  charged_at: string | null;
  standing: Standing;
  /** Why the member is not Pro; absent if it is. */
  reason?: string;
  /** When the paid period ends, ISO 8601 UTC. */
  paid_until?: string;
  /** Until when Pro lasts if the next charge is late, ISO 8601 UTC. */
  grace_until?: string;
}

/** A member of a platform, as the store holds it. Times are ISO 8601 UTC. */
export interface Membership {
  platform: string;
  member: string;
  /** As reported by the platform. The membership belongs to the account of this email address unless another one has claimed it. */
  email: string | null;
  /** The id of the account that claimed it. */
  account: string | null;
  charged_at: string | null;
  standing: Standing;
  /** Why the member is not Pro; null if it is, or the platform does not say. */
  reason: string | null;
  /** The time of the charge that `paid_until` and `grace_until` belong to. */
  paid_at: string | null;
  paid_until: string | null;
  grace_until: string | null;
  /** The ids of the last events that were applied. */
  seen: string[];
}

/** How many event ids are remembered; platforms send about one event per member and month. */
const MAX_SEEN = 60;

/** Returns an id that is unique across all platforms. */
export function membershipId({ platform, member }: Pick<Membership, 'platform' | 'member'>): string {
  return `${platform}:${member}`;
}

/** Makes a membership about which nothing is known yet. */
export function newMembership(platform: string, member: string): Membership {
  return {
    platform,
    member,
    email: null,
    account: null,
    charged_at: null,
    standing: 'undecided',
    reason: null,
    paid_at: null,
    paid_until: null,
    grace_until: null,
    seen: [],
  };
}

/**
 * Applies an event to a membership by the rules in README.md.
 *
 * @returns the changed membership, or the same object when nothing changes
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
    reason: standing === event.standing ? (event.reason ?? null) : before.reason,
    seen: [...before.seen, event.id].slice(-MAX_SEEN),
  };
}

/** Returns whether a membership must be stored; members who were never charged and never had a paid period need not be. */
export function isWorthKeeping({ charged_at, paid_until }: Membership): boolean {
  return charged_at !== null || paid_until !== null;
}

/** Returns until when a membership is Pro, ISO 8601 UTC; null when it never was, or was refunded. */
export function proUntil({ standing, paid_until, grace_until }: Membership): string | null {
  return standing === 'undecided' || standing === 'active' ? (grace_until ?? paid_until) : paid_until;
}

type Ends = Pick<Membership, 'paid_at' | 'paid_until' | 'grace_until'>;

const NO_ENDS: Ends = { paid_at: null, paid_until: null, grace_until: null };

function endsOf({ paid_at, paid_until, grace_until }: Membership, event: MembershipEvent): Ends {
  if (event.paid_until === undefined) return { paid_at, paid_until, grace_until };
  const reported = {
    paid_at: event.charged_at,
    paid_until: event.paid_until,
    grace_until: event.grace_until ?? null,
  };
  if (paid_at !== event.charged_at) return reported;
  return {
    paid_at,
    paid_until: latest(paid_until, reported.paid_until),
    grace_until: latest(grace_until, reported.grace_until),
  };
}

function strongest(a: Standing, b: Standing): Standing {
  return STANDINGS.indexOf(a) > STANDINGS.indexOf(b) ? a : b;
}

function latest(a: string | null, b: string | null): string | null {
  return compare(a, b) > 0 ? a : b;
}

/** Compares ISO 8601 UTC times as texts, which is correct for years of four digits; null comes first. */
function compare(a: string | null, b: string | null): number {
  const [one, other] = [a ?? '', b ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Describes a membership. */
export function describeMembership(membership: Membership) {
  const { email, account, standing, charged_at, reason } = membership;
  const member = membershipId(membership);
  return {
    member,
    email,
    standing,
    charged_at,
    pro_until: proUntil(membership),
    claimed: account !== null,
    reason,
  };
}
