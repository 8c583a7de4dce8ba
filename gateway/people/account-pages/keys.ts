import { type Account, isEnding, type Key } from '../../plans/account.ts';
import type { Store } from '../../store/store.ts';
import { transact } from '../../store/transaction.ts';
import { accountById, addNewKey } from '../accounts/accounts.ts';
import { revoke } from '../accounts/key-changes.ts';
import { keysOf, liveKeysOf } from '../accounts/keys.ts';
import { MAX_KEYS } from '../signup/links.ts';

const BY = 'account holder';

/** Reports whether an account may have one more key. Keys that are due to end do not count. */
export function hasRoom(keys: readonly Key[]): boolean {
  return keys.filter((key) => !isEnding(key)).length < MAX_KEYS;
}

/**
 * Issues one more key to an account.
 *
 * @param now ms since 1970
 * @returns the key, which cannot be shown again; undefined if the account has the maximum number of keys, or is deleted
 */
export async function issueOwnKey(
  store: Store,
  account: Account,
  now: number,
): Promise<{ key: string; prefix: string } | undefined> {
  return await transact(store, async (transaction) => {
    // A new key would create a deleted account again.
    const isThere = (await accountById(transaction, account.id)) !== undefined;
    if (!isThere || !hasRoom(await liveKeysOf(transaction, account, now))) return undefined;
    const { key, issued } = await addNewKey(transaction, { email: account.email, by: BY, now });
    return { key, prefix: issued.key.prefix };
  });
}

/**
 * Revokes a key at once if it belongs to the account.
 *
 * @param now ms since 1970
 * @returns whether it belongs to the account
 */
export async function revokeOwnKey(
  store: Store,
  account: Account,
  { prefix, now }: { prefix: string; now: number },
): Promise<boolean> {
  return await transact(store, async (transaction) => {
    const isOwn = (await keysOf(transaction, account)).some((key) => key.prefix === prefix);
    if (isOwn) await revoke(transaction, prefix, { by: BY, now });
    return isOwn;
  });
}
