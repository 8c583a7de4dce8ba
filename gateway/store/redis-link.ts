import { ErrorReply } from 'redis';
import type { Log } from '../log/log.ts';
import { type Call, RedisConnection } from './redis-connection.ts';
import { LOST, SCRIPTS } from './redis-scripts.ts';
import { type Revision, StoreError, StoreRefusal } from './store.ts';
import { within } from './within.ts';

/** Options of a link. */
export interface RedisLinkOptions {
  /** `redis://` or `rediss://` */
  url: string;
  /** What messages call the server: the address without its password. */
  name: string;
  /** Logs when the server goes and comes back. */
  log?: Log | undefined;
}

/** A script to run, and how long the response may take, in ms. */
export type PatientCall = Call & { patience: number };

/** How often Redis is asked for its time and the store's revision, in ms; how long the response may take. */
const PROBE_MS = 200;
const PROBE_PATIENCE_MS = 200;
const FIRST_PROBE_MS = 5000;
/** A connection that is silent while Redis is to be probed so often is replaced: its other end may be gone without a word. */
const MAX_SILENT_PROBES = 15;
/** What has no more patience than this is not sent while Redis is late; all else gives it this long to come back. */
const SHORT_MS = 250;
const LATE_MS = 1000;
/** Errors of a server that is there and cannot be used until something is done about it. */
const REFUSALS = /\b(LOST|OOM|MISCONF|READONLY|NOREPLICAS|NOPERM|NOAUTH|WRONGPASS)\b/;

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
  /** The identity that the store has to have; empty while any will do. */
  #identity = '';
  /** Why the server cannot be used although it responds. */
  #loss: string | undefined;

  private constructor({ url, name, log }: RedisLinkOptions) {
    this.#connection = new RedisConnection({
      url,
      onBreak: () => this.#noteDown(new Error('the connection broke')),
    });
    this.#name = name;
    this.#log = log;
  }

  /**
   * Connects to a server.
   *
   * @throws StoreError when it does not respond within 5 seconds
   */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    await link.#open();
    return link;
  }

  /** The identity of the store, which it has to keep from now on. */
  get identity(): string {
    return this.#identity;
  }

  /** From now on, nothing is read, written or counted while the store has not this identity. */
  expect(identity: string): void {
    this.#identity = identity;
  }

  /**
   * Runs a script.
   *
   * @throws StoreError when there is no response in time; while Redis is known not to respond, at once where the patience is short, and
   *   within a second where it is not
   */
  async run(call: PatientCall): Promise<unknown> {
    const { patience } = call;
    if (this.#isClosed) throw new StoreError(`the store ${this.#name} is closed`);
    if (!this.#isUp && patience <= SHORT_MS) throw this.#describeAbsence();
    try {
      const ms = this.#isUp ? patience : Math.min(patience, LATE_MS);
      return await this.#connection.run({ ...call, patience: ms });
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
      this.#isClosed = true;
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
    const reply = await this.#connection.run({ script: SCRIPTS.probe, keys: [], args: [this.#identity] });
    const [time, value, identity] = reply as [string, string, string];
    this.#silentProbes = 0;
    this.#compareClocks(Number(time), askedAt);
    if (this.#identity !== '' && identity !== `|${this.#identity}`) {
      this.#noteLoss(identity);
      return;
    }
    this.#loss = undefined;
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

  /** The server responds, but not with the store that was opened. That may come back, when a backup is restored. */
  #noteLoss(identity: string): void {
    const loss = describeLoss(this.#name, identity !== '');
    // It is logged even where the server was away before.
    if (this.#loss !== loss) this.#logFailure(loss);
    this.#loss = loss;
    this.#lastReason = loss;
    this.#isUp = false;
  }

  #describeAbsence(): StoreError {
    return this.#loss === undefined
      ? new StoreError(`the store ${this.#name} does not respond`)
      : new StoreRefusal(this.#loss);
  }

  /** An error in reply to a script shows that Redis is there; any other failure, that it is not. */
  #noteFailure(error: unknown): StoreError {
    const reason = reasonOf(error);
    if (error instanceof ErrorReply && reason.startsWith(LOST)) {
      // The next probe finds out why.
      this.#isUp = false;
      return new StoreRefusal(describeLoss(this.#name, false), { cause: error });
    }
    if (error instanceof ErrorReply) this.#noteRefusal(error);
    else this.#noteDown(error);
    const text = `the store ${this.#name} failed: ${reason}; see whether Redis is well`;
    const isRefusal = error instanceof ErrorReply && REFUSALS.test(reason);
    return new (isRefusal ? StoreRefusal : StoreError)(text, { cause: error });
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

/** What is wrong where a store is not the one that was opened, and what to do. */
function describeLoss(name: string, isOther: boolean): string {
  return isOther
    ? `the store ${name} is another one than before: restore the former one, or restart the gateway to use this one`
    : `the store ${name} was lost: Redis runs without it; restore a backup, or give it up by \`gateway store init\``;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
