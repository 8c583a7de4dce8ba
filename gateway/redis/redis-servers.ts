import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { ErrorReply } from '@redis/client';
import type { Log } from '../http/log.ts';
import { type Deadlines, type Revision, StoreError, StoreRefusal } from '../store/store.ts';
import { connect, type RedisClients, type Send, slotOf } from './redis-clients.ts';
import { layoutOf, type RedisLayout } from './redis-layout.ts';
import type { Script } from './redis-scripts.ts';
import { RedisServer, reasonOf } from './redis-server.ts';
import { within } from './within.ts';

/** An argument of a script. A function returns texts of one length, and is called again just before the script is sent. */
export type Argument = string | (() => string);

/** A script to run. */
export interface Call {
  script: Script;
  /** The first one decides on which server of a cluster it runs. */
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
  readonly name: string;
  readonly deadlines: Deadlines;
  readonly layout: RedisLayout;
  /** The identity that the store must have; empty if any is accepted. */
  identity = '';
  readonly #clients: RedisClients;
  readonly #log: Log | undefined;
  /** What is known of each server, by its address. */
  readonly #servers = new Map<string, RedisServer>();
  #probes: NodeJS.Timeout | undefined;
  #isClosed = false;
  #revision: Revision = { value: '', heardAt: Number.NEGATIVE_INFINITY };

  private constructor(clients: RedisClients, { name, log, deadlines }: RedisServersOptions) {
    this.name = name;
    this.deadlines = deadlines;
    this.layout = layoutOf(clients);
    this.#clients = clients;
    this.#log = log;
  }

  /**
   * Connects to the servers of an address.
   *
   * @throws StoreError when they do not respond within 5 seconds, or are of another kind than the address says
   */
  static async open(address: string, options: RedisServersOptions): Promise<RedisServers> {
    let servers: RedisServers | undefined;
    try {
      servers = new RedisServers(await connect(address), options);
      await servers.#open();
      return servers;
    } catch (error) {
      await servers?.close();
      const advice =
        error instanceof StoreError
          ? ''
          : '; check that Redis runs there, or name another store with --store';
      throw new StoreError(`cannot open the store ${options.name}: ${reasonOf(error)}${advice}`, {
        cause: error,
      });
    }
  }

  /**
   * Runs a script.
   *
   * @throws StoreRefusal when the servers are closed, or do not have the store
   * @throws StoreError when there is no response in time. While the server does not respond, it is thrown at once for a call with short
   *   patience, and within a second for any other
   */
  async run({ script, keys, args, patience }: Call): Promise<unknown> {
    if (this.#isClosed) throw new StoreRefusal(`the store ${this.name} is closed`);
    const [key = ''] = keys;
    const server = this.#serverOf(this.#clients.serverOf(key));
    if (patience > this.deadlines.total)
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
    const patience = isUp ? CLOSING_MS : this.deadlines.total;
    await within(this.#clients.close(), patience).catch(() => this.#clients.destroy());
  }

  async #open(): Promise<void> {
    await this.#probeAll(FIRST_PROBE_MS);
    const patience = Math.max(PROBE_PATIENCE_MS, this.deadlines.total);
    this.#probes = setInterval(() => this.#probeAll(patience).catch(() => {}), PROBE_MS).unref();
  }

  #serverOf(address: string | undefined): RedisServer {
    if (address === undefined)
      throw new StoreError(`the store ${this.name} failed: no server of the cluster has the key`);
    let server = this.#servers.get(address);
    if (!server) {
      const name = address === '' ? this.name : `${this.name} (its server ${address})`;
      server = new RedisServer(name, this.#log);
      this.#servers.set(address, server);
    }
    return server;
  }

  /**
   * Probes each server that is not being probed, and forgets those that are no longer in use.
   *
   * @throws the failure of the server that has the records
   */
  async #probeAll(patience: number): Promise<void> {
    const inUse = this.#clients.servers();
    for (const address of this.#servers.keys()) if (!inUse.has(address)) this.#servers.delete(address);
    const [recordsKey = ''] = this.layout.keysOf([]);
    const records = this.#clients.serverOf(recordsKey);
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
    const { scripts, keysOf } = this.layout;
    const keys = keysOf([]);
    const sendTo: Send = (command) => this.#clients.send(keys[0] ?? '', command);
    const reply = await send(sendTo, scripts.probe, keys, [this.identity]);
    const [time, value, identity] = reply as [time: string, revision: string, identity: string];
    server.noteTime(Number(time), askedAt);
    if (this.identity !== '' && identity !== `|${this.identity}`) return server.noteLoss(identity !== '');
    this.#revision = { value, heardAt: askedAt };
    server.noteUp();
  }
}

/** Probes a server of a cluster that has no records. */
async function probeClock(server: RedisServer, sendTo: Send): Promise<void> {
  const askedAt = performance.now();
  const [seconds, microseconds] = (await sendTo(['TIME'])) as [string, string];
  server.noteTime(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000), askedAt);
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
