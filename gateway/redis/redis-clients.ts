import { createClient, createCluster, createSentinel, ErrorReply, RedisClient } from '@redis/client';
import { parseRedisAddress, type RedisAddress } from './redis-address.ts';
import { StoreError } from '../store/store.ts';
import { reasonOf } from './redis-server.ts';

/** Sends a command to a server, at the end of the event-loop tick. */
export type Send = (command: (string | Buffer)[]) => Promise<unknown>;

/** The servers of a store, and the way of commands to them. */
export interface RedisClients {
  /** Whether each key has a server of a cluster, and so all keys of a script must have the same hash slot. */
  readonly isCluster: boolean;
  /** Each server that is in use now, by its name; a name is '' where there is one server. */
  servers(): Map<string, Send>;
  /** The name of the server that has a key now; undefined if there is none. */
  serverOf(key: string): string | undefined;
  /** Sends a command to the server that has a key. */
  send(key: string, ...command: Parameters<Send>): ReturnType<Send>;
  /** Waits for what was sent, and disconnects. */
  close(): Promise<unknown>;
  /** Disconnects at once. */
  destroy(): unknown;
}

/** How long connecting may take, and a server may send nothing, in ms. */
const SILENCE_MS = 5000;
const RECONNECT_MS = 200;
/** How often a sentinel is asked whether it is there, and how long it may send nothing, in ms. */
const SENTINEL_PING_MS = 1000;
const SENTINEL_SILENCE_MS = 3000;
/** The store limits the time of each call itself. */
const UNLIMITED = { timeout: 0 };

/**
 * Connects to the servers of an address.
 *
 * @throws Error when they do not respond, or are of another kind than the address says
 */
export function connect(address: string): Promise<RedisClients> {
  const parsed = parseRedisAddress(address);
  if (parsed.kind === 'cluster') return connectToCluster(parsed);
  if (parsed.kind === 'sentinel') return connectToMaster(parsed);
  return connectToServer(address);
}

async function connectToServer(address: string): Promise<RedisClients> {
  let isOpen = false;
  const options = optionsOf(address, () => isOpen && RECONNECT_MS);
  const client = createClient({ ...options, RESP: 2, commandOptions: UNLIMITED }).on('error', () => {});
  const clients = oneServer(client, (command) => client.sendCommand(command));
  try {
    await client.connect();
    isOpen = true;
    await checkKind(clients);
    return clients;
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/** Connects to the master that sentinels name, and follows them to another one. */
async function connectToMaster({ hosts, master, urlOf }: RedisAddress): Promise<RedisClients> {
  const nodeClientOptions = optionsOf(urlOf(hosts[0] ?? ''));
  const { credentialsProvider, socket } = nodeClientOptions;
  const failures = new Set<string>();
  // Most sentinels have no password, also where the servers have one.
  for (const login of [{}, { ...(credentialsProvider && { credentialsProvider }) }]) {
    const sentinel = createSentinel({
      name: master,
      sentinelRootNodes: hosts.map((host) => hostOf(urlOf(host))),
      nodeClientOptions,
      sentinelClientOptions: {
        ...login,
        pingInterval: SENTINEL_PING_MS,
        socket: { ...socket, socketTimeout: SENTINEL_SILENCE_MS },
      },
      RESP: 2,
      commandOptions: UNLIMITED,
      // All calls share one connection. None is sent again by the client: some would be done twice.
      reserveClient: true,
      maxCommandRediscovers: 0,
    }).on('error', (error) => {
      if (error instanceof Error) failures.add(error.message);
    });
    try {
      await sentinel.connect();
      return oneServer(sentinel, (command) => sentinel.sendCommand(false, command));
    } catch (error) {
      failures.add(reasonOf(error));
      if (![...failures].some((failure) => failure.includes('NOAUTH'))) break;
    }
  }
  throw new StoreError(
    `no sentinel leads to the master ${master}: ${[...failures].join('; ')}; see whether the sentinels run and know it`,
  );
}

/** Connects to a cluster, and follows its slots. A server is connected to when it is first used. */
async function connectToCluster({ hosts, urlOf }: RedisAddress): Promise<RedisClients> {
  const [first = ''] = hosts;
  let failure: unknown;
  const cluster = createCluster({
    rootNodes: hosts.map((host) => ({ socket: hostOf(urlOf(host)) })),
    defaults: optionsOf(urlOf(first)),
    // A server that does not know its own name is where the first one is.
    nodeAddressMap: (address) => {
      const [, port] = /^(?:null)?:(\d+)$/.exec(address) ?? [];
      return port === undefined ? undefined : { host: hostOf(urlOf(first)).host, port: Number(port) };
    },
    RESP: 2,
    commandOptions: UNLIMITED,
    minimizeConnections: true,
    // Whenever connecting again has failed, it asks another server which servers there are.
    topologyRefreshOnReconnectionAttemptStrategy: 1,
  }).on('error', (error) => {
    failure = error;
  });
  await cluster.connect().catch((error: unknown) => {
    if (!(failure instanceof ErrorReply)) throw failure ?? error;
    throw new StoreError(`${failure.message}; if it is one server and no cluster, name it as redis://`);
  });
  const sendTo = (node: (typeof cluster.masters)[number]): Send => {
    return async (command) => (await cluster.nodeClient(node)).sendCommand(command, UNLIMITED);
  };
  return {
    isCluster: true,
    servers: () => new Map(cluster.masters.map((node) => [node.address, sendTo(node)])),
    serverOf: (key) => cluster.slots[slotOf(key)]?.master.address,
    send: (key, command) => cluster.sendCommand(key, false, command),
    close: () => cluster.close(),
    destroy: () => cluster.destroy(),
  };
}

function oneServer(client: { close(): Promise<unknown>; destroy(): unknown }, send: Send): RedisClients {
  const servers = new Map([['', send]]);
  return {
    isCluster: false,
    servers: () => servers,
    serverOf: () => '',
    send: (_, command) => send(command),
    close: () => client.close(),
    destroy: () => client.destroy(),
  };
}

/** The options of each connection. A command that cannot be sent now must fail now. */
function optionsOf(url: string, reconnectStrategy: number | (() => number | false) = RECONNECT_MS) {
  const { socket, ...login } = RedisClient.parseURL(url);
  return {
    ...login,
    disableOfflineQueue: true,
    maintNotifications: 'disabled' as const,
    socket: { ...socket, connectTimeout: SILENCE_MS, socketTimeout: SILENCE_MS, reconnectStrategy },
  };
}

function hostOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/[[\]]/g, ''), port: Number(port) };
}

/** The hash slot of a key, by its hash tag: CRC-16/XMODEM, as the specification of Redis Cluster says. */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(/^[^{]*\{([^}]+)\}/.exec(key)?.[1] ?? key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0);
  }
  return crc & 0x3fff;
}

/** Words in what a server reports of itself, and what is wrong where it does not hold a whole store by itself. */
const OTHER_KINDS: readonly (readonly [word: string, advice: string])[] = [
  ['cluster', 'a server of a Redis Cluster; name the cluster as redis+cluster://host:port,host:port'],
  ['sentinel', 'a Redis Sentinel; name it as redis+sentinel://host:port,host:port/master'],
  ['replica', 'a replica, which takes no writes; name its master, or its sentinels as redis+sentinel://'],
  ['slave', 'a replica, which takes no writes; name its master, or its sentinels as redis+sentinel://'],
];

/** @throws StoreError where a server is not one that holds a whole store by itself */
async function checkKind({ send }: RedisClients): Promise<void> {
  const reply = await send('', ['HELLO']).catch((error: unknown) => {
    // A server that does not know the command, or does not permit it, cannot be checked.
    if (error instanceof ErrorReply) return [];
    throw error;
  });
  for (const [word, advice] of OTHER_KINDS)
    if (Array.isArray(reply) && reply.includes(word)) throw new StoreError(`it is ${advice}`);
}
