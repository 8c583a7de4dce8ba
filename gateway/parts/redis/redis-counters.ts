import { type Counters, type Limits, readCounters } from '../../core/plans/counters.ts';
import { type Batch, createBatch } from './batch.ts';
import type { Deadlines } from '../../core/store/deadlines.ts';
import type { Argument } from './redis-connection.ts';
import { COUNTER_SCRIPTS, FAILED } from './redis-counter-scripts.ts';
import { isRefusal } from './redis-health.ts';
import type { RedisLayout } from './redis-layout.ts';
import type { Script } from './redis-scripts.ts';
import type { RedisServers } from './redis-servers.ts';
import {
  type Admission,
  type Reading,
  type Store,
  StoreError,
  StoreRefusal,
} from '../../core/store/store.ts';

/** Options of counters in Redis. */
export interface RedisCountersOptions {
  servers: RedisServers;
  layout: RedisLayout;
  /** What messages call the server. */
  name: string;
  /** Counts by this clock, in ms since 1970, instead of Redis's own. */
  now?: (() => number) | undefined;
  deadlines: Deadlines;
}

/** How long removing may take, in ms. */
const REMOVE_MS = 10_000;
/** The maximum number of requests in one script: while it runs, Redis serves no other client. */
const MAX_BATCH = 64;

/** Whether a request was admitted, when, and what is counted now; `FAILED` and the reason, if the account's counters are damaged. */
type CountersReply = [admitted: number, at: string, line: string];

/** A request that is to be counted. */
type Request = [account: string, limits: Limits];

/**
 * The part of a store on Redis that counts requests. One script counts all requests of one event-loop tick; in a cluster, all those whose
 * counters are in one hash slot. A server that runs the script too late does not count them.
 */
export class RedisCounters
  implements
    Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'mergeCounters' | 'removeCounters'>
{
  readonly #servers: RedisServers;
  readonly #layout: RedisLayout;
  readonly #name: string;
  readonly #now: (() => number) | undefined;
  readonly #deadlines: Deadlines;
  /** The batches by the group of their keys (`groupOf`). */
  readonly #batches = new Map<number, Batch<Request, CountersReply>>();

  constructor({ servers, layout, name, now, deadlines }: RedisCountersOptions) {
    this.#servers = servers;
    this.#layout = layout;
    this.#name = name;
    this.#now = now;
    this.#deadlines = deadlines;
  }

  async countRequest(account: string, limits: Limits): Promise<Admission> {
    return this.#readReply(await this.#batchOf(account).add([account, limits]), account);
  }

  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#runOnOne(COUNTER_SCRIPTS.uncountRequest, account, [at]);
  }

  readCounters(account: string): Promise<Reading> {
    return this.#runOnOne(COUNTER_SCRIPTS.readCounters, account, []);
  }

  async mergeCounters(account: string, { day, count, times }: Counters, id: string): Promise<Reading> {
    const args = [this.#now?.() ?? '', '', day, count, ...times.toArray()];
    const keys = [this.#layout.countersKey(account), this.#layout.mergedKey(account, id)];
    const script = COUNTER_SCRIPTS.mergeCounters;
    const [reply] = (await this.#servers.run({
      script,
      keys,
      args,
      patience: this.#deadlines.merge,
    })) as CountersReply[];
    return this.#readReply(reply as CountersReply, account);
  }

  async removeCounters(account: string): Promise<void> {
    const keys = [this.#layout.countersKey(account)];
    await this.#servers.run({ script: COUNTER_SCRIPTS.removeCounters, keys, args: [], patience: REMOVE_MS });
  }

  /** Sends the requests that wait to be counted. */
  flush(): void {
    for (const batch of this.#batches.values()) batch.flush();
  }

  #batchOf(account: string): Batch<Request, CountersReply> {
    const group = this.#servers.groupOf(this.#layout.countersKey(account));
    let batch = this.#batches.get(group);
    if (batch === undefined) {
      batch = createBatch((requests) => this.#countAll(requests), MAX_BATCH);
      this.#batches.set(group, batch);
    }
    return batch;
  }

  #countAll(requests: readonly Request[]): Promise<CountersReply[]> {
    const accounts = requests.map(([account]) => account);
    const caps = requests.flatMap(([, { minute, day }]) => [minute, day]);
    const key = this.#layout.countersKey(accounts[0] as string);
    return this.#run(COUNTER_SCRIPTS.countRequests, accounts, caps, () =>
      Math.floor(this.#servers.time(key) + this.#deadlines.count),
    );
  }

  async #runOnOne(script: Script, account: string, args: readonly number[]): Promise<Admission> {
    const [reply] = await this.#run(script, [account], args, '');
    return this.#readReply(reply as CountersReply, account);
  }

  async #run(
    script: Script,
    accounts: readonly string[],
    args: readonly number[],
    deadline: Argument,
  ): Promise<CountersReply[]> {
    const time = this.#now ? [this.#now(), ''] : ['', deadline];
    const replies = await this.#servers.run({
      script,
      keys: accounts.map(this.#layout.countersKey),
      args: [...time, ...args],
      patience: this.#deadlines.count,
    });
    if (replies === null) throw new StoreError(`the store ${this.#name} responded too late`);
    return replies as CountersReply[];
  }

  #readReply([admitted, at, line]: CountersReply, account: string): Admission {
    if (admitted === FAILED) {
      if (isRefusal(line)) throw new StoreRefusal(`the store ${this.#name} failed: ${line}; check Redis`);
      const what = `the counters ${this.#layout.countersKey(account)} in the store ${this.#name}`;
      throw new StoreError(`${what} cannot be used: ${line}; delete the damaged counters`);
    }
    return { admitted: admitted === 1, at: Number(at), counters: readCounters(line) };
  }
}
