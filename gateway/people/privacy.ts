// Exports and deletes everything that is stored about a person.
import { readCountersOf } from '../access/quota.ts';
import { findAccount, refreshTier, deleteAccount as removeAccount, toIso } from '../store/accounts.ts';
import type { Store } from '../store/sql.ts';
import { type Membership, OF_PERSON } from './membership/membership.ts';
import { removeUnsupported } from './requests.ts';

/** The tables with rows of an account. */
const TABLES = ['keys', 'sessions', 'follows', 'channels', 'deliveries', 'mails', 'audit', 'votes'];
/** Columns that are secrets, name the account again, or concern only the work of gateways. */
const HIDDEN = /^(?:hash|sealed_.*|account|session|leased_until)$/;

/**
 * Collects everything that is stored about a person: the account, and the memberships and links of the email address, even without an account.
 *
 * @returns undefined if nothing is stored about the email address
 */
export async function exportAccount(store: Store, email: string): Promise<object | undefined> {
  const account = await findAccount(store, email);
  const read = async (rest: string, values: string[]) =>
    (await store.all<object>(`SELECT * FROM ${rest}`, values)).map(describeRow);
  const memberships = await read(`memberships ${OF_PERSON}`, [account?.id ?? '', email]);
  const links = await read('links WHERE email = $1', [email]);
  if (account === undefined)
    return memberships.length + links.length > 0 ? { account: null, links, memberships } : undefined;
  const { times, count } = await readCountersOf(store, account);
  const rows: Record<string, object[]> = {};
  for (const table of TABLES) rows[table] = await read(`${table} WHERE account = $1`, [account.id]);
  const requests = { today: count, last_minute: times.map(toIso) };
  return { account, ...rows, requests, links, memberships };
}

function describeRow(row: object): object {
  const shown = Object.entries(row).filter(([name]) => !HIDDEN.test(name));
  return Object.fromEntries(
    shown.map(([name, value]) => {
      // The purpose of a link may name an account.
      if (name === 'purpose') return [name, String(value).replace(/ .*/, '')];
      return [name, /(?:^|_)(?:at|until)$/.test(name) && value !== null ? toIso(value) : value];
    }),
  );
}

/**
 * Deletes everything that is stored about a person, even without an account. Only counters stay, for at most a day and under keyed hashes: otherwise
 * a person could get new limits by deleting and recreating the account.
 *
 * @returns whether anything was stored
 */
export async function erasePerson(store: Store, email: string): Promise<boolean> {
  return await store.transaction(async (sql) => {
    const links = await sql.run('DELETE FROM links WHERE email = $1', [email]);
    const account = await findAccount(sql, email);
    const memberships = await sql.all<Membership>(`DELETE FROM memberships ${OF_PERSON} RETURNING *`, [
      ...[account?.id ?? '', email],
    ]);
    if (account) await removeAccount(sql, account.id);
    await removeUnsupported(sql);
    // The accounts of others that had claimed a membership of this person.
    for (const { account: claimer } of memberships) if (claimer !== null) await refreshTier(sql, claimer);
    return account !== undefined || memberships.length > 0 || links > 0;
  });
}
