import { ErrorReply } from 'redis';
import type { Log } from '../log/log.ts';
import { type Argument, RedisConnection } from './redis-connection.ts';
import { SCRIPTS, type Script } from './redis-scripts.ts';
import { type Revision, StoreError } from './store.ts';
import { within } from './within.ts';

/** What a link is made of. */
export interface RedisLinkOptions {
  /** `redis://` or `rediss://` */
  url: string;
  /** What messages call the server: the address without its password. */
  name: string;
  /** Told when the server goes and comes back. */
  log?: Log | undefined;
}

/** How often Redis is asked for its time and the store's revision, in ms; how long the response may take. */
const PROBE_MS = 200;
const PROBE_PATIENCE_MS = 200;
const FIRST_PROBE_MS = 5000;
/** A connection that is silent while Redis is to be probed so often is replaced: its other end may be gone without a word. */
const MAX_SILENT_PROBES = 15;
/** What has no more patience than this is not sent while Redis is late; all else gives it this long to come back. */
const SHORT_MS = 250;
const LATE_MS = 1000;

/** Runs scripts on a Redis server. It never keeps a caller waiting, because it knows when the server is away, and comes back by itself. */
export class RedisLink {
  readonly #connection: RedisConnection;
  readonly #name: string;
  readonly #log: Log | undefined;
  #probes: NodeJS.Timeout | undefined;
  #isProbing = false;
  #isUp = true;
  #isClosed = false;
  #lastReason = '';
  /** Counts, where a clock would run on while this process is too busy to hear. */
  #silentProbes = 0;
  /** Redis's clock less this process's own. */
  #ahead = Number.NEGATIVE_INFINITY;
  #revision: Revision = { value: '', heardAt: Number.NEGATIVE_INFINITY };

  private constructor({ url, name, log }: RedisLinkOptions) {
    this.#connection = new RedisConnection({ url });
    this.#name = name;
    this.#log = log;
  }

  /**
   * Connects to a server.
   *
   * @throws StoreError when it does not answer within 5 seconds
   */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    await link.#open();
    return link;
  }

  /**
   * Runs a script.
   *
   * @param args a function is called just before the script is sent
   * @param patience how long the response may take, in ms
   * @throws StoreError when there is none in time; while Redis is known not to respond, at once where the patience is short, and within a
   *   second where it is not
   */
  async run(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    patience: number,
  ): Promise<unknown> {
    if (this.#isClosed) throw new StoreError(`the store ${this.#name} is closed`);
    if (!this.#isUp && patience <= SHORT_MS) throw new StoreError(`the store ${this.#name} does not answer`);
    try {
      const ms = this.#isUp ? patience : Math.min(patience, LATE_MS);
      return await this.#connection.send(script, keys, args, ms);
    } catch (error) {
      throw this.#noteFailure(error);
    }
  }

  /** The store's revision, as Redis reported it last. */
  revision(): Revision {
    return this.#revision;
  }

  /** The time by Redis's clock, as far as it can be known here: never ahead of it. ms since 1970. */
  time(): number {
    return performance.now() + this.#ahead;
  }

  /** Waits for what was sent, and disconnects; closing again does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#probes);
    if (this.#isUp) await this.#connection.close();
    else this.#connection.destroy();
  }

  async #open(): Promise<void> {
    try {
      await this.#connection.open();
      await within(this.#probe(), FIRST_PROBE_MS);
    } catch (error) {
      this.#connection.destroy();
      throw new StoreError(
        `cannot open the store ${this.#name}: ${reasonOf(error)}; see whether Redis runs there, or name another by --store`,
        { cause: error },
      );
    }
    this.#probes = setInterval(() => this.#watch(), PROBE_MS);
    this.#probes.unref();
  }

  #watch(): void {
    this.#silentProbes++;
    if (this.#silentProbes > MAX_SILENT_PROBES && this.#connection.isReady) {
      this.#silentProbes = 0;
      this.#connection.replace().catch((error) => this.#noteDown(error));
    }
    if (!this.#isProbing) void this.#probeInTime();
  }

  /** A probe goes on where it is late: no other is sent before it has ended. */
  async #probeInTime(): Promise<void> {
    this.#isProbing = true;
    const probe = this.#probe().finally(() => {
      this.#isProbing = false;
    });
    await within(probe, PROBE_PATIENCE_MS).catch((error) => this.#noteDown(error));
  }

  async #probe(): Promise<void> {
    const askedAt = performance.now();
    const [time, value] = (await this.#connection.send(SCRIPTS.probe, [], [])) as [string, string];
    this.#silentProbes = 0;
    this.#compareClocks(Number(time), askedAt);
    this.#revision = { value, heardAt: askedAt };
    if (!this.#isUp) this.#log?.info('the store is back', { store: this.#name });
    this.#isUp = true;
  }

  /** Redis's clock came to this millisecond after it was asked and before now: of several responses the quickest says most. */
  #compareClocks(time: number, askedAt: number): void {
    const least = time - performance.now();
    const wasSetBack = this.#ahead > time + 1 - askedAt;
    this.#ahead = wasSetBack ? least : Math.max(this.#ahead, least);
  }

  /** An error in reply to a script shows that Redis is there; any other failure, that it is not. */
  #noteFailure(error: unknown): StoreError {
    if (error instanceof ErrorReply) this.#noteRefusal(error);
    else this.#noteDown(error);
    const reason = reasonOf(error);
    return new StoreError(`the store ${this.#name} failed: ${reason}; see whether Redis is well`, {
      cause: error,
    });
  }

  #noteRefusal(error: ErrorReply): void {
    // The same reason is logged once.
    if (this.#isUp && error.message !== this.#lastReason) this.#logFailure(error.message);
    this.#lastReason = error.message;
  }

  #noteDown(error: unknown): void {
    const reason = reasonOf(error);
    if (this.#isUp) this.#logFailure(reason);
    this.#lastReason = reason;
    this.#isUp = false;
  }

  #logFailure(error: string): void {
    if (!this.#isClosed) this.#log?.error('the store failed', { store: this.#name, error });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
