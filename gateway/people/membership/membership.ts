// Memberships that platforms report: what their events mean, and the rows that hold them.
import { findAccount, refreshTier, toIsoOrNull } from '../../store/accounts.ts';
import type { Actor } from '../../store/audit.ts';
import type { Sql, Store, Value } from '../../store/sql.ts';

/**
 * The meaning of a charge for a member, weakest first; of several events about one charge, the strongest counts. `undecided`: not paid, or not yet;
 * `unentitled`: paid for something other than Pro; `active`: paid for Pro; `cancelled`: will not be charged again; `revoked`: refunded.
 */
export const STANDINGS: readonly Standing[] = ['undecided', 'unentitled', 'active', 'cancelled', 'revoked'];
/** `given`: Pro by a gift or trial, without a charge. */
export type Standing = 'undecided' | 'unentitled' | 'active' | 'cancelled' | 'revoked' | 'given';

/** A platform's report about one of its members. Times are ms since 1970. */
export interface MembershipEvent {
  /** The platform's name for this kind of event. */
  name: string;
  /** The platform's id of the member. */
  member: string;
  /** As returned by `readEmail`. */
  email?: string | undefined;
  /** When the member was last charged; null if never. Orders the events. */
  charged_at: number | null;
  standing: Standing;
  /** Why the member is not Pro; absent if it is. */
  reason?: string | undefined;
  /** When the paid period ends, and when Pro ends if the next charge is late; null if the event does not say it. */
  paid: Record<'until' | 'grace', number> | null;
}

/** A row of `memberships`. */
export interface Membership
  extends Record<'charged_at' | 'paid_at' | 'paid_until' | 'grace_until' | 'pro_until', number | null> {
  platform: string;
  member: string;
  email: string | null;
  account: string | null;
  standing: Standing;
  reason: string | null;
}

/** Makes a membership without any known event. */
export function newMembership(platform: string, member: string): Membership {
  const unknown = { email: null, account: null, reason: null, charged_at: null };
  const ends = { paid_at: null, paid_until: null, grace_until: null, pro_until: null };
  return { platform, member, ...unknown, standing: 'undecided', ...ends };
}

/** How long a gift or trial that is over keeps Pro while the first charge after it is not decided. */
const UNDECIDED_MS = 7 * 86_400_000;

/**
 * Applies an event to a membership. Events about an older charge change nothing; of events about one charge, the strongest standing and the latest end
 * count. So an event may be applied again. A gift or trial changes nothing about the charges before it, and is over when a webhook reports one of them.
 */
export function applyEvent(before: Membership, event: MembershipEvent): Membership {
  const { charged_at, paid } = event;
  const email = event.email ?? before.email;
  if (event.standing === 'given') {
    const pro_until = Math.max(paid?.grace ?? 0, before.paid_until ?? 0) || null;
    return { ...before, email, standing: 'given', reason: null, pro_until };
  }
  const wasGiven = before.standing === 'given';
  const age = (charged_at ?? 0) - (before.charged_at ?? 0);
  // An export does not say whether a gift or trial is over.
  if (age < 0 || (wasGiven && age === 0 && event.name === 'export')) return before;
  const isWeaker = STANDINGS.indexOf(event.standing) < STANDINGS.indexOf(before.standing);
  const { standing, reason = null } = age === 0 && isWeaker ? before : event;
  let { paid_at, paid_until, grace_until } = before;
  if (standing === 'revoked') paid_at = paid_until = grace_until = null;
  else if (paid) {
    // After a pending charge, the ends are still those of the charge before it.
    const isSame = paid_at === charged_at;
    paid_until = Math.max(paid.until, (isSame && paid_until) || 0);
    grace_until = Math.max(paid.grace, (isSame && grace_until) || 0);
    paid_at = charged_at;
  } else if (wasGiven && standing === 'undecided' && charged_at !== null)
    grace_until = Math.max(grace_until ?? 0, Math.min(before.pro_until ?? 0, charged_at + UNDECIDED_MS));
  const pro_until = standing === 'undecided' || standing === 'active' ? grace_until : paid_until;
  return { ...before, email, charged_at, standing, reason, paid_at, paid_until, grace_until, pro_until };
}

/** Describes a membership for lists. */
export function describeMembership({ platform, member, email, standing, reason, ...row }: Membership) {
  const times = { charged_at: toIsoOrNull(row.charged_at), pro_until: toIsoOrNull(row.pro_until) };
  const claimed = row.account !== null;
  return { member: `${platform}:${member}`, email, standing, ...times, claimed, reason };
}

/** Lists memberships in the order of their ids. @param where a condition; without it, all */
export async function listMemberships(sql: Sql, where = '', values: string[] = []): Promise<Membership[]> {
  return await sql.all(`SELECT * FROM memberships ${where} ORDER BY platform, member`, values);
}

/** Selects the memberships of a person: those that its account claimed, and those of its email address. */
export const OF_PERSON = 'WHERE account = $1 OR email = $2';

/** Finds a membership by its id, `<platform>:<member>`. */
export async function findMembership(sql: Sql, id: string): Promise<Membership | undefined> {
  const at = id.indexOf(':');
  const values = [id.slice(0, at), id.slice(at + 1)];
  return (await listMemberships(sql, 'WHERE platform = $1 AND member = $2', values))[0];
}

export async function putMembership(sql: Sql, membership: Membership): Promise<void> {
  const names = Object.keys(membership);
  await sql.run(
    `INSERT INTO memberships (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})
     ON CONFLICT (platform, member) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    Object.values(membership) as Value[],
  );
}

/** Finds the account of a membership: the one that claimed it, otherwise the one with its email address. */
export async function ownerOf(sql: Sql, { account, email }: Membership): Promise<string | undefined> {
  return account ?? (email === null ? undefined : (await findAccount(sql, email))?.id);
}

/**
 * Applies the events of one member of a platform, and updates the tier of the account that owns the membership.
 *
 * @param actor for the log of the account
 * @param commit false only reports what would change
 * @returns the end of Pro before and after the events, ISO 8601 UTC, null for none; and whether it has an account: otherwise it waits for one
 */
export async function applyEvents(
  store: Store,
  platform: string,
  events: readonly [MembershipEvent, ...MembershipEvent[]],
  { actor, commit = true }: { actor: Actor; commit?: boolean },
) {
  const [{ member }] = events;
  return await store.transaction(async (sql) => {
    const found = await findMembership(sql, `${platform}:${member}`);
    const before = found ?? newMembership(platform, member);
    const after = events.reduce(applyEvent, before);
    const owner = await ownerOf(sql, after);
    // Members who were never charged and never Pro are not stored.
    if (commit && after !== before && (found || after.charged_at !== null || after.pro_until !== null)) {
      const owners = [await ownerOf(sql, before), owner];
      await putMembership(sql, after);
      const cause = { event: 'membership.changed', actor };
      for (const account of owners) if (account) await refreshTier(sql, account, cause);
    }
    const ends = { before: toIsoOrNull(before.pro_until), after: toIsoOrNull(after.pro_until) };
    return { ...ends, hasAccount: owner !== undefined };
  });
}
