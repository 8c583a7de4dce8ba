import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../../gateway/store/lmdb-store.ts';
import type { Store } from '../../../gateway/store/store.ts';
import { readFolder } from './read-folder.ts';
import { startRedis } from './redis-server.ts';

/** An empty place for a store, made for one test. */
export interface StorePlace {
  /** The value for `--store`. */
  address: string;
  /** @param now its clock; without it, its own */
  open(now?: () => number): Promise<Store>;
  /** Everything that it keeps outside the process. */
  readAll(): Promise<Buffer>;
  remove(): Promise<void>;
}

/** A folder. */
export async function lmdbPlace(): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  return {
    address: folder,
    open: (now) => openLmdbStore(folder, now ? { now } : {}),
    readAll: () => readFolder(folder),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** A new redis-server. */
export async function redisPlace(): Promise<StorePlace> {
  // It loads slowly, and most files that need a place need no Redis.
  const { openRedisStore } = await import('../../../gateway/store/redis-store.ts');
  const server = await startRedis();
  return {
    address: server.address,
    // A long time, because with the usual one the gateway would count in memory on a busy machine.
    open: (now) => openRedisStore(server.address, { countMs: 60_000, ...(now && { now }) }),
    readAll: server.readAll,
    remove: server.remove,
  };
}
