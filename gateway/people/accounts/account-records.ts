import type { Account, Grant, Key } from '../../access/account.ts';
import { accountById, deleteAccount, findAccount, grantTier as grantById } from '../../store/accounts.ts';
import { keysOf } from '../../store/keys.ts';
import type { Sql, Store } from '../../store/sql.ts';

/** An account with all of its keys, the oldest first. */
export interface AccountRecord {
  account: Account;
  keys: Key[];
}

/** Finds accounts by their ids, without those that no longer exist. */
export async function findAccounts(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, Account>> {
  const accounts = await Promise.all(ids.map((id) => accountById(sql, id)));
  return new Map(accounts.flatMap((account) => (account ? [[account.id, account]] : [])));
}

/** Finds an account with its keys by its email address, as returned by `readEmail`. */
export async function accountByEmail(sql: Sql, email: string): Promise<AccountRecord | undefined> {
  const account = await findAccount(sql, email);
  return account && { account, keys: await keysOf(sql, account.id) };
}

/** Grants an account a tier; its memberships may grant it a better one. @returns undefined when the email address has no account */
export async function grantTier(store: Store, email: string, grant: Grant): Promise<Account | undefined> {
  return await store.transaction(async (sql) => {
    const account = await findAccount(sql, email);
    return account && (await grantById(sql, account.id, grant));
  });
}

/** Removes an account with its keys. @returns undefined when the email address has no account */
export async function removeAccount(sql: Sql, email: string): Promise<Account | undefined> {
  const account = await findAccount(sql, email);
  if (account) await deleteAccount(sql, account.id);
  return account;
}
