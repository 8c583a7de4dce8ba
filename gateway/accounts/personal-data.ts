import { forgetSupport, supportedBy } from '../requests/requests.ts';
import { findLinks, forgetLinks } from '../signup/links.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
import { accountByEmail, removeAccount } from './accounts.ts';

/**
 * Gathers all that is kept of a person.
 *
 * @returns undefined when the address has no account
 */
export async function exportAccount(store: Store, email: string): Promise<object | undefined> {
  const found = await accountByEmail(store, email);
  if (found === undefined) return undefined;
  const { account, keys } = found;
  const { times, count } = (await store.readCounters(account.id)).counters;
  return {
    account,
    keys: keys.map(({ account: _, ...key }) => key),
    requests: { today: count, last_minute: times.map((time) => new Date(time).toISOString()) },
    signup_links: (await findLinks(store, email)).map(({ created_at }) => ({ created_at })),
    game_requests: await transact(store, (transaction) => supportedBy(transaction, account.id)),
  };
}

/**
 * Deletes all that is kept of a person.
 *
 * @returns whether there was such an account
 */
export async function deleteAccount(store: Store, email: string): Promise<boolean> {
  await forgetLinks(store, email);
  // Before, so that a failure leaves an account to delete again; after, since a request may have been under way.
  const known = await accountByEmail(store, email);
  if (known) await store.removeCounters(known.account.id);
  const deleted = await transact(store, async (transaction) => {
    const account = await removeAccount(transaction, email);
    if (account) await forgetSupport(transaction, account.id);
    return account;
  });
  if (deleted) await store.removeCounters(deleted.id);
  return deleted !== undefined;
}
