import { createClient, createCluster, createSentinel, ErrorReply, RedisClient } from '@redis/client';
import { parseRedisAddress, type RedisAddress } from '../../core/store/address.ts';
import { StoreError } from '../../core/store/store.ts';

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
/** How often a call is sent to another server, because its slot has moved. */
const MAX_REDIRECTIONS = 5;
/** The store limits the time of each call itself. */
const UNLIMITED = { timeout: 0 };
/** Failures are reported to those whose commands fail. */
const ignore = () => {};

/**
 * Connects to the servers of an address.
 *
 * @throws Error when they do not respond, or are of another kind than the address says
 */
export async function connect(address: string): Promise<RedisClients> {
  const parsed = parseRedisAddress(address);
  if (parsed.kind === 'cluster') return await connectToCluster(parsed);
  if (parsed.kind === 'sentinel') return await connectToMaster(parsed);
  return await connectToServer(address);
}

async function connectToServer(address: string): Promise<RedisClients> {
  let isOpen = false;
  const options = optionsOf(address, () => isOpen && RECONNECT_MS);
  const client = createClient({ ...options, RESP: 2, commandOptions: UNLIMITED }).on('error', ignore);
  await client.connect();
  isOpen = true;
  const clients = oneServer(client, (command) => client.sendCommand(command));
  try {
    await checkKind(clients);
  } catch (error) {
    client.destroy();
    throw error;
  }
  return clients;
}

/** Connects to the master that sentinels name, and follows them to another one. */
async function connectToMaster({ hosts, master, urlOf }: RedisAddress): Promise<RedisClients> {
  const nodeClientOptions = optionsOf(urlOf(hosts[0] ?? ''));
  const { socket, username, password, credentialsProvider, database, ...withoutLogin } = nodeClientOptions;
  const withLogin = { ...withoutLogin, ...(credentialsProvider && { credentialsProvider }) };
  const failures: unknown[] = [];
  const open = async (sentinelOptions: typeof withLogin) => {
    const sentinel = createSentinel({
      name: master,
      sentinelRootNodes: hosts.map((host) => hostOf(urlOf(host))),
      nodeClientOptions,
      sentinelClientOptions: {
        ...sentinelOptions,
        pingInterval: SENTINEL_PING_MS,
        socket: { ...socket, socketTimeout: SENTINEL_SILENCE_MS },
      },
      RESP: 2,
      commandOptions: UNLIMITED,
      // All calls share one connection, and none is sent again: only a commit can be, which does so itself.
      reserveClient: true,
      maxCommandRediscovers: 0,
    }).on('error', (error) => failures.push(error));
    await sentinel.connect();
    return oneServer(sentinel, (command) => sentinel.sendCommand(false, command));
  };
  try {
    // Most sentinels have no password, also where the servers have one.
    return await open(withoutLogin).catch((error) => {
      if (failures.some((failure) => /NOAUTH/.test(String(failure)))) return open(withLogin);
      throw error;
    });
  } catch (error) {
    const reasons = new Set(
      [...failures, error].map((failure) => (failure instanceof Error ? failure.message : failure)),
    );
    throw new StoreError(
      `no sentinel leads to the master ${master}: ${[...reasons].join('; ')}; see whether the sentinels run and know it`,
      { cause: error },
    );
  }
}

/** Connects to a cluster, and follows its slots. A server is connected to when it is first used. */
async function connectToCluster({ hosts, urlOf }: RedisAddress): Promise<RedisClients> {
  const [first = ''] = hosts;
  let failure: unknown;
  const cluster = createCluster({
    rootNodes: hosts.map((host) => ({ socket: hostOf(urlOf(host)) })),
    defaults: optionsOf(urlOf(first)),
    RESP: 2,
    commandOptions: UNLIMITED,
    minimizeConnections: true,
    maxCommandRedirections: MAX_REDIRECTIONS,
    // Whenever connecting again has failed, it asks another server which servers there are.
    topologyRefreshOnReconnectionAttemptStrategy: 1,
  }).on('error', (error) => {
    failure = error;
  });
  try {
    await cluster.connect();
  } catch (error) {
    if (!(failure instanceof ErrorReply)) throw failure ?? error;
    throw new StoreError(`${failure.message}; if it is one server and no cluster, name it as redis://`);
  }
  return {
    isCluster: true,
    servers: () =>
      new Map(
        cluster.masters.map((node) => [
          node.address,
          async (command) => (await cluster.nodeClient(node)).sendCommand(command, UNLIMITED),
        ]),
      ),
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

/** @throws StoreError where a server is not one that holds a whole store by itself */
async function checkKind(clients: RedisClients): Promise<void> {
  const reply = await clients.send('', ['HELLO']).catch((error: unknown) => {
    // A server that does not know the command, or does not permit it, cannot be checked.
    if (error instanceof ErrorReply) return [];
    throw error;
  });
  const words = Array.isArray(reply) ? reply.map(String) : [];
  const readWord = (name: string) => words[words.indexOf(name) + 1];
  if (readWord('mode') === 'cluster')
    throw new StoreError(
      'it is a server of a Redis Cluster; name the cluster as redis+cluster://host:port,host:port',
    );
  if (readWord('mode') === 'sentinel')
    throw new StoreError('it is a Redis Sentinel; name it as redis+sentinel://host:port,host:port/master');
  if (readWord('role') === 'replica' || readWord('role') === 'slave')
    throw new StoreError(
      'it is a replica, which takes no writes; name its master, or its sentinels as redis+sentinel://',
    );
}
