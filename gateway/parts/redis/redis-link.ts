import { ErrorReply } from '@redis/client';
import type { Log } from '../../core/log/log.ts';
import type { Deadlines } from '../../core/store/deadlines.ts';
import { RedisConnection } from './redis-connection.ts';
import { RedisHealth, reasonOf } from './redis-health.ts';
import type { RedisLayout } from './redis-layout.ts';
import { TIME } from './redis-scripts.ts';
import type { PatientCall, RedisServers } from './redis-servers.ts';
import { type Revision, StoreError, StoreRefusal } from '../../core/store/store.ts';
import { within } from './within.ts';

/** Options of a link. */
export interface RedisLinkOptions {
  /** `redis://` or `rediss://` */
  url: string;
  /** What messages call the server: the address without its password. */
  name: string;
  /** Logs when the server goes and comes back. */
  log?: Log | undefined;
  layout: RedisLayout;
  deadlines: Deadlines;
  /** Checks the server before it is used; throws a StoreError where it cannot be. */
  check?: ((connection: RedisConnection) => Promise<void>) | undefined;
  /** Whether this server of a cluster has the records now; without it, it has. */
  hasRecords?: (() => boolean) | undefined;
}

/** The interval of probes, which request Redis's time and the store's revision, and how long each may take, in ms. */
const PROBE_MS = 200;
const PROBE_PATIENCE_MS = 200;
const FIRST_PROBE_MS = 5000;
/** After this many intervals without a reply the connection is replaced: its other end may be gone without closing it. */
const MAX_SILENT_PROBES = 15;
/** While Redis is late, a call for which a request waits fails at once. Every other call first waits for Redis, for this long, in ms. */
const LATE_MS = 1000;

/** Runs scripts on a Redis server. It probes the server, so that calls fail fast while it is away, and reconnects on its own. */
export class RedisLink implements RedisServers {
  readonly #connection: RedisConnection;
  readonly #name: string;
  readonly #health: RedisHealth;
  readonly #layout: RedisLayout;
  readonly #deadlines: Deadlines;
  readonly #hasRecords: () => boolean;
  #probes: NodeJS.Timeout | undefined;
  #isProbing = false;
  #isClosed = false;
  /** A count, not a time: time also passes while this process is too busy to read replies. */
  #silentProbes = 0;
  /** How far Redis's clock is ahead of this process's clock. */
  #ahead = Number.NEGATIVE_INFINITY;
  #revision: Revision = { value: '', heardAt: Number.NEGATIVE_INFINITY };
  /** The identity that the store must have; empty if any is accepted. */
  #identity = '';

  private constructor({ url, name, log, layout, deadlines, hasRecords = () => true }: RedisLinkOptions) {
    this.#connection = new RedisConnection({
      url,
      onBreak: () => this.#health.noteDown(new Error('the connection broke')),
    });
    this.#name = name;
    this.#health = new RedisHealth({ name, log });
    this.#layout = layout;
    this.#deadlines = deadlines;
    this.#hasRecords = hasRecords;
  }

  /**
   * Connects to a server.
   *
   * @throws StoreError when it does not respond within 5 seconds
   */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    await link.#open(options);
    return link;
  }

  /** Makes a link to a server that may not be there yet. */
  static start(options: RedisLinkOptions): RedisLink {
    const link = new RedisLink(options);
    link.#health.noteDown(new Error('it was not heard of yet'));
    link.#connection.start();
    link.#startProbes();
    return link;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether the server responds. */
  get isUp(): boolean {
    return this.#health.isUp;
  }

  /** The identity of the store, which it has to keep from now on. */
  get identity(): string {
    return this.#identity;
  }

  /** Makes all later calls fail while the store does not have this identity. */
  expect(identity: string): void {
    this.#identity = identity;
  }

  /**
   * Runs a script.
   *
   * @throws StoreRefusal when it is closed
   * @throws StoreError when there is no response in time. While Redis does not respond, it is thrown at once for a call with short
   *   patience, and within a second for any other
   */
  async run(call: PatientCall): Promise<unknown> {
    const { patience } = call;
    if (this.#isClosed) throw new StoreRefusal(`the store ${this.#name} is closed`);
    if (!this.#health.isUp && patience <= this.#deadlines.total) throw this.#health.describeAbsence();
    try {
      const ms = this.#health.isUp ? patience : Math.min(patience, LATE_MS);
      return await this.#connection.run({ ...call, patience: ms });
    } catch (error) {
      throw isRedirection(error) ? error : this.#health.noteFailure(error);
    }
  }

  /**
   * Sends a command.
   *
   * @param patience how long the response may take, in ms
   * @throws Error as the server or the connection reports it
   */
  send(command: readonly string[], patience: number): Promise<unknown> {
    return this.#connection.send(command, patience);
  }

  /** Goes on with another server in place of this one. */
  moveTo(url: string): void {
    this.#health.noteDown(new Error('another server takes its place'));
    this.#connection.replace(url).catch((error) => this.#health.noteDown(error));
  }

  /** All keys are on one server. */
  groupOf(): number {
    return 0;
  }

  /** The store's revision, as Redis reported it last. */
  revision(): Revision {
    return this.#revision;
  }

  /** An estimate of Redis's time, in ms since 1970. It is never ahead of Redis's clock. */
  time(): number {
    return performance.now() + this.#ahead;
  }

  /** Waits for what was sent, and disconnects; closing again does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#health.isLogged = false;
    clearInterval(this.#probes);
    if (this.#health.isUp) await this.#connection.close();
    else this.#connection.destroy();
  }

  async #open({ check }: RedisLinkOptions): Promise<void> {
    try {
      await this.#connection.open();
      await check?.(this.#connection);
      await within(this.#probe(), FIRST_PROBE_MS);
    } catch (error) {
      this.#isClosed = true;
      this.#connection.destroy();
      if (error instanceof StoreError) throw error;
      throw new StoreError(
        `cannot open the store ${this.#name}: ${reasonOf(error)}; check that Redis runs there, or name another store with --store`,
        { cause: error },
      );
    }
    this.#startProbes();
  }

  #startProbes(): void {
    this.#health.isLogged = true;
    this.#probes = setInterval(() => this.#watch(), PROBE_MS).unref();
  }

  #watch(): void {
    this.#silentProbes++;
    if (this.#silentProbes > MAX_SILENT_PROBES && this.#connection.isReady) {
      this.#silentProbes = 0;
      this.#connection.replace().catch((error) => this.#health.noteDown(error));
    }
    if (!this.#isProbing) void this.#probeInTime();
  }

  /** Probes Redis. A late probe continues, and no other is sent before it ends. */
  async #probeInTime(): Promise<void> {
    this.#isProbing = true;
    const probe = this.#probe().finally(() => {
      this.#isProbing = false;
    });
    await within(probe, Math.max(PROBE_PATIENCE_MS, this.#deadlines.total)).catch((error) =>
      this.#health.noteDown(error),
    );
  }

  async #probe(): Promise<void> {
    const askedAt = performance.now();
    const { scripts, keysOfRecords } = this.#layout;
    const reply = await this.#connection.run(
      this.#hasRecords()
        ? { script: scripts.probe, keys: keysOfRecords([]), args: [this.#identity] }
        : { script: TIME, keys: [], args: [] },
    );
    const [time, value, identity = ''] = reply as [time: string, revision?: string, identity?: string];
    this.#silentProbes = 0;
    this.#compareClocks(Number(time), askedAt);
    if (value !== undefined) {
      if (this.#identity !== '' && identity !== `|${this.#identity}`) {
        this.#health.noteLoss(identity !== '');
        return;
      }
      this.#revision = { value, heardAt: askedAt };
    }
    this.#health.noteUp();
  }

  /** Redis read its clock between the request and now, so the fastest of several replies gives the best estimate. */
  #compareClocks(time: number, askedAt: number): void {
    const least = time - performance.now();
    const wasSetBack = this.#ahead > time + 1 - askedAt;
    this.#ahead = wasSetBack ? least : Math.max(this.#ahead, least);
  }
}

/** Whether another server of a cluster has the keys. */
function isRedirection(error: unknown): boolean {
  return error instanceof ErrorReply && /^(MOVED|ASK) /.test(error.message);
}
