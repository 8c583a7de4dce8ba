import { ErrorReply } from '@redis/client';
import type { Log } from '../../core/log/log.ts';
import { parseRedisAddress } from '../../core/store/address.ts';
import type { Deadlines } from '../../core/store/deadlines.ts';
import { RedisCluster } from './redis-cluster.ts';
import type { RedisConnection } from './redis-connection.ts';
import { CLUSTER_LAYOUT, type RedisLayout, SERVER_LAYOUT } from './redis-layout.ts';
import { RedisLink } from './redis-link.ts';
import { openMaster } from './redis-sentinel.ts';
import type { RedisServers } from './redis-servers.ts';
import { StoreError } from '../../core/store/store.ts';

const HELLO_MS = 5000;

/**
 * Connects to the servers of an address.
 *
 * @param options `name` is what messages call them
 * @throws StoreError when they do not respond within 5 seconds, or are of another kind than the address says
 */
export async function openServers(
  address: string,
  { name, log, deadlines }: { name: string; log: Log | undefined; deadlines: Deadlines },
): Promise<{ servers: RedisServers; layout: RedisLayout }> {
  const { kind, hosts, master, urlOf } = parseRedisAddress(address);
  if (kind === 'cluster') {
    const layout = CLUSTER_LAYOUT;
    return { servers: await RedisCluster.open({ hosts, urlOf, name, log, layout, deadlines }), layout };
  }
  const layout = SERVER_LAYOUT;
  if (kind === 'sentinel')
    return { servers: await openMaster({ hosts, urlOf, master, name, log, layout, deadlines }), layout };
  const check = (connection: RedisConnection) => checkKind(connection, name);
  return { servers: await RedisLink.open({ url: address, name, log, layout, deadlines, check }), layout };
}

/** @throws StoreError where a server is not one that holds a whole store by itself */
async function checkKind(connection: RedisConnection, name: string): Promise<void> {
  const reply = await connection.send(['HELLO'], HELLO_MS).catch((error: unknown) => {
    // A server that does not know the command, or does not permit it, cannot be checked.
    if (error instanceof ErrorReply) return [];
    throw error;
  });
  const { mode, role } = readPairs(reply);
  if (mode === 'cluster')
    throw refuse(
      name,
      'it is a server of a Redis Cluster; name the cluster as redis+cluster://host:port,host:port',
    );
  if (mode === 'sentinel')
    throw refuse(name, 'it is a Redis Sentinel; name it as redis+sentinel://host:port,host:port/master');
  if (role === 'replica' || role === 'slave')
    throw refuse(
      name,
      'it is a replica, which takes no writes; name its master, or its sentinels as redis+sentinel://',
    );
}

function refuse(name: string, reason: string): StoreError {
  return new StoreError(`cannot open the store ${name}: ${reason}`);
}

/** Names and values in turn, as an object. */
function readPairs(reply: unknown): Record<string, unknown> {
  const list = Array.isArray(reply) ? (reply as unknown[]) : [];
  return Object.fromEntries(list.flatMap((name, index) => (index % 2 ? [] : [[name, list[index + 1]]])));
}
