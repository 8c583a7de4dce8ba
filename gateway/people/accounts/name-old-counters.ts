import type { Store } from '../../store/store.ts';
import { list, transact } from '../../store/transaction.ts';
import { ACCOUNTS } from './accounts.ts';
import { nameCounters } from './name-counters.ts';

/**
 * Names the counters of all accounts that version 0.1.0 opened: it counted under their ids, so that addresses with tags had caps of their
 * own. It can run at any time, several times and in several processes.
 *
 * @throws StoreError when the store does not respond; it can be run again then
 */
export async function nameOldCounters(store: Store): Promise<void> {
  for (const [id, { counted_as }] of await list(store, ACCOUNTS)) {
    if (counted_as === undefined) await nameCountersOf(store, id);
  }
}

/**
 * Names the counters of an account of version 0.1.0, and takes over what it has used today. Does nothing to other accounts.
 *
 * @param id the account's id
 */
export async function nameCountersOf(store: Store, id: string): Promise<void> {
  const name = await transact(store, async (transaction) => {
    const account = await transaction.get(ACCOUNTS, id);
    if (account === undefined || account.counted_as !== undefined) return undefined;
    const counted_as = await nameCounters(transaction, account.email);
    transaction.put(ACCOUNTS, id, { ...account, counted_as });
    transaction.changeRevision();
    return counted_as;
  });
  if (name === undefined) return;
  await store.mergeCounters(name, (await store.readCounters(id)).counters, `named ${id}`);
  await store.removeCounters(id);
}
