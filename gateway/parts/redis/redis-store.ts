import { randomUUID } from 'node:crypto';
import type { Log } from '../../core/log/log.ts';
import type { Counters, Limits } from '../../core/plans/counters.ts';
import { nameStore } from '../../core/store/address.ts';
import { reportOnce } from '../../core/store/damage.ts';
import { type Deadlines, divideWait } from '../../core/store/deadlines.ts';
import { IDENTITY } from '../../core/store/identity.ts';
import { encodeRecord, expiryOf } from '../../core/store/record.ts';
import { RedisCounters } from './redis-counters.ts';
import type { RedisLayout } from './redis-layout.ts';
import { openServers } from './redis-open.ts';
import type { RedisServers } from './redis-servers.ts';
import {
  type Admission,
  type Change,
  type Page,
  type Reading,
  type Reference,
  type Revision,
  type Store,
  type StoredRecord,
  StoreRefusal,
} from '../../core/store/store.ts';

/** The options of a Redis store, besides its address. */
export interface RedisStoreOptions {
  /** Counts by this clock, in ms since 1970, instead of Redis's own, which is the same for all gateways. */
  now?: () => number;
  /** Gets an entry when Redis goes and comes back. */
  log?: Log;
  /** Is called with the name of each damaged record that is found. */
  reportDamage?: (record: string) => void;
  /** How long a request waits for Redis, in ms; `DEFAULT_WAIT_MS` by default. */
  waitMs?: number | undefined;
  /** Whether to accept the loss of a store that Redis has lost. It becomes empty, and the waiting gateways accept it as the same store. */
  givesUp?: boolean;
  /** The identity that the store must have; without it, a store without an identity is new. */
  identity?: string | undefined;
}

/** How long anything may take for which no request waits, in ms. */
const PATIENT_MS = 10_000;
/** No record has a member without a name. */
const NONE: Reference = { member: '', prefix: '' };

/**
 * Opens the store on Redis or Valkey, for gateways on many machines. Each operation is one Lua script, and so one transaction. The server's
 * clock counts for quotas. While the server does not respond, each call fails at once.
 *
 * @param address of a server, of a cluster, or of sentinels, as `parseRedisAddress` reads it
 * @throws StoreError when the server does not respond
 */
export async function openRedisStore(
  address: string,
  { now, log, waitMs, reportDamage, givesUp = false, identity = '' }: RedisStoreOptions = {},
): Promise<Store> {
  const name = nameStore(address);
  const deadlines = divideWait(waitMs);
  const { servers, layout } = await openServers(address, { name, log, deadlines });
  try {
    servers.expect(await identify({ servers, layout, name, givesUp, expected: identity }));
  } catch (error) {
    await servers.close();
    throw error;
  }
  const counters = new RedisCounters({ servers, layout, name, now, deadlines });
  return new RedisStore({ servers, layout, counters, now, reportDamage, deadlines });
}

/**
 * Returns the identity of the store, and creates one in a new store.
 *
 * @throws StoreError when the store was lost and its loss is not accepted
 */
async function identify({
  servers,
  layout,
  name,
  givesUp,
  expected,
}: {
  servers: RedisServers;
  layout: RedisLayout;
  name: string;
  givesUp: boolean;
  expected: string;
}): Promise<string> {
  const args = [randomUUID(), givesUp ? 1 : 0, expected];
  const call = {
    script: layout.scripts.identify,
    keys: layout.keysOfRecords([IDENTITY]),
    args,
    patience: PATIENT_MS,
  };
  const [state, identity] = (await servers.run(call)) as [state: string, identity: string];
  if (state !== 'lost') return identity;
  throw new StoreRefusal(
    `the store ${name} was lost: Redis runs without it; restore a backup, or accept the loss with \`gateway store init\``,
  );
}

/** How a script on records is run. */
interface RecordCall {
  /** The records that it reads or writes, where their names are known. */
  names?: readonly string[];
  args: readonly (string | number)[];
  patience?: number;
}

/** The parts of a store on Redis. */
interface RedisStoreParts {
  servers: RedisServers;
  layout: RedisLayout;
  counters: RedisCounters;
  deadlines: Deadlines;
  now: (() => number) | undefined;
  reportDamage: ((record: string) => void) | undefined;
}

class RedisStore implements Store {
  readonly #servers: RedisServers;
  readonly #layout: RedisLayout;
  readonly #counters: RedisCounters;
  readonly #deadlines: Deadlines;
  readonly #now: (() => number) | undefined;
  readonly reportDamage: (record: string) => void;

  constructor({ servers, layout, counters, deadlines, now, reportDamage }: RedisStoreParts) {
    this.#servers = servers;
    this.#layout = layout;
    this.#counters = counters;
    this.#deadlines = deadlines;
    this.#now = now;
    this.reportDamage = reportOnce(reportDamage);
  }

  async read(names: readonly string[]): Promise<(string | undefined)[]> {
    const values = await this.#run<(string | null)[]>('read', { names, args: names });
    return values.map((value) => value ?? undefined);
  }

  async find(
    name: string,
    { member, prefix }: Reference = NONE,
  ): Promise<[found: string | undefined, referred?: string | undefined]> {
    const call = { names: [name], args: [name, member, prefix], patience: this.#deadlines.find };
    const [found, referred] = await this.#run<(string | null)[]>('find', call);
    return [found ?? undefined, referred ?? undefined];
  }

  async list(prefix: string, { after, limit }: Page): Promise<[name: string, value: string][]> {
    const found = await this.#run<string[]>('list', { args: [prefix, after, limit] });
    return Array.from({ length: found.length / 2 }, (_, index) => [
      found[2 * index] as string,
      found[2 * index + 1] as string,
    ]);
  }

  async dump({ after, limit }: Page): Promise<StoredRecord[]> {
    const found = await this.#run<string[]>('dump', { args: [after, limit] });
    return Array.from({ length: found.length / 2 }, (_, index) => {
      const text = found[2 * index + 1] as string;
      const expires = expiryOf(text);
      const value = text.slice(text.indexOf('|') + 1);
      return { name: found[2 * index] as string, value, ...(expires !== undefined && { expires }) };
    });
  }

  async commit(change: Change): Promise<boolean> {
    const names = [...new Set([...change.read.keys(), ...change.write.keys()])];
    return (await this.#run<number>('commit', { names, args: listArguments(change) })) === 1;
  }

  revision(): Revision {
    return this.#servers.revision();
  }

  countRequest(account: string, limits: Limits): Promise<Admission> {
    return this.#counters.countRequest(account, limits);
  }

  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#counters.uncountRequest(account, at);
  }

  readCounters(account: string): Promise<Reading> {
    return this.#counters.readCounters(account);
  }

  mergeCounters(account: string, counters: Counters, id: string): Promise<Reading> {
    return this.#counters.mergeCounters(account, counters, id);
  }

  removeCounters(account: string): Promise<void> {
    return this.#counters.removeCounters(account);
  }

  async identity(): Promise<string> {
    return this.#servers.identity;
  }

  async ping(): Promise<void> {
    await this.#run('ping', { args: [], patience: this.#deadlines.find });
  }

  async close(): Promise<void> {
    this.#counters.flush();
    await this.#servers.close();
  }

  async #run<T>(
    script: keyof RedisLayout['scripts'],
    { names = [], args, patience = PATIENT_MS }: RecordCall,
  ): Promise<T> {
    const { scripts, keysOfRecords } = this.#layout;
    return (await this.#servers.run({
      script: scripts[script],
      keys: keysOfRecords(names),
      args: [this.#now?.() ?? '', this.#servers.identity, ...args],
      patience,
    })) as T;
  }
}

/** What the script `commit` takes after the time. */
function listArguments({ read, write }: Change): (string | number)[] {
  const reads = [...read].flatMap(([name, value]) => [name, value === undefined ? 0 : 1, value ?? '']);
  const writes = [...write].flatMap(([name, { value, expires }]) => [
    name,
    value === null ? '' : encodeRecord(value, expires),
    value === null ? '' : (expires ?? ''),
  ]);
  return [read.size, ...reads, ...writes];
}
