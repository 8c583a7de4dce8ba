import { ACCOUNTS, EMAILS, findAccount, GRANTS, putGrant } from '../../store/accounts/accounts.ts';
import type { Account, Grant, Key } from '../../access/account.ts';
import type { Store } from '../../store/store.ts';
import { type Transaction, transact } from '../../store/transaction.ts';
import { findAll, keysOf } from '../../lists/lists.ts';
import { removeKeys } from './keys-of.ts';

/** Finds accounts by their ids, without those that no longer exist. */
export async function findAccounts(
  store: Store,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Account>> {
  const accounts = (await findAll(store, ACCOUNTS, ids)).filter((account) => account !== undefined);
  return new Map(accounts.map((account) => [account.id, account]));
}

/** Finds an account with its keys by its email address, as returned by `readEmail`. */
export async function accountByEmail(store: Store, email: string): Promise<AccountRecord | undefined> {
  return await transact(store, async (transaction) => {
    const account = await findAccount(transaction, email);
    return account && { account, keys: await keysOf(transaction, account) };
  });
}

/**
 * Grants an account a tier; its memberships may grant it a better one.
 *
 * @returns undefined when the email address has no account
 */
export async function grantTier(
  store: Store,
  email: string,
  grant: Grant,
  now: number,
): Promise<Account | undefined> {
  return await transact(store, async (transaction) => {
    const account = await findAccount(transaction, email);
    return account && (await putGrant(transaction, account, grant, now));
  });
}

/** Removes an account with its keys. @returns undefined when the email address has no account */
export async function removeAccount(transaction: Transaction, email: string): Promise<Account | undefined> {
  const account = await findAccount(transaction, email);
  if (account === undefined) return undefined;
  await removeKeys(transaction, account);
  transaction.remove(GRANTS, account.id);
  transaction.remove(EMAILS, email);
  transaction.remove(ACCOUNTS, account.id);
  transaction.changeRevision();
  return account;
}

/** An account with all of its keys, the oldest first. */
export interface AccountRecord {
  account: Account;
  keys: Key[];
}
