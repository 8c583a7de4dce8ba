import type { Account } from '../../plans/account.ts';
import type { Reader } from '../../store/transaction.ts';
import { accountById, findAccount } from '../accounts/accounts.ts';
import type { Membership } from '../accounts/membership.ts';

/** The account that a membership belongs to: the one that claimed it, or else that of its address; it waits where there is none. */
export async function findOwner(
  reader: Reader,
  { account, email }: Membership,
): Promise<Account | undefined> {
  if (account !== null) return await accountById(reader, account);
  return email === null ? undefined : await findAccount(reader, email);
}
