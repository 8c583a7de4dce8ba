// Exports and deletes everything that is stored about a person.
import { readCountersOf } from '../access/quota.ts';
import { findAccount, refreshTier, deleteAccount as removeAccount, toIso } from '../store/accounts.ts';
import { readEvents } from '../store/audit.ts';
import { addressesOf, keysOf } from '../store/keys.ts';
import type { Store } from '../store/sql.ts';
import { exportAlerts } from './alerts/channels.ts';
import { listAttempts } from './alerts/deliver.ts';
import { listMemberships, type Membership, OF_PERSON } from './membership/membership.ts';
import { listRequests, removeUnsupported } from './requests.ts';
import { sessionsOf } from './sessions.ts';

/**
 * Collects everything that is stored about a person: the account, and the memberships and links of the email address, even without an account.
 *
 * @returns undefined if nothing is stored about the email address
 */
export async function exportAccount(store: Store, email: string): Promise<object | undefined> {
  const account = await findAccount(store, email);
  const members = await listMemberships(store, OF_PERSON, [account?.id ?? '', email]);
  const memberships = members.map(({ pro_until: _, ...row }) => {
    const shown = Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? toIso(value) : value,
    ]);
    return Object.fromEntries(shown);
  });
  const rows = await store.all<{ purpose: string; created_at: number }>(
    'SELECT purpose, created_at FROM links WHERE email = $1 AND ends_at > $2 ORDER BY created_at',
    [email, store.now()],
  );
  const links = rows.map(({ purpose, created_at }) => ({
    purpose: purpose.replace(/ .*/, ''),
    created_at: toIso(created_at),
  }));
  if (account === undefined) {
    const isKnown = memberships.length > 0 || links.length > 0;
    return isKnown ? { account: null, links, memberships } : undefined;
  }
  const { id } = account;
  const { times, count } = await readCountersOf(store, account);
  const sessions = await sessionsOf(store, id);
  const networks = await store.all<{ network: string; used_at: number }>(
    'SELECT network, used_at FROM known_networks WHERE account = $1 ORDER BY used_at',
    [id],
  );
  const addresses = await addressesOf(store, id);
  return {
    account,
    keys: (await keysOf(store, id)).map(({ account: _, ...key }) => key),
    read_only_addresses: addresses.map(({ prefix, hash, created_at, name = null, address }) => ({
      ...{ prefix, hash, created_at, name },
      ...address,
    })),
    requests: { today: count, last_minute: times.map(toIso) },
    alerts: { ...(await exportAlerts(store, id)), deliveries: await listAttempts(store, id, MAX_EXPORTED) },
    links,
    sessions: sessions.map(({ created_at }) => created_at),
    session_details: sessions.map(({ id: _, ...session }) => session),
    networks: networks.map(({ network, used_at }) => ({ network, last_used_at: toIso(used_at) })),
    events: await readEvents(store, id),
    game_requests: (await listRequests(store, id)).filter(({ isOwn }) => isOwn).map((request) => request.id),
    memberships,
  };
}

const MAX_EXPORTED = 10_000;

/**
 * Deletes everything that is stored about a person, even without an account. Only counters stay, for at most a day and under keyed hashes: otherwise
 * a person could get new limits by deleting and recreating the account.
 *
 * @returns whether anything was stored
 */
export async function deleteAccount(store: Store, email: string): Promise<boolean> {
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
