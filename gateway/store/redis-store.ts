import type { Log } from '../log/log.ts';
import { type Limits, readCounters } from '../plans/counters.ts';
import { nameStore } from './address.ts';
import { encodeRecord } from './record.ts';
import { openRedisLink } from './redis-link.ts';
import { countersKey, FAILED, SCRIPTS, type Script } from './redis-scripts.ts';
import { type Admission, type Store, StoreError } from './store.ts';
import { doTogether } from './together.ts';

/** How long a request waits to learn whether a cap is reached, and whether the store answers, in ms. */
const COUNT_MS = 150;
const PING_MS = 90;
/** How long all else may take. */
const PATIENT_MS = 10_000;

/** What a Redis store takes besides its address. */
export interface RedisStoreOptions {
  /** Counts by this clock, in ms since 1970, instead of by that of Redis, which is the same for all gateways. */
  now?: () => number;
  /** Told when Redis goes and comes back. */
  log?: Log;
}

/** How many requests are counted together at most: nobody else is served by Redis meanwhile. */
const MOST_TOGETHER = 64;

/** Whether a request was admitted, when, and what is counted now; `FAILED`, and why, where that account's counters are damaged. */
type CountersReply = [admitted: number, at: string, line: string];

/**
 * Opens the store on a Redis or Valkey server, for gateways on many machines. Each operation is one Lua script, and so one transaction;
 * requests that begin to be answered in one go are counted by one together. Time of quotas is that of the server. What is asked when the
 * server does not answer fails at once; a request that was to be counted and met a server that is late is not counted by it afterwards.
 *
 * @param address `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS
 * @throws StoreError when the server does not answer
 */
export async function openRedisStore(address: string, { now, log }: RedisStoreOptions = {}): Promise<Store> {
  const link = await openRedisLink(address, nameStore(address), log);

  const run = <T>(script: Script, args: readonly (string | number)[], patience = PATIENT_MS) =>
    link.run(script, [], [now?.() ?? '', ...args], patience) as Promise<T>;
  const runOnCounters = async (
    script: Script,
    accounts: readonly string[],
    args: readonly number[] = [],
    deadline: number | '' = '',
  ): Promise<CountersReply[]> => {
    const time = now ? [now(), ''] : ['', deadline];
    const replies = await link.run(script, accounts.map(countersKey), [...time, ...args], COUNT_MS);
    if (replies === null) throw new StoreError(`the store ${nameStore(address)} answered too late`);
    return replies as CountersReply[];
  };
  const { ask: countTogether, flush } = doTogether((requests: [account: string, limits: Limits][]) => {
    const accounts = requests.map(([account]) => account);
    const caps = requests.flatMap(([, { minute, day }]) => [minute, day]);
    return runOnCounters(SCRIPTS.countRequests, accounts, caps, Math.floor(link.time() + COUNT_MS));
  }, MOST_TOGETHER);
  const readReply = ([admitted, at, line]: CountersReply, account: string): Admission => {
    if (admitted === FAILED) {
      const what = `the counters ${countersKey(account)} in the store ${nameStore(address)}`;
      throw new StoreError(`${what} cannot be used: ${line}; delete them where they are damaged`);
    }
    return { admitted: admitted === 1, at: Number(at), counters: readCounters(line) };
  };
  const runOnOne = async (script: Script, account: string, args?: readonly number[]): Promise<Admission> =>
    readReply((await runOnCounters(script, [account], args))[0] as CountersReply, account);

  return {
    async read(names, patience = PATIENT_MS) {
      const values = await run<(string | null)[]>(SCRIPTS.read, names, patience);
      return values.map((value) => value ?? undefined);
    },
    async list(prefix, { after, limit }) {
      const found = await run<string[]>(SCRIPTS.list, [prefix, after, limit]);
      return Array.from({ length: found.length / 2 }, (_, index) => [
        found[2 * index] as string,
        found[2 * index + 1] as string,
      ]);
    },
    async commit({ read, write }) {
      const reads = [...read].flatMap(([name, value]) => [name, value === undefined ? 0 : 1, value ?? '']);
      const writes = [...write].flatMap(([name, { value, expires }]) => [
        name,
        value === null ? '' : encodeRecord(value, expires),
        value === null ? '' : (expires ?? ''),
      ]);
      return (await run<number>(SCRIPTS.commit, [read.size, ...reads, ...writes])) === 1;
    },
    revision: link.revision,
    countRequest: async (account, limits) => readReply(await countTogether([account, limits]), account),
    uncountRequest: (account, at) => runOnOne(SCRIPTS.uncountRequest, account, [at]),
    readCounters: (account) => runOnOne(SCRIPTS.readCounters, account),
    async removeCounters(account) {
      await link.run(SCRIPTS.removeCounters, [countersKey(account)], [], PATIENT_MS);
    },
    async ping() {
      await link.run(SCRIPTS.probe, [], [], PING_MS);
    },
    async close() {
      flush();
      await link.close();
    },
  };
}
