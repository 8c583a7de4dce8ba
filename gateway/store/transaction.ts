import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { REVISION, type Store, StoreError, type Write } from './store.ts';

/** Records of one kind, by id. */
export interface Table<T> {
  /** How the names of its records begin. */
  readonly prefix: string;
  /** Only there for the compiler. */
  readonly value?: T;
}

/** Finds records. */
export interface Reader {
  get<T>(table: Table<T>, id: string): Promise<T | undefined>;
}

/** What reads records and changes some, all at once or not at all. */
export interface Transaction extends Reader {
  /** @param expires from when on the record is gone, ms since 1970; for ever without */
  put<T>(table: Table<T>, id: string, value: T, expires?: number): void;
  remove(table: Table<unknown>, id: string): void;
  /** What gateways remember of keys and accounts is out of date. */
  changeRevision(): void;
}

/** How long a transaction is tried anew while others change what it read, in ms, and how long it pauses at most. */
const PATIENCE_MS = 10_000;
const LONGEST_PAUSE_MS = 20;
/** How many records are read at once. */
const PAGE = 1000;

/** Names a kind of records. */
export function table<T>(name: string): Table<T> {
  return { prefix: `${name}:` };
}

/**
 * Reads records and changes some, as if nobody else did anything in between. The work is done anew as long as others were faster,
 * so that it must do nothing else; what it reads may be of several moments, but then nothing is written.
 *
 * @throws StoreError when the store does not answer, or others are always faster
 */
export async function transact<T>(store: Store, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const transaction = new StoreTransaction({ store });
    const result = await work(transaction);
    if (await transaction.commit()) return result;
    if (performance.now() > end) throw new StoreError('the store is changed by too many at once; try again');
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}

/** Remembers what was read, and what is to be written when it is committed. */
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
    if (written) return parse<T>(written.value ?? undefined);
    if (!this.#read.has(name)) this.#read.set(name, (await this.#store.read([name]))[0]);
    return parse<T>(this.#read.get(name));
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

  /** @returns false where something that was read has changed since, and so nothing was written */
  async commit(): Promise<boolean> {
    return this.#write.size === 0 || (await this.#store.commit({ read: this.#read, write: this.#write }));
  }
}

/**
 * Finds one record.
 *
 * @param patience how long it may take, in ms
 */
export async function find<T>(
  store: Store,
  table: Table<T>,
  id: string,
  patience?: number,
): Promise<T | undefined> {
  const [text] = await store.read([table.prefix + id], patience);
  return parse<T>(text);
}

/** Finds records, in the order of their ids. */
export async function findAll<T>(
  store: Store,
  { prefix }: Table<T>,
  ids: readonly string[],
): Promise<(T | undefined)[]> {
  const found: (T | undefined)[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const names = ids.slice(at, at + PAGE).map((id) => prefix + id);
    for (const text of await store.read(names)) found.push(parse<T>(text));
  }
  return found;
}

/** All records of a table whose ids begin so, in order of id. */
export async function list<T>(store: Store, table: Table<T>, begin = ''): Promise<[id: string, value: T][]> {
  const found: [string, T][] = [];
  const prefix = table.prefix + begin;
  for (let after = ''; ; ) {
    const page = await store.list(prefix, { after, limit: PAGE });
    for (const [name, text] of page) found.push([name.slice(table.prefix.length), JSON.parse(text) as T]);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return found;
    after = last[0];
  }
}

function parse<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
