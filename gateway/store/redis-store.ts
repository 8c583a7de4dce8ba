import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import { readCounters } from '../quota/counters.ts';
import { nameStore } from './address.ts';
import { openRedisLink } from './redis-link.ts';
import { countersKey, SCRIPTS, type Script } from './redis-scripts.ts';
import {
  type Account,
  type Admission,
  compareAge,
  type IssuedKey,
  type Key,
  type Store,
  StoreError,
} from './store.ts';

/** How long a request waits to learn whose key it carries, and then whether a cap is reached, in ms; 250 together at most. */
const FIND_MS = 90;
const COUNT_MS = 150;
/** How long all else may take. */
const PATIENT_MS = 10_000;

/** What a Redis store takes besides its address. */
export interface RedisStoreOptions {
  /** Counts by this clock, in ms since 1970, instead of by that of Redis, which is the same for all gateways. */
  now?: () => number;
  /** Told when Redis goes and comes back. */
  log?: Log;
}

/** A key and its account as JSON. */
type Row = [key: string, account: string];
/** Whether a request was admitted, when, and what is counted now. */
type CountersReply = [admitted: number, at: string, line: string];

/**
 * Opens the store of keys, accounts and quotas on a Redis or Valkey server, for gateways on many machines. Each operation is one Lua
 * script, and so one transaction. Time of quotas is that of the server. What is asked when the server does not answer fails at once;
 * a request that was to be counted and met a server that is late is not counted by it afterwards.
 *
 * @param address `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS
 * @throws StoreError when the server does not answer
 */
export async function openRedisStore(address: string, { now, log }: RedisStoreOptions = {}): Promise<Store> {
  const link = await openRedisLink(address, nameStore(address), log);

  const ask = <T>(script: Script, args: (string | number)[], patience = PATIENT_MS) =>
    link.run(script, [], args, patience) as Promise<T>;
  const count = async (
    script: Script,
    account: string,
    args: (string | number)[] = [],
    deadline: number | '' = '',
  ): Promise<Admission> => {
    const time = now ? [now(), ''] : ['', deadline];
    const reply = (await link.run(
      script,
      [countersKey(account)],
      [...time, ...args],
      COUNT_MS,
    )) as CountersReply | null;
    if (reply === null) throw new StoreError(`the store ${nameStore(address)} answered too late`);
    const [admitted, at, line] = reply;
    return { admitted: admitted === 1, at: Number(at), counters: readCounters(line) };
  };

  return {
    findKey: async (hash) => readRow(await ask<Row | null>(SCRIPTS.findKey, [hash], FIND_MS)),
    revision: link.revision,
    keyByPrefix: async (prefix) => readRow(await ask<Row | null>(SCRIPTS.keyByPrefix, [prefix])),
    async listKeys() {
      const rows = await ask<Row[]>(SCRIPTS.listKeys, []);
      return rows.flatMap((row) => readRow(row) ?? []).sort((a, b) => compareAge(a.key, b.key));
    },
    async accountByEmail(email) {
      const found = await ask<[string, ...string[]] | null>(SCRIPTS.accountByEmail, [email]);
      if (found === null) return undefined;
      const [account, ...keys] = found;
      return {
        account: JSON.parse(account) as Account,
        keys: keys.map((key) => JSON.parse(key) as Key).sort(compareAge),
      };
    },
    async issueKey({ email, prefix, hash, grant, replaces, now }) {
      const created_at = toIso(now);
      const account: Account = { id: randomUUID(), email, tier: 'free', pro_until: null, created_at };
      const key: Key = { prefix, hash, account: account.id, created_at, revoked_at: null };
      const row = await ask<Row | null>(SCRIPTS.issueKey, [
        JSON.stringify(account),
        JSON.stringify(key),
        grant ? JSON.stringify(grant) : '',
        replaces?.prefix ?? '',
        replaces ? toIso(replaces.at) : '',
        randomUUID(),
      ]);
      return readRow(row);
    },
    async grantTier(email, grant) {
      const account = await ask<string | null>(SCRIPTS.grantTier, [
        email,
        JSON.stringify(grant),
        randomUUID(),
      ]);
      return account === null ? undefined : (JSON.parse(account) as Account);
    },
    revokeKey: async (prefix, now) =>
      readRow(await ask<Row | null>(SCRIPTS.revokeKey, [prefix, toIso(now), randomUUID()])),
    deleteAccount: async (email) => (await ask<number>(SCRIPTS.deleteAccount, [email, randomUUID()])) === 1,
    countRequest: (account, { minute, day }) =>
      count(SCRIPTS.countRequest, account, [minute, day], Math.floor(link.time() + COUNT_MS)),
    uncountRequest: (account, at) => count(SCRIPTS.uncountRequest, account, [at]),
    readCounters: (account) => count(SCRIPTS.readCounters, account),
    async ping() {
      await ask(SCRIPTS.probe, [], FIND_MS);
    },
    close: link.close,
  };
}

function readRow(row: Row | null): IssuedKey | undefined {
  return row === null
    ? undefined
    : { key: JSON.parse(row[0]) as Key, account: JSON.parse(row[1]) as Account };
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
