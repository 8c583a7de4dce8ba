// Memberships that platforms report: what their events mean, and the rows that hold them.
import type { Account } from '../../access/account.ts';
import { accountById, findAccount, refreshTier, toIsoOrNull } from '../../store/accounts.ts';
import type { Actor } from '../../store/audit.ts';
import type { Sql, Store } from '../../store/sql.ts';

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
function membershipId({ platform, member }: Pick<Membership, 'platform' | 'member'>): string {
  return `${platform}:${member}`;
}

/** Makes a membership about which nothing is known yet. */
export function newMembership(platform: string, member: string): Membership {
  const unknown = { email: null, account: null, reason: null, charged_at: null };
  return { platform, member, ...unknown, standing: 'undecided', ...NO_ENDS, seen: [] };
}

/**
 * Applies an event to a membership. Events about an older charge change nothing; of events about one charge, the strongest standing counts.
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

/** Whether a membership must be stored; members who were never charged and never had a paid period need not be. */
function isWorthKeeping({ charged_at, paid_until }: Membership): boolean {
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

/** Describes a membership for lists. */
export function describeMembership(membership: Membership) {
  const { email, account, standing, charged_at, reason } = membership;
  const times = { charged_at, pro_until: proUntil(membership) };
  return { member: membershipId(membership), email, standing, ...times, claimed: account !== null, reason };
}

const TIMES = ['charged_at', 'paid_at', 'paid_until', 'grace_until'] as const;
type Times = (typeof TIMES)[number];

interface MembershipRow extends Omit<Membership, Times | 'seen'>, Record<Times, number | null> {
  seen: string;
}

const COLUMNS = ['platform', 'member', 'email', 'account', 'standing', 'reason', ...TIMES, 'seen'] as const;
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM memberships`;

async function select(sql: Sql, where = '', values: string[] = []): Promise<Membership[]> {
  const rows = await sql.all<MembershipRow>(`${SELECT} ${where} ORDER BY platform, member`, values);
  return rows.map((row) => {
    const times = TIMES.map((name) => [name, toIsoOrNull(row[name])]);
    return {
      ...row,
      ...(Object.fromEntries(times) as Pick<Membership, Times>),
      seen: JSON.parse(row.seen) as string[],
    };
  });
}

/** Lists all memberships, in the order of their ids. */
export async function listMemberships(sql: Sql): Promise<Membership[]> {
  return await select(sql);
}

/** Finds a membership by its id, `<platform>:<member>`. */
export async function findMembership(sql: Sql, id: string): Promise<Membership | undefined> {
  const at = id.indexOf(':');
  return (await select(sql, 'WHERE platform = $1 AND member = $2', [id.slice(0, at), id.slice(at + 1)]))[0];
}

/** Returns the memberships of an account: those that it claimed, and those of its email address that nobody claimed. */
export async function membershipsOf(
  sql: Sql,
  { id, email }: Pick<Account, 'id' | 'email'>,
): Promise<Membership[]> {
  return await select(sql, 'WHERE account = $1 OR (account IS NULL AND email = $2)', [id, email]);
}

/** Returns all memberships of a person: those of the email address, and those that its account claimed. */
export async function membershipsOfPerson(sql: Sql, email: string, account = ''): Promise<Membership[]> {
  return await select(sql, 'WHERE account = $1 OR email = $2', [account, email]);
}

/** Removes the memberships that `membershipsOfPerson` returns. @returns them */
export async function removeMemberships(sql: Sql, email: string, account = ''): Promise<Membership[]> {
  const removed = await membershipsOfPerson(sql, email, account);
  await sql.run('DELETE FROM memberships WHERE account = $1 OR email = $2', [account, email]);
  return removed;
}

/** Writes a membership. */
export async function putMembership(sql: Sql, membership: Membership): Promise<void> {
  const ms = (time: string | null) => (time === null ? null : Date.parse(time));
  const { platform, member, email, account, standing, reason, seen } = membership;
  const names = [...COLUMNS, 'pro_until'];
  await sql.run(
    `INSERT INTO memberships (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})
     ON CONFLICT (platform, member) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [
      ...[platform, member, email, account, standing, reason],
      ...TIMES.map((name) => ms(membership[name])),
      ...[JSON.stringify(seen), ms(proUntil(membership))],
    ],
  );
}

/** Finds the account that a membership belongs to: the one that claimed it, otherwise the one with its email address. */
export async function findOwner(sql: Sql, { account, email }: Membership): Promise<Account | undefined> {
  if (account !== null) return await accountById(sql, account);
  return email === null ? undefined : await findAccount(sql, email);
}

/** The effect of events on a membership. */
export interface Outcome {
  /** Until when the membership was Pro before the events, ISO 8601 UTC; null if it was not. */
  before: string | null;
  /** The same after the events. */
  after: string | null;
  /** Whether the membership belongs to an account. Otherwise it waits for an account with its email address. */
  hasAccount: boolean;
}

/**
 * Applies the events of one member of a platform, and updates the tier of the account that the membership belongs to.
 *
 * @param actor for the log of the account
 * @param commit false to only report what would change
 */
export async function applyEvents(
  store: Store,
  platform: string,
  events: readonly [MembershipEvent, ...MembershipEvent[]],
  { actor, commit = true }: { actor: Actor; commit?: boolean },
): Promise<Outcome> {
  const [{ member }] = events;
  return await store.transaction(async (sql) => {
    const found = await findMembership(sql, membershipId({ platform, member }));
    const before = found ?? newMembership(platform, member);
    const after = events.reduce(applyEvent, before);
    const owner = await findOwner(sql, after);
    if (commit && after !== before && (found || isWorthKeeping(after))) {
      const owners = [await findOwner(sql, before), owner];
      await putMembership(sql, after);
      const cause = { event: 'membership.changed', actor };
      for (const account of owners) if (account) await refreshTier(sql, account.id, cause);
    }
    return { before: proUntil(before), after: proUntil(after), hasAccount: owner !== undefined };
  });
}
