import { randomUUID } from 'node:crypto';
import { nameStore } from '../../core/store/address.ts';
import { reportOnce } from '../../core/store/damage.ts';
import { type Deadlines, divideWait } from '../../core/store/deadlines.ts';
import { IDENTITY } from '../../core/store/identity.ts';
import { RedisCounters, type RedisCountersOptions } from './redis-counters.ts';
import type { RedisLayout } from './redis-layout.ts';
import { describeLoss } from './redis-server.ts';
import { RedisServers } from './redis-servers.ts';
import {
  type Change,
  type DriverOptions,
  type Page,
  type Reference,
  type Revision,
  type Store,
  type StoredRecord,
  StoreSilence,
} from '../../core/store/store.ts';

/** The options of a Redis store, besides its address. */
export interface RedisStoreOptions extends DriverOptions {
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
  const servers = await RedisServers.open(address, { name, log, deadlines });
  const store = new RedisStore({ servers, name, now, deadlines, reportDamage });
  try {
    await store.identify(identity, givesUp);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** How a script on records is run. */
interface RecordCall {
  /** The records that it reads or writes, where their names are known. */
  names?: readonly string[];
  args: readonly (string | number)[];
  patience?: number;
}

class RedisStore extends RedisCounters implements Store {
  readonly #servers: RedisServers;
  readonly #deadlines: Deadlines;
  readonly #now: (() => number) | undefined;
  readonly #name: string;
  readonly reportDamage: (record: string) => void;

  constructor(
    options: RedisCountersOptions & { reportDamage: RedisStoreOptions['reportDamage'] | undefined },
  ) {
    super(options);
    this.#servers = options.servers;
    this.#deadlines = options.deadlines;
    this.#now = options.now;
    this.#name = options.name;
    this.reportDamage = reportOnce(options.reportDamage);
  }

  /**
   * Reads the identity of the store, which it has to keep from now on, and creates one in a new store.
   *
   * @param expected the identity that it must have, or ''
   * @throws StoreRefusal when the store was lost and its loss is not accepted
   */
  async identify(expected: string, givesUp: boolean): Promise<void> {
    const { scripts, keysOfRecords } = this.#servers.layout;
    const [state, identity] = (await this.#servers.run({
      script: scripts.identify,
      keys: keysOfRecords([IDENTITY]),
      args: [randomUUID(), givesUp ? '1' : '0', expected],
      patience: PATIENT_MS,
    })) as [state: string, identity: string];
    if (state === 'lost') throw describeLoss(this.#name);
    this.#servers.identity = identity;
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
    const call = { names, args: [randomUUID(), ...listArguments(change)] };
    const done = await this.#run<number>('commit', call).catch((error: unknown) => {
      if (!(error instanceof StoreSilence)) throw error;
      // It is not known whether it was done. With the same id, it is done once.
      return this.#run<number>('commit', call).catch(() => {
        throw error;
      });
    });
    return done === 1;
  }

  revision(): Revision {
    return this.#servers.revision();
  }

  async identity(): Promise<string> {
    return this.#servers.identity;
  }

  async ping(): Promise<void> {
    await this.#run('ping', { args: [], patience: this.#deadlines.find });
  }

  async close(): Promise<void> {
    this.flush();
    await this.#servers.close();
  }

  async #run<T>(
    script: keyof RedisLayout['scripts'],
    { names = [], args, patience = PATIENT_MS }: RecordCall,
  ): Promise<T> {
    const { scripts, keysOfRecords } = this.#servers.layout;
    return (await this.#servers.run({
      script: scripts[script],
      keys: keysOfRecords(names),
      args: [this.#now?.() ?? '', this.#servers.identity, ...args].map(String),
      patience,
    })) as T;
  }
}

/** What the script `commit` takes after its id. */
function listArguments({ read, write }: Change): (string | number)[] {
  const reads = [...read].flatMap(([name, value]) => [name, value === undefined ? 0 : 1, value ?? '']);
  const writes = [...write].flatMap(([name, { value, expires }]) => [
    name,
    value === null ? '' : encodeRecord(value, expires),
    value === null ? '' : (expires ?? ''),
  ]);
  return [read.size, ...reads, ...writes];
}

/**
 * Returns a record as Redis keeps it: `<expires>|<value>`, where the first part is empty for a record that does not expire.
 *
 * @param expires ms since 1970
 */
function encodeRecord(value: string, expires: number | undefined): string {
  return `${expires ?? ''}|${value}`;
}

/** Returns when a record expires, as Redis keeps it, in ms since 1970; undefined if it does not. */
function expiryOf(text: string): number | undefined {
  const end = Number.parseInt(text, 10);
  return Number.isNaN(end) ? undefined : end;
}
