import type { Log } from '../log/log.ts';
import { isRedisAddress } from './address.ts';
import type { Store } from './store.ts';

/** What `--store` takes, for the help of commands. */
export const STORE_HELP = 'where keys, accounts and quotas are: a folder, redis://… or rediss://…';

/**
 * Opens a store by its address. Only the driver that is needed is loaded.
 *
 * @param address a folder, for LMDB, or the `redis://` or `rediss://` URL of a Redis or Valkey server
 * @param log told when a server goes and comes back
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
