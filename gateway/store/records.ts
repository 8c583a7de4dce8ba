import type { Sql, Store, Value } from './sql.ts';

// A bridge: what is not in tables of its own yet is JSON texts by name in one table. Nothing new may use it.

/** Records of one kind, by id. */
export interface Table<T> {
  /** How the names of its records begin. */
  readonly prefix: string;
  /** Carries the type; never set. */
  readonly value?: T;
}

/** Declares a kind of records by the beginning of their names. */
export function table<T>(name: string): Table<T> {
  return { prefix: `${name}:` };
}

/** Reads records. */
export interface Reader extends Sql {
  read<T>(table: Table<T>, id: string): Promise<T | undefined>;
}

/** Reads records and changes some, all at once or not at all. */
export interface Transaction extends Reader {
  /** @param expires ms since 1970; without it, the record does not expire */
  put<T>(table: Table<T>, id: string, value: T, expires?: number): Promise<void>;
  remove(table: Table<unknown>, id: string): Promise<void>;
}

/** A page of a list. */
export interface Page {
  /** Only names after this one. */
  after: string;
  /** The maximum number of records. */
  limit: number;
}

/** Reads records and changes some, as if no other process changed anything in between. If one did, the work is done again. */
export async function transact<T>(store: Store, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return await store.transaction((sql) => work(new RecordTransaction(sql)));
}

class RecordTransaction implements Transaction {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get secretKey(): Buffer {
    return this.#sql.secretKey;
  }

  now(): number {
    return this.#sql.now();
  }

  get<Row>(sql: string, values?: readonly Value[]): Promise<Row | undefined> {
    return this.#sql.get<Row>(sql, values);
  }

  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]> {
    return this.#sql.all<Row>(sql, values);
  }

  run(sql: string, values?: readonly Value[]): Promise<number> {
    return this.#sql.run(sql, values);
  }

  read<T>(table: Table<T>, id: string): Promise<T | undefined> {
    return find(this.#sql, table, id);
  }

  async put<T>({ prefix }: Table<T>, id: string, value: T, expires?: number): Promise<void> {
    await this.#sql.run(
      `INSERT INTO records (name, value, ends_at) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value, ends_at = excluded.ends_at`,
      [toHex(prefix + id), JSON.stringify(value), expires ?? null],
    );
  }

  async remove({ prefix }: Table<unknown>, id: string): Promise<void> {
    await this.#sql.run('DELETE FROM records WHERE name = $1', [toHex(prefix + id)]);
  }
}

/** Names are compared as hexadecimal digits, which are in the same order in every collation. */
function toHex(name: string): string {
  return Buffer.from(name).toString('hex');
}

/** Reads one record. */
export async function find<T>(sql: Sql, { prefix }: Table<T>, id: string): Promise<T | undefined> {
  const row = await sql.get<{ value: string }>(
    'SELECT value FROM records WHERE name = $1 AND (ends_at IS NULL OR ends_at > $2)',
    [toHex(prefix + id), sql.now()],
  );
  return row && (JSON.parse(row.value) as T);
}

/** Lists a page of the records of a table whose ids begin with `begin`, in the order of their ids. */
export async function listPage<T>(
  sql: Sql,
  { prefix }: Table<T>,
  { after, limit, begin = '' }: Page & { begin?: string },
): Promise<[id: string, value: T][]> {
  const first = toHex(prefix + begin);
  const rows = await sql.all<{ name: string; value: string }>(
    `SELECT name, value FROM records WHERE name > $1 AND name < $2 AND (ends_at IS NULL OR ends_at > $3)
     ORDER BY name LIMIT $4`,
    [after === '' ? first : toHex(prefix + after), `${first}g`, sql.now(), limit],
  );
  return rows.map(({ name, value }) => [
    Buffer.from(name, 'hex').toString().slice(prefix.length),
    JSON.parse(value) as T,
  ]);
}

/** Lists the records of a table whose ids begin with `begin`, in the order of their ids. */
export async function list<T>(sql: Sql, table: Table<T>, begin = ''): Promise<[id: string, value: T][]> {
  return await listPage(sql, table, { after: '', limit: MAX_RECORDS, begin });
}

const MAX_RECORDS = 1_000_000_000;
