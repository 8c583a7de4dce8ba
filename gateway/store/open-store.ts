import type { Log } from '../log/log.ts';
import { isRedisAddress, nameStore } from './address.ts';
import { describeRecord } from './damage.ts';
import type { Store } from './store.ts';

/** The help of the option `--store`. */
export const STORE_HELP = 'where keys, accounts and quotas are: a folder, redis://… or rediss://…';

/** Options of opening a store. */
export interface OpenStoreOptions {
  /** Gets an entry when the store stops working, and when it works again. */
  log?: Log;
  /** Is called with the name of each damaged record that is found; without it, the log gets an entry. */
  reportDamage?: (record: string) => void;
}

/**
 * Opens a store by its address. Loads only the driver of this address.
 *
 * @param address a folder, for LMDB, or the `redis://` or `rediss://` URL of a Redis or Valkey server
 * @throws StoreError when it cannot be opened
 */
export async function openStore(address: string, options: OpenStoreOptions = {}): Promise<Store> {
  const { log } = options;
  const reportDamage =
    options.reportDamage ??
    ((record: string) => log?.error(`${describeRecord(record)} is damaged`, { store: nameStore(address) }));
  if (isRedisAddress(address)) {
    const { openRedisStore } = await import('./redis-store.ts');
    return await openRedisStore(address, { reportDamage, ...(log && { log }) });
  }
  const { openLmdbStore } = await import('./lmdb-store.ts');
  return await openLmdbStore(address, { reportDamage, ...(log && { log }) });
}

/**
 * Makes a store that can be used, also in place of one that was lost: then it is empty, and has the identity of the lost one.
 *
 * @returns its identity
 * @throws StoreError when it cannot be opened
 */
export async function initStore(address: string): Promise<string> {
  const store = isRedisAddress(address)
    ? await (await import('./redis-store.ts')).openRedisStore(address, { givesUp: true })
    : await openStore(address);
  try {
    return await store.identity();
  } finally {
    await store.close();
  }
}
