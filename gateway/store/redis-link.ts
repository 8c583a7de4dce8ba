import { ErrorReply } from 'redis';
import type { Log } from '../log/log.ts';
import { type Call, RedisConnection } from './redis-connection.ts';
import { LOST, SCRIPTS } from './redis-scripts.ts';
import { type Revision, StoreError, StoreRefusal, StoreSilence } from './store.ts';
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

/** The interval of probes, which request Redis's time and the store's revision, and how long each may take, in ms. */
const PROBE_MS = 200;
const PROBE_PATIENCE_MS = 200;
const FIRST_PROBE_MS = 5000;
/** After this many intervals without a reply the connection is replaced: its other end may be gone without closing it. */
const MAX_SILENT_PROBES = 15;
/** While Redis is late, a call with at most this patience fails at once. Every other call first waits for Redis, for `LATE_MS`. */
const SHORT_MS = 250;
const LATE_MS = 1000;
/** Errors of a server that responds, but cannot be used until the operator acts. */
const REFUSALS = /\b(LOST|OOM|MISCONF|READONLY|NOREPLICAS|NOPERM|NOAUTH|WRONGPASS)\b/;

/** Runs scripts on a Redis server. It probes the server, so that calls fail fast while it is away, and reconnects on its own. */
export class RedisLink {
  readonly #connection: RedisConnection;
  readonly #name: string;
  readonly #log: Log | undefined;
  #probes: NodeJS.Timeout | undefined;
  #isProbing = false;
  #isUp = true;
  #isClosed = false;
  #lastReason = '';
  /** A count, not a time: time also passes while this process is too busy to read replies. */
  #silentProbes = 0;
  /** How far Redis's clock is ahead of this process's clock. */
  #ahead = Number.NEGATIVE_INFINITY;
  #revision: Revision = { value: '', heardAt: Number.NEGATIVE_INFINITY };
  /** The identity that the store must have; empty if any is accepted. */
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

  /** Makes all later calls fail while the store does not have this identity. */
  expect(identity: string): void {
    this.#identity = identity;
  }

  /**
   * Runs a script.
   *
   * @throws StoreError when there is no response in time. While Redis does not respond, it is thrown at once for a call with short
   *   patience, and within a second for any other
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

  /** An estimate of Redis's time, in ms since 1970. It is never ahead of Redis's clock. */
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
        `cannot open the store ${this.#name}: ${reasonOf(error)}; check that Redis runs there, or name another store with --store`,
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

  /** Probes Redis. A late probe continues, and no other is sent before it ends. */
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

  /** Redis read its clock between the request and now, so the fastest of several replies gives the best estimate. */
  #compareClocks(time: number, askedAt: number): void {
    const least = time - performance.now();
    const wasSetBack = this.#ahead > time + 1 - askedAt;
    this.#ahead = wasSetBack ? least : Math.max(this.#ahead, least);
  }

  /** The server responds, but without the store that was opened, which may return when a backup is restored. */
  #noteLoss(identity: string): void {
    const loss = describeLoss(this.#name, identity !== '');
    // It is logged even if the server was away before.
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

  /** Redis is available if it replies with an error, and not available after any other failure. */
  #noteFailure(error: unknown): StoreError {
    const reason = reasonOf(error);
    if (error instanceof ErrorReply && reason.startsWith(LOST)) {
      // The next probe finds out why.
      this.#isUp = false;
      return new StoreRefusal(describeLoss(this.#name, false), { cause: error });
    }
    const text = `the store ${this.#name} failed: ${reason}; check Redis`;
    if (!(error instanceof ErrorReply)) {
      this.#noteDown(error);
      return new StoreSilence(text, { cause: error });
    }
    this.#noteRefusal(error);
    return new (REFUSALS.test(reason) ? StoreRefusal : StoreError)(text, { cause: error });
  }

  #noteRefusal(error: ErrorReply): void {
    // Logs the same reason only once.
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

/** Describes why a store is not the one that was opened, and what to do. */
function describeLoss(name: string, isOther: boolean): string {
  return isOther
    ? `the store ${name} is not the same as before: restore the former one, or restart the gateway to use this one`
    : `the store ${name} was lost: Redis runs without it; restore a backup, or accept the loss with \`gateway store init\``;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
