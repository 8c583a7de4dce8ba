import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore } from '../../../gateway/store/lmdb-store.ts';
import type { Store } from '../../../gateway/store/store.ts';
import { readFolder } from './read-folder.ts';
import { startRedis } from './redis-server.ts';

/** An empty place for a store, made for one test. */
export interface StorePlace {
  /** What `--store` takes. */
  address: string;
  /** @param now what it counts by; its own clock without */
  open(now?: () => number): Promise<Store>;
  /** All that is kept of it outside of the process. */
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

/** A redis-server of its own. */
export async function redisPlace(): Promise<StorePlace> {
  // Takes longest to load, and most files that need a place need no Redis.
  const { openRedisStore } = await import('../../../gateway/store/redis-store.ts');
  const server = await startRedis();
  return {
    address: server.address,
    // What it does is the subject, and not how soon: a request would count by itself where the machine is busy.
    open: (now) => openRedisStore(server.address, { countMs: 60_000, ...(now && { now }) }),
    readAll: server.readAll,
    remove: server.remove,
  };
}
