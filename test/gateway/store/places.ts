import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../gateway/store/sqlite-store.ts';
import type { Store } from '../../../gateway/store/store.ts';
import { readFolder } from './read-folder.ts';
import type { TestCluster } from './redis-cluster-servers.ts';
import { countKeys, startRedis } from './redis-server.ts';

/** An empty place for a store, made for one test. */
export interface StorePlace {
  /** The value for `--store`. */
  address: string;
  /** @param now replaces the store's own clock */
  open(now?: () => number): Promise<Store>;
  /** Everything that it keeps outside the process. */
  readAll(): Promise<Buffer>;
  /** How many records and counters it keeps, expired ones too if they still use space. */
  countKept?(): Promise<number>;
  remove(): Promise<void>;
}

/** A folder. */
export async function sqlitePlace(): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  return {
    address: folder,
    open: (now) => openSqliteStore(folder, now ? { now } : {}),
    readAll: () => readFolder(folder),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Clusters take long to start, so each is used by one place after the other. */
const freeClusters: TestCluster[] = [];
const clusters: TestCluster[] = [];

/** A Redis Cluster that no other place uses meanwhile. */
export async function clusterPlace(): Promise<StorePlace> {
  const { openRedisStore } = await import('../../../gateway/redis/redis-store.ts');
  const { startCluster } = await import('./redis-cluster-servers.ts');
  let cluster = freeClusters.pop();
  if (cluster === undefined) {
    cluster = await startCluster();
    clusters.push(cluster);
  }
  const { address, servers, clear } = cluster;
  const used = cluster;
  return {
    address,
    open: (now) => openRedisStore(address, { waitMs: 100_000, ...(now && { now }) }),
    readAll: async () => Buffer.concat(await Promise.all(servers.map((server) => server.readAll()))),
    countKept: async () => (await Promise.all(servers.map(countKeys))).reduce((sum, count) => sum + count, 0),
    async remove() {
      await clear();
      freeClusters.push(used);
    },
  };
}

/** Ends the clusters that places have used. */
export async function endClusters(): Promise<void> {
  for (const cluster of clusters) await cluster.remove();
}

/** A new redis-server. */
export async function redisPlace(): Promise<StorePlace> {
  // It loads slowly, and most files that need a place need no Redis.
  const { openRedisStore } = await import('../../../gateway/redis/redis-store.ts');
  const server = await startRedis();
  return {
    address: server.address,
    // A long time, because with the usual one the gateway would count in memory on a busy machine.
    open: (now) => openRedisStore(server.address, { waitMs: 100_000, ...(now && { now }) }),
    readAll: server.readAll,
    countKept: () => countKeys(server),
    remove: server.remove,
  };
}
