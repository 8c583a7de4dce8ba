import { setImmediate as nextTick } from 'node:timers/promises';
import { ACCOUNTS } from '../../store/accounts/accounts.ts';
import { nameCounters } from '../../store/accounts/name-counters.ts';
import type { Account } from '../../access/account.ts';
import type { Store } from '../../store/store.ts';
import { table, transact } from '../../store/transaction.ts';
import { find, parseListed } from '../../lists/lists.ts';

/** `ALL` while all accounts are known to have names for their counters. */
const NAMED = table<true>('counters-named');
const ALL = 'all';
/** After this time the accounts are read again: version 0.1.0 may have opened some, after a rollback. */
const AGAIN_MS = 7 * 86_400_000;
/** How many accounts are read in one event-loop tick. */
const PAGE = 200;

/**
 * Names the counters of all accounts that version 0.1.0 opened: it counted under their ids, so that addresses with tags had caps of their
 * own. It can run at any time, several times and in several processes. Within a week of a complete run, it does nothing.
 *
 * @param now ms since 1970
 * @throws StoreError when the store does not respond; it can be run again then
 */
export async function nameOldCounters(store: Store, now: number): Promise<void> {
  if (await find(store, NAMED, ALL)) return;
  for (let after = ''; ; ) {
    const page = await store.list(ACCOUNTS.prefix, { after, limit: PAGE });
    for (const [name, text] of page) {
      const account = parseListed<Account>(store, name, text);
      if (account && account.counted_as === undefined) await nameCountersOf(store, account.id);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    after = last[0];
    // SQLite responds at once: without this pause, requests would wait for all pages.
    await nextTick();
  }
  await transact(store, async (transaction) => transaction.put(NAMED, ALL, true, now + AGAIN_MS));
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
