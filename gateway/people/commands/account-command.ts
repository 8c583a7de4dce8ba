import { CommandError } from '../../../scripts/system.ts';
import type { Account } from '../../access/account.ts';
import { withStore } from '../../commands/store.ts';
import { findAccount } from '../../store/accounts.ts';
import { nameStore } from '../../store/open.ts';
import { transact } from '../../store/records.ts';
import type { Store } from '../../store/sql.ts';

/**
 * Opens the store, runs work on an account, and closes the store.
 *
 * @param address the store's address
 * @throws CommandError if the email address has no account
 */
export async function withAccount<T>(
  address: string,
  email: string,
  work: (store: Store, account: Account) => Promise<T>,
): Promise<T> {
  return await withStore(address, async (store) => {
    const account = await transact(store, (transaction) => findAccount(transaction, email));
    return await work(store, account ?? refuseUnknown(email, address));
  });
}

/** Reports that an email address has no account. @throws CommandError */
export function refuseUnknown(email: string, store: string): never {
  throw new CommandError(
    `no account of ${email} in the store ${nameStore(store)}; gateway keys list shows all accounts`,
  );
}
