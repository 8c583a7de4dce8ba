import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DamagedRecordError, REVISION, type Store, StoreError, type Write } from './store.ts';

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
    if (written) return parseRecord<T>(name, written.value ?? undefined);
    if (!this.#read.has(name)) this.#read.set(name, (await this.#store.read([name]))[0]);
    return parseRecord<T>(name, this.#read.get(name));
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
  const value = parseRecord<T>(name, text);
  return [value, value && parseRecord<Other>(`${other.prefix}${value[member]}`, referred)];
}

/** Parses a record. @throws DamagedRecordError when it is not JSON */
export function parseRecord<T>(name: string, text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    throw new DamagedRecordError(name);
  }
}
