import { CommandError } from '../../scripts/lib/command-error.ts';
import { findAccount } from '../people/accounts/accounts.ts';
import type { Account } from '../plans/account.ts';
import { nameStore } from '../store/address.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
import { withStore } from './store-command.ts';

/**
 * Opens the store for one piece of work on an account.
 *
 * @throws CommandError where the address has no account
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

/** @throws CommandError that says that an address has no account */
export function refuseUnknown(email: string, store: string): never {
  throw new CommandError(
    `no account of ${email} in the store ${nameStore(store)}; gateway keys list shows those there are`,
  );
}
