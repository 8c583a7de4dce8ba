import { randomUUID } from 'node:crypto';
import {
  type Change,
  type DriverOptions,
  divideWait,
  IDENTITY,
  nameStore,
  type Page,
  type Reference,
  type Revision,
  reportOnce,
  type Store,
  type StoredRecord,
  StoreSilence,
} from '../store/store.ts';
import { RedisCounters } from './redis-counters.ts';
import type { RedisLayout } from './redis-layout.ts';
import { describeLoss } from './redis-server.ts';
import { RedisServers } from './redis-servers.ts';

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
 * @throws StoreRefusal when the store was lost and its loss is not accepted
 */
export async function openRedisStore(
  address: string,
  { now, log, waitMs, reportDamage, givesUp = false, identity = '' }: RedisStoreOptions = {},
): Promise<Store> {
  const name = nameStore(address);
  const servers = await RedisServers.open(address, { name, log, deadlines: divideWait(waitMs) });
  try {
    const { scripts, keysOf } = servers.layout;
    const args = [randomUUID(), givesUp ? '1' : '0', identity];
    const call = { script: scripts.identify, keys: keysOf([IDENTITY]), args, patience: PATIENT_MS };
    const [state, found] = (await servers.run(call)) as [state: string, identity: string];
    if (state === 'lost') throw describeLoss(name);
    servers.identity = found;
  } catch (error) {
    await servers.close();
    throw error;
  }
  return new RedisStore(servers, now, reportDamage);
}

/** How a script on records is run. */
interface RecordCall {
  /** The records that it reads or writes, where their names are known. */
  names?: readonly string[];
  args: readonly (string | number)[];
  patience?: number;
}

class RedisStore extends RedisCounters implements Store {
  readonly reportDamage: (record: string) => void;

  constructor(servers: RedisServers, now: RedisCounters['now'], reportDamage?: (record: string) => void) {
    super(servers, now);
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
    const call = { names: [name], args: [name, member, prefix], patience: this.servers.deadlines.find };
    const [found, referred] = await this.#run<(string | null)[]>('find', call);
    return [found ?? undefined, referred ?? undefined];
  }

  async list(prefix: string, page: Page): Promise<[name: string, value: string][]> {
    return (await this.#list(prefix, page)).map(({ name, value }) => [name, value]);
  }

  dump(page: Page): Promise<StoredRecord[]> {
    return this.#list('', page);
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
    return this.servers.revision();
  }

  async identity(): Promise<string> {
    return this.servers.identity;
  }

  async ping(): Promise<void> {
    await this.#run('ping', { args: [], patience: this.servers.deadlines.find });
  }

  async close(): Promise<void> {
    this.flush();
    await this.servers.close();
  }

  async #list(prefix: string, { after, limit }: Page): Promise<StoredRecord[]> {
    const entries = await this.#run<[name: string, text: string][]>('list', { args: [prefix, after, limit] });
    return entries.map(([name, text]) => {
      // A record is kept as `<expires>|<value>`; the first part is empty for one that does not expire.
      const end = text.indexOf('|');
      return { name, value: text.slice(end + 1), ...(end > 0 && { expires: Number(text.slice(0, end)) }) };
    });
  }

  async #run<T>(
    script: keyof RedisLayout['scripts'],
    { names = [], args, patience = PATIENT_MS }: RecordCall,
  ): Promise<T> {
    const { identity, layout } = this.servers;
    return (await this.servers.run({
      script: layout.scripts[script],
      keys: layout.keysOf(names),
      args: [this.now?.() ?? '', identity, ...args].map(String),
      patience,
    })) as T;
  }
}

/** What the script `commit` takes after its id. */
function listArguments({ read, write }: Change): (string | number)[] {
  const reads = [...read].flatMap(([name, value]) => [name, value === undefined ? 0 : 1, value ?? '']);
  const writes = [...write].flatMap(([name, { value, expires }]) => [
    name,
    value === null ? '' : `${expires ?? ''}|${value}`,
    value === null ? '' : (expires ?? ''),
  ]);
  return [read.size, ...reads, ...writes];
}
