import { type Counters, dayOf, type Limits, readCounters } from '../../core/plans/counters.ts';
import { type Admission, type Reading, StoreError, StoreRefusal } from '../../core/store/store.ts';
import type { Deadlines } from '../../core/store/deadlines.ts';
import { type Batch, createBatch } from './batch.ts';
import { COUNTER_SCRIPTS, FAILED } from './redis-counter-scripts.ts';
import type { Script } from './redis-scripts.ts';
import { isRefusal } from './redis-server.ts';
import type { Argument, RedisServers } from './redis-servers.ts';

/** Options of counters in Redis. */
export interface RedisCountersOptions {
  servers: RedisServers;
  /** What messages call the server. */
  name: string;
  /** Counts by this clock, in ms since 1970, instead of Redis's own. */
  now: (() => number) | undefined;
  deadlines: Deadlines;
}

/** How long removing may take, in ms. */
const REMOVE_MS = 10_000;
/** The maximum number of requests in one script: while it runs, Redis serves no other client. */
const MAX_BATCH = 64;

const TIME_DIGITS = 13;

/** Whether a request was admitted, when, and what is counted now; `FAILED` and the reason, if the account's counters are damaged. */
type CountersReply = [admitted: number, at: string, line: string];

/** A request that is to be counted. */
type Request = [account: string, limits: Limits];

/**
 * The part of a store on Redis that counts requests. One script counts all requests of one event-loop tick; in a cluster, all those whose
 * counters are in one hash slot. A server that runs the script too late does not count them.
 */
export class RedisCounters {
  readonly #options: RedisCountersOptions;
  /** The batches by the group of their keys (`groupOf`). */
  readonly #batches = new Map<number, Batch<Request, CountersReply>>();

  constructor(options: RedisCountersOptions) {
    this.#options = options;
  }

  /** See `Store`. */
  async countRequest(account: string, limits: Limits): Promise<Admission> {
    return this.#readReply(await this.#batchOf(account).add([account, limits]), account);
  }

  /** See `Store`. */
  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#runOnOne(COUNTER_SCRIPTS.adjustCounters, account, ['', at, dayOf(at), -1]);
  }

  /** See `Store`. */
  readCounters(account: string): Promise<Reading> {
    return this.#runOnOne(COUNTER_SCRIPTS.readCounters, account, []);
  }

  /** See `Store`. */
  mergeCounters(account: string, { day, count, times }: Counters, id: string): Promise<Reading> {
    const { servers, deadlines } = this.#options;
    const args = [servers.layout.mergedKey(account, id), '', day, count, ...times.toArray()];
    return this.#runOnOne(COUNTER_SCRIPTS.adjustCounters, account, args, deadlines.merge);
  }

  /** See `Store`. */
  async removeCounters(account: string): Promise<void> {
    const { servers } = this.#options;
    const keys = [servers.layout.countersKey(account)];
    await servers.run({ script: COUNTER_SCRIPTS.removeCounters, keys, args: [], patience: REMOVE_MS });
  }

  /** Sends the requests that wait to be counted. */
  flush(): void {
    for (const batch of this.#batches.values()) batch.flush();
  }

  #batchOf(account: string): Batch<Request, CountersReply> {
    const { servers } = this.#options;
    const group = servers.groupOf(servers.layout.countersKey(account));
    let batch = this.#batches.get(group);
    if (batch === undefined) {
      batch = createBatch((requests) => this.#countAll(requests), MAX_BATCH);
      this.#batches.set(group, batch);
    }
    return batch;
  }

  #countAll(requests: readonly Request[]): Promise<CountersReply[]> {
    const { servers, deadlines } = this.#options;
    const keys = requests.map(([account]) => servers.layout.countersKey(account));
    const caps = requests.flatMap(([, { minute, day }]) => [String(minute), String(day)]);
    const deadline = () =>
      String(Math.floor(servers.time(keys[0] as string) + deadlines.count)).padStart(TIME_DIGITS);
    return this.#run(COUNTER_SCRIPTS.countRequests, keys, caps, { deadline });
  }

  async #runOnOne(
    script: Script,
    account: string,
    args: readonly (string | number)[],
    patience?: number,
  ): Promise<Admission> {
    const key = this.#options.servers.layout.countersKey(account);
    const [reply] = await this.#run(script, [key], args.map(String), { patience });
    return this.#readReply(reply as CountersReply, account);
  }

  async #run(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    { deadline = '', patience }: { deadline?: Argument; patience?: number | undefined },
  ): Promise<CountersReply[]> {
    const { servers, name, now, deadlines } = this.#options;
    const time = now ? [String(now()), ''] : ['', deadline];
    const replies = await servers.run({
      script,
      keys,
      args: [...time, ...args],
      patience: patience ?? deadlines.count,
    });
    if (replies === null) throw new StoreError(`the store ${name} responded too late`);
    return replies as CountersReply[];
  }

  #readReply([admitted, at, line]: CountersReply, account: string): Admission {
    if (admitted === FAILED) {
      const { name, servers } = this.#options;
      if (isRefusal(line)) throw new StoreRefusal(`the store ${name} failed: ${line}; check Redis`);
      const what = `the counters ${servers.layout.countersKey(account)} in the store ${name}`;
      throw new StoreError(`${what} cannot be used: ${line}; delete the damaged counters`);
    }
    return { admitted: admitted === 1, at: Number(at), counters: readCounters(line) };
  }
}
