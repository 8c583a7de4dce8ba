import type { Account, Key } from '../../plans/account.ts';
import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { accountById, addNewKey } from '../accounts/accounts.ts';
import { endKey, keysOf, liveKeysOf } from '../accounts/keys.ts';
import { MOST_KEYS } from '../signup/links.ts';

/** Whether an account may have one more key: those that have an end already do not count. */
export function hasRoom(keys: readonly Key[]): boolean {
  return keys.filter(({ revoked_at }) => revoked_at === null).length < MOST_KEYS;
}

/**
 * Issues one more key to an account.
 *
 * @param now ms since 1970
 * @returns the key, which nobody can tell again; undefined where the account has as many as it may
 */
export async function issueOwnKey(
  store: Store,
  account: Account,
  now: number,
): Promise<{ key: string; prefix: string } | undefined> {
  return await transact(store, async (transaction) => {
    // Deleted meanwhile: a key would open the account anew.
    const isThere = (await accountById(transaction, account.id)) !== undefined;
    if (!isThere || !hasRoom(await liveKeysOf(transaction, account, now))) return undefined;
    const { key, issued } = await addNewKey(transaction, { email: account.email, now });
    return { key, prefix: issued.key.prefix };
  });
}

/**
 * Ends a key at once, if it is the account's own.
 *
 * @param now ms since 1970
 * @returns whether it is
 */
export async function revokeOwnKey(
  store: Store,
  account: Account,
  { prefix, now }: { prefix: string; now: number },
): Promise<boolean> {
  return await transact(store, async (transaction) => {
    const isOwn = (await keysOf(transaction, account)).some((key) => key.prefix === prefix);
    if (isOwn) await endKey(transaction, prefix, now);
    return isOwn;
  });
}
