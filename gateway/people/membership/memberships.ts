import type { Account } from '../../access/account.ts';
import { table, type Transaction } from '../../store/records.ts';
import type { Sql } from '../../store/sql.ts';
import { type Membership, membershipId, proUntil, type Standing } from './membership.ts';

/** Account id → the account's pending claim. */
export const CLAIMS = table<Claim>('membership-claim');

/** A claim of memberships whose code has not been entered yet. */
export interface Claim {
  /** The ids of the memberships to claim. */
  memberships: string[];
  /** SHA-256 of the account's id and the code, hexadecimal. */
  hash: string;
  /** How many more codes may be tried. */
  attempts: number;
  /** Milliseconds since 1970. */
  expires: number;
}

interface MembershipRow {
  platform: string;
  member: string;
  email: string | null;
  account: string | null;
  standing: Standing;
  reason: string | null;
  charged_at: number | null;
  paid_at: number | null;
  paid_until: number | null;
  grace_until: number | null;
  seen: string;
}

const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
const ms = (time: string | null) => (time === null ? null : Date.parse(time));

function toMembership({
  platform,
  member,
  email,
  account,
  standing,
  reason,
  seen,
  ...times
}: MembershipRow): Membership {
  return {
    ...{
      platform,
      member,
      email,
      account,
      standing,
      reason,
      charged_at: iso(times.charged_at),
      paid_at: iso(times.paid_at),
    },
    ...{
      paid_until: iso(times.paid_until),
      grace_until: iso(times.grace_until),
      seen: JSON.parse(seen) as string[],
    },
  };
}

const SELECT =
  'SELECT platform, member, email, account, standing, reason, charged_at, paid_at, paid_until, grace_until, seen FROM memberships';

/** Finds a membership by its id, `<platform>:<member>`. */
export async function findMembership(sql: Sql, id: string): Promise<Membership | undefined> {
  const at = id.indexOf(':');
  const row = await sql.get<MembershipRow>(`${SELECT} WHERE platform = $1 AND member = $2`, [
    id.slice(0, at),
    id.slice(at + 1),
  ]);
  return row && toMembership(row);
}

/** Lists all memberships, in the order of their ids. */
export async function listMemberships(sql: Sql): Promise<Membership[]> {
  const memberships = (await sql.all<MembershipRow>(SELECT)).map(toMembership);
  return memberships.sort((a, b) => (membershipId(a) < membershipId(b) ? -1 : 1));
}

/** Returns the memberships of an email address, including those that another account has claimed. */
export async function membershipsByEmail(sql: Sql, email: string): Promise<Membership[]> {
  return (await sql.all<MembershipRow>(`${SELECT} WHERE email = $1 ORDER BY platform, member`, [email])).map(
    toMembership,
  );
}

/** Returns the memberships of an account: those that it claimed, and those of its email address that nobody claimed. */
export async function membershipsOf(
  sql: Sql,
  { id, email }: Pick<Account, 'id' | 'email'>,
): Promise<Membership[]> {
  const rows = await sql.all<MembershipRow>(
    `${SELECT} WHERE account = $1 OR (account IS NULL AND email = $2) ORDER BY platform, member`,
    [id, email],
  );
  return rows.map(toMembership);
}

/** Writes a membership. */
export async function putMembership(sql: Sql, membership: Membership): Promise<void> {
  const { platform, member, email, account, standing, charged_at, paid_at, paid_until, grace_until, seen } =
    membership;
  const { reason } = membership;
  await sql.run(
    `INSERT INTO memberships (platform, member, email, account, standing, charged_at, paid_at, paid_until, grace_until, pro_until, seen, reason)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (platform, member) DO UPDATE SET
       email = excluded.email, account = excluded.account, standing = excluded.standing, charged_at = excluded.charged_at,
       paid_at = excluded.paid_at, paid_until = excluded.paid_until, grace_until = excluded.grace_until,
       pro_until = excluded.pro_until, seen = excluded.seen, reason = excluded.reason`,
    [
      ...[
        platform,
        member,
        email,
        account,
        standing,
        ms(charged_at),
        ms(paid_at),
        ms(paid_until),
        ms(grace_until),
      ],
      ...[ms(proUntil(membership)), JSON.stringify(seen), reason],
    ],
  );
}

/**
 * Returns all memberships of a person: those of the email address, and those that its account claimed.
 *
 * @param account the account's id; undefined when the email address has no account
 */
export async function membershipsOfPerson(
  sql: Sql,
  email: string,
  account: string | undefined,
): Promise<Membership[]> {
  const rows = await sql.all<MembershipRow>(
    `${SELECT} WHERE account = $1 OR email = $2 ORDER BY platform, member`,
    [account ?? '', email],
  );
  return rows.map(toMembership);
}

/** Removes the memberships that `membershipsOfPerson` returns, and the account's pending claim. @returns the removed memberships */
export async function removeMemberships(
  transaction: Transaction,
  email: string,
  account: string | undefined,
): Promise<Membership[]> {
  const removed = await membershipsOfPerson(transaction, email, account);
  await transaction.run('DELETE FROM memberships WHERE account = $1 OR email = $2', [account ?? '', email]);
  if (account !== undefined) await transaction.remove(CLAIMS, account);
  return removed;
}
