import { findFreePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { type RedisServer, sendToRedis, sendWord, startRedis } from './redis-server.ts';

/** A Redis Cluster of a test's own. */
export interface TestCluster {
  /** What `--store` takes. */
  address: string;
  /** Its servers, the masters first. */
  servers: RedisServer[];
  /** Removes all keys. */
  clear(): Promise<void>;
  /** Ends all servers and removes what they have written. */
  remove(): Promise<void>;
}

const SLOTS = 16_384;
const MASTERS = 3;
/** Each look at the state of the servers needs a client for each. */
const POLL_MS = 100;

/**
 * Starts a cluster of three masters.
 *
 * @param replicas how many servers follow the first master
 */
export async function startCluster(replicas = 0): Promise<TestCluster> {
  const servers = await Promise.all(Array.from({ length: MASTERS + replicas }, startNode));
  const masters = servers.slice(0, MASTERS);
  await Promise.all(masters.map((master, index) => giveSlots(master, index)));
  const [first] = servers as [RedisServer];
  for (const server of servers.slice(1)) await meet(server, first);
  await until(async () => (await Promise.all(servers.map(knowsAll(servers.length)))).every(Boolean), POLL_MS);
  const id = String(await sendToRedis(first, ['CLUSTER', 'MYID']));
  for (const replica of servers.slice(MASTERS)) await sendToRedis(replica, ['CLUSTER', 'REPLICATE', id]);
  await until(async () => (await Promise.all(servers.map(isWell))).every(Boolean), POLL_MS);
  const hosts = masters.map(({ address }) => new URL(address).host);
  return {
    address: `redis+cluster://${hosts.join(',')}`,
    servers,
    async clear() {
      // A replica refuses this, and its master does it for both; a server that was killed has nothing.
      for (const { address } of servers)
        await sendWord(Number(new URL(address).port), 'FLUSHALL').catch(() => {});
    },
    async remove() {
      for (const server of servers) await server.remove();
    },
  };
}

async function startNode(): Promise<RedisServer> {
  return await startRedis({
    'cluster-enabled': 'yes',
    'cluster-port': String(await findFreePort()),
    'cluster-node-timeout': '1500',
    // The accounts of other servers go on being counted while one is away.
    'cluster-require-full-coverage': 'no',
    'cluster-announce-ip': '127.0.0.1',
  });
}

async function giveSlots(master: RedisServer, index: number): Promise<void> {
  const [from, to] = [index, index + 1].map((part) => Math.round((SLOTS * part) / MASTERS));
  await sendToRedis(master, ['CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1)]);
  await sendToRedis(master, ['CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1)]);
}

async function meet(server: RedisServer, first: RedisServer): Promise<void> {
  const { hostname, port } = new URL(first.address);
  const [, bus = ''] = /@(\d+)/.exec(String(await sendToRedis(first, ['CLUSTER', 'NODES']))) ?? [];
  await sendToRedis(server, ['CLUSTER', 'MEET', hostname, port, bus]);
}

function knowsAll(count: number) {
  return async (server: RedisServer): Promise<boolean> =>
    String(await sendToRedis(server, ['CLUSTER', 'NODES']))
      .trim()
      .split('\n')
      .filter((line) => line.includes('connected') && !line.includes('handshake')).length === count;
}

async function isWell(server: RedisServer): Promise<boolean> {
  const info = String(await sendToRedis(server, ['CLUSTER', 'INFO']));
  return info.includes('cluster_state:ok') && info.includes(`cluster_slots_assigned:${SLOTS}`);
}
