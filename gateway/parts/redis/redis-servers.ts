import { ErrorReply } from '@redis/client';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/log/log.ts';
import type { Deadlines } from '../../core/store/deadlines.ts';
import { type Revision, StoreError, StoreRefusal } from '../../core/store/store.ts';
import { connect, type RedisClients, type Send, slotOf } from './redis-clients.ts';
import { CLUSTER_LAYOUT, type RedisLayout, SERVER_LAYOUT } from './redis-layout.ts';
import type { Script } from './redis-scripts.ts';
import { RedisServer, reasonOf } from './redis-server.ts';
import { within } from './within.ts';

/** An argument of a script. A function returns texts of one length, and is called again just before the script is sent. */
export type Argument = string | (() => string);

/** A script to run. */
export interface Call {
  script: Script;
  /** The first one decides on which server of a cluster it runs; without any, it runs where the records are. */
  keys: readonly string[];
  args: readonly Argument[];
  /** How long each response may take, in ms; there are two if the server does not know the script yet. */
  patience: number;
}

/** Options of a store's servers. */
export interface RedisServersOptions {
  /** What messages call the store: the address without its password. */
  name: string;
  /** Gets an entry when a server goes and comes back. */
  log: Log | undefined;
  deadlines: Deadlines;
}

/** The interval of probes, which request Redis's time and the store's revision, and how long each may take, in ms. */
const PROBE_MS = 200;
const PROBE_PATIENCE_MS = 200;
const FIRST_PROBE_MS = 5000;
/** While Redis is late, a call for which a request waits fails at once. Every other call first waits for Redis, for this long, in ms. */
const LATE_MS = 1000;
const CLOSING_MS = 5000;

/**
 * Runs scripts on one server, on the master of sentinels, or on the servers of a cluster. It probes each server, so that calls on its keys
 * fail at once while it is away.
 */
export class RedisServers {
  readonly layout: RedisLayout;
  readonly #clients: RedisClients;
  readonly #options: RedisServersOptions;
  readonly #servers = new Map<string, RedisServer>();
  /** A key that is where all records are. */
  readonly #recordsKey: string;
  #probes: NodeJS.Timeout | undefined;
  #isClosed = false;
  #revision: Revision = { value: '', heardAt: Number.NEGATIVE_INFINITY };
  /** The identity that the store must have; empty if any is accepted. */
  identity = '';

  private constructor(clients: RedisClients, options: RedisServersOptions) {
    this.#clients = clients;
    this.#options = options;
    this.layout = clients.isCluster ? CLUSTER_LAYOUT : SERVER_LAYOUT;
    this.#recordsKey = this.layout.keysOfRecords([])[0] ?? '';
  }

  /**
   * Connects to the servers of an address.
   *
   * @throws StoreError when they do not respond within 5 seconds, or are of another kind than the address says
   */
  static async open(address: string, options: RedisServersOptions): Promise<RedisServers> {
    const clients = await connect(address).catch((error: unknown) => {
      throw describeFailure(options.name, error);
    });
    const servers = new RedisServers(clients, options);
    try {
      await servers.#probeAll(FIRST_PROBE_MS);
    } catch (error) {
      await servers.close();
      throw describeFailure(options.name, error);
    }
    servers.#probes = setInterval(() => servers.#probeAll().catch(() => {}), PROBE_MS).unref();
    return servers;
  }

  /**
   * Runs a script.
   *
   * @throws StoreRefusal when the servers are closed, or do not have the store
   * @throws StoreError when there is no response in time. While the server does not respond, it is thrown at once for a call with short
   *   patience, and within a second for any other
   */
  async run({ script, keys, args, patience }: Call): Promise<unknown> {
    const { name, deadlines } = this.#options;
    if (this.#isClosed) throw new StoreRefusal(`the store ${name} is closed`);
    const [key = this.#recordsKey] = keys;
    const server = this.#serverOf(this.#clients.serverOf(key));
    if (patience > deadlines.total)
      for (let waited = 0; server.absence && waited < LATE_MS; waited += PROBE_MS) await sleep(PROBE_MS);
    if (server.absence) throw server.absence;
    try {
      return await send((command) => within(this.#clients.send(key, command), patience), script, keys, args);
    } catch (error) {
      throw server.noteFailure(error);
    }
  }

  /** The store's revision, as it was reported last. */
  revision(): Revision {
    return this.#revision;
  }

  /** The time by the clock of the server that has a key, or a little earlier; ms since 1970. */
  time(key: string): number {
    // Before a server was heard of, no time is early enough.
    return this.#servers.get(this.#clients.serverOf(key) ?? '')?.time() ?? Number.NEGATIVE_INFINITY;
  }

  /** Keys of one group can be changed by one script. */
  groupOf(key: string): number {
    return this.#clients.isCluster ? slotOf(key) : 0;
  }

  /** Waits for what was sent, and disconnects; closing again does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#probes);
    // The client of a cluster passes commands on a little later.
    await nextTick();
    const isUp = [...this.#servers.values()].every(({ absence }) => absence === undefined);
    const patience = isUp ? CLOSING_MS : this.#options.deadlines.total;
    await within(this.#clients.close(), patience).catch(() => this.#clients.destroy());
  }

  #serverOf(address: string | undefined): RedisServer {
    const { name, log } = this.#options;
    if (address === undefined)
      throw new StoreError(`the store ${name} failed: no server of the cluster has the key`);
    let server = this.#servers.get(address);
    if (!server) {
      server = new RedisServer(address === '' ? name : `${name} (its server ${address})`, log);
      this.#servers.set(address, server);
    }
    return server;
  }

  /**
   * Probes each server that is not being probed, and forgets those that are no longer in use.
   *
   * @throws the failure of the server that has the records
   */
  async #probeAll(patience = Math.max(PROBE_PATIENCE_MS, this.#options.deadlines.total)): Promise<void> {
    const inUse = this.#clients.servers();
    for (const address of this.#servers.keys()) if (!inUse.has(address)) this.#servers.delete(address);
    const records = this.#clients.serverOf(this.#recordsKey);
    await Promise.all(
      [...inUse].map(async ([address, sendTo]) => {
        const server = this.#serverOf(address);
        if (server.isProbed) return;
        server.isProbed = true;
        // A late probe continues, and no other is sent before it ends.
        const probe = (address === records ? this.#probeRecords(server) : probeClock(server, sendTo)).finally(
          () => {
            server.isProbed = false;
          },
        );
        await within(probe, patience).catch((error: unknown) => {
          if (!this.#isClosed) server.noteDown(error);
          if (address === records) throw error;
        });
      }),
    );
  }

  async #probeRecords(server: RedisServer): Promise<void> {
    const askedAt = performance.now();
    const { scripts, keysOfRecords } = this.layout;
    const sendTo: Send = (command) => this.#clients.send(this.#recordsKey, command);
    const reply = await send(sendTo, scripts.probe, keysOfRecords([]), [this.identity]);
    const [time, value, identity] = reply as [time: string, revision: string, identity: string];
    server.noteReply(Number(time), askedAt);
    if (this.identity !== '' && identity !== `|${this.identity}`) return server.noteLoss(identity !== '');
    this.#revision = { value, heardAt: askedAt };
    server.noteUp();
  }
}

/** Probes a server of a cluster that has no records. */
async function probeClock(server: RedisServer, sendTo: Send): Promise<void> {
  const askedAt = performance.now();
  const [seconds, microseconds] = (await sendTo(['TIME'])) as [string, string];
  server.noteReply(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000), askedAt);
  server.noteUp();
}

/** Runs a script by its hash, or by its source if the server does not know it yet. */
async function send(
  sendTo: Send,
  { sha, source }: Script,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<unknown> {
  const sendAs = (command: string, text: string) =>
    sendTo([command, text, String(keys.length), ...keys, ...args.map(encode)]);
  try {
    return await sendAs('EVALSHA', sha);
  } catch (error) {
    if (!(error instanceof ErrorReply && error.message.startsWith('NOSCRIPT'))) throw error;
    return await sendAs('EVAL', source);
  }
}

function encode(argument: Argument): string | Buffer {
  if (typeof argument === 'string') return argument;
  const bytes = Buffer.from(argument());
  // A busy process may send late. The client sends in its own immediate, which it schedules after this one.
  setImmediate(() => bytes.write(argument()));
  return bytes;
}

/** The error of a store that cannot be opened. */
function describeFailure(name: string, error: unknown): StoreError {
  const advice =
    error instanceof StoreError ? '' : '; check that Redis runs there, or name another store with --store';
  return new StoreError(`cannot open the store ${name}: ${reasonOf(error)}${advice}`, { cause: error });
}
