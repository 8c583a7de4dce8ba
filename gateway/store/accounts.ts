import { randomUUID } from 'node:crypto';
import type { Account, Grant, Tier } from '../access/account.ts';
import { type Actor, GATEWAY, OPERATOR, recordChange } from './audit.ts';
import { canonicalEmail } from './email.ts';
import { keyedName } from './secrets.ts';
import { changeRevision, type Sql, type Store } from './sql.ts';

export interface AccountRow {
  id: string;
  email: string;
  tier: Tier;
  pro_until: number | null;
  granted_tier: Tier | null;
  granted_until: number | null;
  counted_as: string;
  created_at: number;
}

export const toIso = (time: number): string => new Date(time).toISOString();
export const toIsoOrNull = (time: number | null): string | null => (time === null ? null : toIso(time));

export function toAccount({ id, email, tier, pro_until, created_at, counted_as }: AccountRow): Account {
  return { id, email, tier, pro_until: toIsoOrNull(pro_until), created_at: toIso(created_at), counted_as };
}

/** @param email as returned by `readEmail` */
export const findAccount = (sql: Sql, email: string) => findBy(sql, 'email', email);

export const accountById = (sql: Sql, id: string) => findBy(sql, 'id', id);

async function findBy(sql: Sql, column: 'email' | 'id', value: string): Promise<Account | undefined> {
  const row = await sql.get<AccountRow>(`SELECT * FROM accounts WHERE ${column} = $1`, [value]);
  return row && toAccount(row);
}

/** Returns the account of an email address, and creates it if there is none. */
export async function openAccount(sql: Sql, email: string): Promise<Account> {
  const found = await findAccount(sql, email);
  if (found) return found;
  const id = randomUUID();
  // Counters outlive the account for a day, so that deleting it does not reset its limits.
  await sql.run(
    "INSERT INTO accounts (id, email, tier, counted_as, created_at) VALUES ($1, $2, 'free', $3, $4)",
    [id, email, keyedName(sql, `quota ${canonicalEmail(email)}`), sql.now()],
  );
  return (await refreshTier(sql, id)) as Account;
}

/** Sets the tier that the operator grants; the memberships of the account may grant a better one. */
export async function grantTier(
  sql: Sql,
  id: string,
  { tier, pro_until }: Grant,
): Promise<Account | undefined> {
  await sql.run('UPDATE accounts SET granted_tier = $1, granted_until = $2 WHERE id = $3', [
    tier,
    pro_until === null ? null : Date.parse(pro_until),
    id,
  ]);
  return await refreshTier(sql, id, { event: 'tier.granted', actor: OPERATOR });
}

/**
 * Sets an account's tier to the best grant of the operator and its memberships. Every transaction that changes one of them calls this.
 *
 * @param cause recorded if the tier changes
 * @returns undefined if there is no such account
 */
export async function refreshTier(
  sql: Sql,
  id: string,
  cause: { event: string; actor: Actor } = { event: 'membership.changed', actor: GATEWAY },
): Promise<Account | undefined> {
  const row = await sql.get<AccountRow>('SELECT * FROM accounts WHERE id = $1', [id]);
  if (row === undefined) return undefined;
  // Unclaimed memberships belong to the account of their email address.
  const members = await sql.get<{ pro_until: number | null }>(
    'SELECT max(pro_until) AS pro_until FROM memberships WHERE account = $1 OR (account IS NULL AND email = $2)',
    [id, row.email],
  );
  const granted = row.granted_tier === 'pro' ? (row.granted_until ?? Number.POSITIVE_INFINITY) : 0;
  const end = Math.max(granted, members?.pro_until ?? 0);
  const tier = end > sql.now() ? 'pro' : 'free';
  const until = tier === 'pro' && end < Number.POSITIVE_INFINITY ? end : null;
  const before = toAccount(row);
  if (tier === row.tier && until === row.pro_until) return before;
  await sql.run('UPDATE accounts SET tier = $1, pro_until = $2 WHERE id = $3', [tier, until, id]);
  await changeRevision(sql);
  const after = { ...before, tier, pro_until: toIsoOrNull(until) } as const;
  const about = until === null ? tier : `${tier} until ${after.pro_until}`;
  await recordChange(sql, { account: id, about, ...cause });
  return after;
}

/** Makes accounts free whose Pro has ended by the clock of the store and by `now`, which ignores jumps, and records it. @returns whether there were any */
export async function endPro(store: Store, now: () => number): Promise<boolean> {
  const ended = "tier = 'pro' AND pro_until <= $1 ORDER BY pro_until LIMIT 100";
  return await refreshWhere(store, ended, Math.min(store.now(), now()));
}

/** Makes accounts Pro again that were made free while a clock was wrong. */
export async function restorePro(store: Store, now: number): Promise<void> {
  const isPaid = `id IN (SELECT account FROM memberships WHERE pro_until > $1)
    OR email IN (SELECT email FROM memberships WHERE account IS NULL AND pro_until > $1)`;
  await refreshWhere(store, `tier = 'free' AND (granted_until > $1 OR ${isPaid})`, now);
}

async function refreshWhere(store: Store, condition: string, now: number): Promise<boolean> {
  const found = await store.all<{ id: string }>(`SELECT id FROM accounts WHERE ${condition}`, [now]);
  for (const { id } of found) await store.transaction((sql) => refreshTier(sql, id));
  return found.length > 0;
}

/** Deletes an account and everything that refers to it. @returns whether there was one */
export async function deleteAccount(sql: Sql, id: string): Promise<boolean> {
  await changeRevision(sql);
  return (await sql.run('DELETE FROM accounts WHERE id = $1', [id])) > 0;
}
