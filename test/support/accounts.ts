import type { Account, Grant, Key } from '../../gateway/access/account.ts';
import { findAccount, grantTier as grantById } from '../../gateway/store/accounts.ts';
import { keysOfAccount } from '../../gateway/store/keys.ts';
import type { Sql, Store } from '../../gateway/store/sql.ts';

/** Finds an account with its keys by its email address. */
export async function accountByEmail(
  sql: Sql,
  email: string,
): Promise<{ account: Account; keys: Key[] } | undefined> {
  const account = await findAccount(sql, email);
  return account && { account, keys: await keysOfAccount(sql, account.id) };
}

/** Finds the id of an account; an empty text if there is none. */
export async function idOf(sql: Sql, email: string): Promise<string> {
  return (await findAccount(sql, email))?.id ?? '';
}

/** Grants an account a tier, as the operator does. */
export async function grantTier(store: Store, email: string, grant: Grant): Promise<void> {
  const id = await idOf(store, email);
  await store.transaction((sql) => grantById(sql, id, grant));
}
