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
