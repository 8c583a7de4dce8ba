import { type Counters, dayOf, type Limits, readCounters } from '../access/counters.ts';
import { type Admission, type Reading, type Store, StoreError, StoreRefusal } from '../store/store.ts';
import { Batches } from './batch.ts';
import { COUNTER_SCRIPTS, FAILED } from './redis-counter-scripts.ts';
import { isRefusal } from './redis-server.ts';
import type { Argument, RedisServers } from './redis-servers.ts';

/** How long removing may take, in ms. */
const REMOVE_MS = 10_000;
/** The maximum number of requests in one script: while it runs, Redis serves no other client. */
const MAX_BATCH = 64;
const TIME_DIGITS = 13;

/** Whether a request was admitted, when, and what is counted now; `FAILED` and the reason, if the account's counters are damaged. */
type CountersReply = [admitted: number, at: string, line: string];

/** A request that is to be counted: the key of its account's counters, and the caps. */
type Request = [key: string, limits: Limits];

/**
 * The part of a store on Redis that counts requests. One script counts all requests of one event-loop tick; in a cluster, all those whose
 * counters are in one hash slot. A server that runs the script too late does not count them.
 */
export class RedisCounters
  implements
    Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'mergeCounters' | 'removeCounters'>
{
  protected readonly servers: RedisServers;
  /** Counts by this clock, in ms since 1970, instead of Redis's own. */
  protected readonly now: (() => number) | undefined;
  readonly #requests = new Batches((requests: Request[]) => this.#countAll(requests), MAX_BATCH);

  constructor(servers: RedisServers, now: (() => number) | undefined) {
    this.servers = servers;
    this.now = now;
  }

  async countRequest(account: string, limits: Limits): Promise<Admission> {
    const key = this.servers.layout.countersKey(account);
    return this.#readReply(await this.#requests.add(this.servers.groupOf(key), [key, limits]), key);
  }

  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#runOnOne('adjustCounters', account, ['', at, dayOf(at), -1]);
  }

  readCounters(account: string): Promise<Reading> {
    return this.#runOnOne('readCounters', account, []);
  }

  mergeCounters(account: string, { day, count, times }: Counters, id: string): Promise<Reading> {
    const args = [this.servers.layout.mergedKey(account, id), '', day, count, ...times];
    return this.#runOnOne('adjustCounters', account, args, this.servers.deadlines.merge);
  }

  async removeCounters(account: string): Promise<void> {
    const keys = [this.servers.layout.countersKey(account)];
    await this.servers.run({ script: COUNTER_SCRIPTS.removeCounters, keys, args: [], patience: REMOVE_MS });
  }

  /** Sends the requests that wait to be counted. */
  protected flush(): void {
    this.#requests.flush();
  }

  #countAll(requests: readonly Request[]): Promise<CountersReply[]> {
    const keys = requests.map(([key]) => key);
    const caps = requests.flatMap(([, { minute, day }]) => [String(minute), String(day)]);
    const { servers } = this;
    const deadline = () =>
      String(Math.floor(servers.time(keys[0] ?? '') + servers.deadlines.count)).padStart(TIME_DIGITS);
    return this.#run('countRequests', keys, [this.now ? '' : deadline, ...caps]);
  }

  async #runOnOne(
    script: keyof typeof COUNTER_SCRIPTS,
    account: string,
    args: readonly (string | number)[],
    patience?: number,
  ): Promise<Admission> {
    const key = this.servers.layout.countersKey(account);
    const [reply] = await this.#run(script, [key], ['', ...args.map(String)], patience);
    return this.#readReply(reply as CountersReply, key);
  }

  async #run(
    script: keyof typeof COUNTER_SCRIPTS,
    keys: readonly string[],
    args: readonly Argument[],
    patience = this.servers.deadlines.count,
  ): Promise<CountersReply[]> {
    const time = String(this.now?.() ?? '');
    const call = { script: COUNTER_SCRIPTS[script], keys, args: [time, ...args], patience };
    const replies = await this.servers.run(call);
    if (replies === null) throw new StoreError(`the store ${this.servers.name} responded too late`);
    return replies as CountersReply[];
  }

  #readReply([admitted, at, line]: CountersReply, key: string): Admission {
    if (admitted !== FAILED)
      return { admitted: admitted === 1, at: Number(at), counters: readCounters(line) };
    const { name } = this.servers;
    if (isRefusal(line)) throw new StoreRefusal(`the store ${name} failed: ${line}; check Redis`);
    throw new StoreError(
      `the counters ${key} in the store ${name} cannot be used: ${line}; delete the damaged counters`,
    );
  }
}
