import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DamagedRecordError } from './damage.ts';
import { REVISION, type Store, StoreError, type Write } from './store.ts';

/** Records of one kind, by id. */
export interface Table<T> {
  /** How the names of its records begin. */
  readonly prefix: string;
  /** Carries the type; never set. */
  readonly value?: T;
}

/** Reads records. */
export interface Reader {
  get<T>(table: Table<T>, id: string): Promise<T | undefined>;
}

/** Reads records and changes some, all at once or not at all. */
export interface Transaction extends Reader {
  /** @param expires when the record expires, ms since 1970; without it, the record does not expire */
  put<T>(table: Table<T>, id: string, value: T, expires?: number): void;
  remove(table: Table<unknown>, id: string): void;
  /** Makes gateways read keys and accounts again. */
  changeRevision(): void;
}

/** For how long a transaction is tried again while others change what it read. */
const PATIENCE_MS = 10_000;
/** The longest pause before it is tried again. */
const MAX_PAUSE_MS = 20;
/** How many records are read at once. */
const PAGE = 1000;

/** Declares a kind of records by the beginning of their names. */
export function table<T>(name: string): Table<T> {
  return { prefix: `${name}:` };
}

/**
 * Reads records and changes some, as if no other process changed anything in between. If one did, the work is done again, so it must have no
 * other effects. The work may read records of several moments, but then nothing is written.
 *
 * @throws StoreError when the store does not respond, or other processes keep changing the same records for 10 seconds
 */
export async function transact<T>(store: Store, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const transaction = new StoreTransaction({ store });
    const result = await work(transaction);
    if (await transaction.commit()) return result;
    if (performance.now() > end)
      throw new StoreError('too many processes change the same records of the store at once; try again');
    await sleep(Math.random() * MAX_PAUSE_MS);
  }
}

/** Collects what was read, and what to write on commit. */
class StoreTransaction implements Transaction {
  readonly #store: Store;
  readonly #read = new Map<string, string | undefined>();
  readonly #write = new Map<string, Write>();

  constructor({ store }: { store: Store }) {
    this.#store = store;
  }

  async get<T>({ prefix }: Table<T>, id: string): Promise<T | undefined> {
    const name = prefix + id;
    const written = this.#write.get(name);
    if (written) return parse<T>(name, written.value ?? undefined);
    if (!this.#read.has(name)) this.#read.set(name, (await this.#store.read([name]))[0]);
    return parse<T>(name, this.#read.get(name));
  }

  put<T>({ prefix }: Table<T>, id: string, value: T, expires?: number): void {
    this.#write.set(prefix + id, { value: JSON.stringify(value), ...(expires !== undefined && { expires }) });
  }

  remove({ prefix }: Table<unknown>, id: string): void {
    this.#write.set(prefix + id, { value: null });
  }

  changeRevision(): void {
    this.#write.set(REVISION, { value: randomUUID() });
  }

  /** @returns false if something that was read has changed since; then nothing was written */
  async commit(): Promise<boolean> {
    return this.#write.size === 0 || (await this.#store.commit({ read: this.#read, write: this.#write }));
  }
}

/** Reads one record. */
export async function find<T>(store: Store, table: Table<T>, id: string): Promise<T | undefined> {
  const name = table.prefix + id;
  const [text] = await store.read([name]);
  return parse<T>(name, text);
}

/** Reads one record for a request, which does not wait for long. */
export async function findSoon<T>(store: Store, table: Table<T>, id: string): Promise<T | undefined> {
  const name = table.prefix + id;
  const [text] = await store.find(name);
  return parse<T>(name, text);
}

/**
 * Reads a record and the one whose id is a member of it, for a request, which does not wait for long.
 *
 * @param member the name of that member
 */
export async function findWith<T, Other>(
  store: Store,
  table: Table<T>,
  id: string,
  [member, other]: readonly [member: keyof T & string, table: Table<Other>],
): Promise<[value: T | undefined, other: Other | undefined]> {
  const name = table.prefix + id;
  const [text, referred] = await store.find(name, { member, prefix: other.prefix });
  const value = parse<T>(name, text);
  return [value, value && parse<Other>(`${other.prefix}${value[member]}`, referred)];
}

/** Reads records, in the order of the given ids; undefined for those that are missing or damaged. */
export async function findAll<T>(
  store: Store,
  { prefix }: Table<T>,
  ids: readonly string[],
): Promise<(T | undefined)[]> {
  const values: (T | undefined)[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const names = ids.slice(at, at + PAGE).map((id) => prefix + id);
    const texts = await readEach(store, names);
    for (const [index, text] of texts.entries())
      values.push(parseListed<T>(store, names[index] as string, text));
  }
  return values;
}

/** Reads records together, and one by one if one of them is damaged. */
async function readEach(store: Store, names: readonly string[]): Promise<(string | undefined)[]> {
  try {
    return await store.read(names);
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    return await Promise.all(names.map((name) => readIfWhole(store, name)));
  }
}

async function readIfWhole(store: Store, name: string): Promise<string | undefined> {
  try {
    return (await store.read([name]))[0];
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    store.reportDamage(name);
    return undefined;
  }
}

/** Lists the records of a table whose ids begin with `begin`, in the order of their ids, without damaged ones. */
export async function list<T>(store: Store, table: Table<T>, begin = ''): Promise<[id: string, value: T][]> {
  const records: [string, T][] = [];
  const prefix = table.prefix + begin;
  for (let after = ''; ; ) {
    const page = await store.list(prefix, { after, limit: PAGE });
    for (const [name, text] of page) {
      const value = parseListed<T>(store, name, text);
      if (value !== undefined) records.push([name.slice(table.prefix.length), value]);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return records;
    after = last[0];
  }
}

/** Parses a record of a list. A damaged record is reported, and the result is undefined. */
export function parseListed<T>(store: Store, name: string, text: string | undefined): T | undefined {
  try {
    return parse<T>(name, text);
  } catch {
    store.reportDamage(name);
    return undefined;
  }
}

function parse<T>(name: string, text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    throw new DamagedRecordError(name);
  }
}
