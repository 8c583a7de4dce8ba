import type { Log } from '../log/log.ts';
import { isRedisAddress } from './address.ts';
import type { Store } from './store.ts';

/** The help of the option `--store`. */
export const STORE_HELP = 'where keys, accounts and quotas are: a folder, redis://… or rediss://…';

/**
 * Opens a store by its address. Loads only the driver of this address.
 *
 * @param address a folder, for LMDB, or the `redis://` or `rediss://` URL of a Redis or Valkey server
 * @param log gets an entry when a server stops responding, and when it responds again
 * @throws StoreError when it cannot be opened
 */
export async function openStore(address: string, log?: Log): Promise<Store> {
  if (isRedisAddress(address)) {
    const { openRedisStore } = await import('./redis-store.ts');
    return await openRedisStore(address, log ? { log } : {});
  }
  const { openLmdbStore } = await import('./lmdb-store.ts');
  return await openLmdbStore(address);
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
