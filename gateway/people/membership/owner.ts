import type { Account } from '../../access/account.ts';
import { accountById, findAccount } from '../../store/accounts.ts';
import type { Sql } from '../../store/sql.ts';
import type { Membership } from './membership.ts';

/** Finds the account that a membership belongs to: the one that claimed it, otherwise the one with its email address. */
export async function findOwner(reader: Sql, { account, email }: Membership): Promise<Account | undefined> {
  if (account !== null) return await accountById(reader, account);
  return email === null ? undefined : await findAccount(reader, email);
}
