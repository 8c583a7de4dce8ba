import type { Account } from '../../access/account.ts';
import { readCountersOf } from '../../access/quota.ts';
import { accountById, findAccount, refreshTier } from '../../store/accounts.ts';
import { addressesOf } from '../../store/keys.ts';
import { transact, type Transaction } from '../../store/records.ts';
import type { Store } from '../../store/sql.ts';
import { accountByEmail, removeAccount } from '../accounts/account-records.ts';
import { networksOf, removeNetworks } from '../accounts/known-networks.ts';
import { sessionsOf } from '../accounts/session.ts';
import { listAttempts } from '../alerts/deliver.ts';
import { readSecrets, readSubscription } from '../alerts/subscription.ts';
import { readEvents } from '../audit/audit-log.ts';
import { removeAllSupport, supportedBy } from '../game-requests/requests.ts';
import { linksOf, removeLinks } from '../mail/one-time-link.ts';
import type { Membership } from '../membership/membership.ts';
import { membershipsOfPerson, removeMemberships } from '../membership/memberships.ts';

/**
 * Gathers everything that is stored about a person: the account, and the memberships and links of the email address, even without an
 * account.
 *
 * @returns undefined when nothing is stored about the email address
 */
export async function exportAccount(store: Store, email: string): Promise<object | undefined> {
  const record = await accountByEmail(store, email);
  const memberships = await transact(store, (transaction) =>
    membershipsOfPerson(transaction, email, record?.account.id),
  );
  const links = (await linksOf(store, email)).map(({ purpose, created_at }) => ({ purpose, created_at }));
  if (record === undefined) {
    const isKnown = memberships.length > 0 || links.length > 0;
    return isKnown ? { account: null, links, memberships } : undefined;
  }
  const { account, keys } = record;
  const { times, count } = await readCountersOf(store, account);
  const sessions = await sessionsOf(store, account.id);
  return {
    account,
    keys: keys.map(({ account: _, ...key }) => key),
    read_only_addresses: await exportAddresses(store, account),
    requests: { today: count, last_minute: times.map((time) => new Date(time).toISOString()) },
    alerts: await exportAlerts(store, account.id),
    links,
    sessions: sessions.map(({ created_at }) => created_at),
    session_details: sessions.map(({ id: _, ...session }) => session),
    networks: await transact(store, (transaction) => networksOf(transaction, account.id)),
    events: await readEvents(store, account.id),
    game_requests: await transact(store, (transaction) => supportedBy(transaction, account.id)),
    memberships,
  };
}

/**
 * Deletes everything that is stored about a person, also without an account. Only counts stay for at most a day, under keyed hashes:
 * otherwise an account that is deleted and created again would have its caps again.
 *
 * @returns whether anything was stored
 */
export async function deleteAccount(store: Store, email: string): Promise<boolean> {
  const links = await removeLinks(store, email);
  const { account, memberships } = await transact(store, async (transaction) => {
    const account = await findAccount(transaction, email);
    if (account) await removeAllSupport(transaction, account.id);
    if (account) await removeNetworks(transaction, account.id);
    const memberships = await removeMemberships(transaction, email, account?.id);
    if (account) await removeAccount(transaction, email);
    await refreshClaimers(transaction, memberships);
    return { account, memberships };
  });
  return account !== undefined || memberships.length > 0 || links > 0;
}

/** Updates the tiers of other accounts that had claimed a membership of this person. */
async function refreshClaimers(transaction: Transaction, removed: readonly Membership[]): Promise<void> {
  for (const { account } of removed) {
    const claimer = account === null ? undefined : await accountById(transaction, account);
    if (claimer) await refreshTier(transaction, claimer.id);
  }
}

/** Returns read-only addresses, without what is the same for all. */
async function exportAddresses(store: Store, account: Account): Promise<object[]> {
  const records = await addressesOf(store, account.id);
  return records.map(({ prefix, hash, created_at, name = null, address }) => ({
    ...{ prefix, hash, created_at, name },
    ...address,
  }));
}

/** Gathers an account's alert settings and deliveries, without the secrets of webhooks. */
async function exportAlerts(store: Store, account: string): Promise<object> {
  const { follows, hooks, mail, feed } = await readSubscription(store, account);
  const { webhook, discord, slack } = hooks;
  const until = (await readSecrets(store, account))?.earlier?.until ?? null;
  const exported = (hook: typeof webhook) => (hook ? { url: hook.shown, disabled: hook.disabled } : null);
  return {
    follows,
    webhook: webhook ? { ...exported(webhook), earlier_secret_until: until } : null,
    discord: exported(discord),
    slack: exported(slack),
    mail,
    feed: feed !== null,
    deliveries: await listAttempts(store, account, MAX_EXPORTED),
  };
}

const MAX_EXPORTED = 10_000;
