import init, { type Database, type Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import type { Relation, RelationColumn, SqlValue } from './relation.ts';

/** SQLite, which is loaded once. */
let library: Promise<Sqlite3Static> | undefined;

/**
 * Writes tables as an SQLite database. Equal tables are equal bytes: the database is made in memory, in one transaction, so that its header
 * has neither counters nor the version of SQLite, and unused bytes are zero.
 *
 * @throws Error if the database is larger than the memory that WebAssembly can have
 */
export async function writeSqlite(relations: readonly Relation[]): Promise<Uint8Array> {
  library ??= init();
  const sqlite3 = await library;
  const { oo1, capi } = sqlite3;
  const database = new oo1.DB(':memory:');
  try {
    database.exec('PRAGMA secure_delete = ON; BEGIN');
    for (const relation of relations) database.exec(createTable(relation));
    for (const relation of relations) insertRows(sqlite3, database, relation);
    database.exec('COMMIT');
    return capi.sqlite3_js_db_export(database);
  } finally {
    database.close();
  }
}

/** Functions of SQLite itself. Those of the library convert and check each argument, which takes longer than what they do. */
interface RawSqlite {
  sqlite3_bind_double(statement: number, at: number, value: number): number;
  sqlite3_bind_int(statement: number, at: number, value: number): number;
  sqlite3_bind_int64(statement: number, at: number, value: bigint): number;
  sqlite3_bind_text(statement: number, at: number, text: number, bytes: number, free: number): number;
  sqlite3_clear_bindings(statement: number): number;
  sqlite3_reset(statement: number): number;
  sqlite3_step(statement: number): number;
}

function insertRows({ capi, wasm }: Sqlite3Static, database: Database, { name, columns }: Relation): void {
  const raw: RawSqlite = wasm.exports;
  const places = columns.map(() => '?').join();
  const prepared = database.prepare(`INSERT INTO ${quote(name)} VALUES (${places})`);
  const statement = Number(prepared.pointer);
  const texts = wasm.alloc(mostBytes(columns));
  let heap = memoryOf(wasm);
  let end = texts;
  const bind = (at: number, value: SqlValue, type: RelationColumn['type']): number => {
    if (value === null) return capi.SQLITE_OK;
    if (typeof value === 'string') {
      const start = end;
      end += heap.write(value, start);
      return raw.sqlite3_bind_text(statement, at, start, end - start, capi.SQLITE_STATIC);
    }
    if (type === 'REAL') return raw.sqlite3_bind_double(statement, at, value);
    if ((value | 0) === value) return raw.sqlite3_bind_int(statement, at, value);
    return raw.sqlite3_bind_int64(statement, at, BigInt(value));
  };
  const check = (result: number, expected: number) => {
    if (result !== expected) throw new Error(`SQLite: ${capi.sqlite3_errmsg(database)}`);
  };
  const rows = columns[0]?.values.length ?? 0;
  for (let row = 0; row < rows; row++) {
    // After SQLite got more memory, it is at another place.
    if (heap.length === 0) heap = memoryOf(wasm);
    end = texts;
    for (const [at, { type, values }] of columns.entries())
      check(bind(at + 1, values[row] ?? null, type), capi.SQLITE_OK);
    check(raw.sqlite3_step(statement), capi.SQLITE_DONE);
    check(raw.sqlite3_reset(statement), capi.SQLITE_OK);
    raw.sqlite3_clear_bindings(statement);
  }
  wasm.dealloc(texts);
  prepared.finalize();
}

function memoryOf({ heap8u }: Sqlite3Static['wasm']): Buffer {
  const { buffer, byteLength } = heap8u();
  return Buffer.from(buffer, 0, byteLength);
}

/** How many bytes the texts of a row can have. */
function mostBytes(columns: readonly RelationColumn[]): number {
  const longest = columns.map(({ values }) =>
    values.reduce<number>((most, value) => Math.max(most, typeof value === 'string' ? value.length : 0), 0),
  );
  // In UTF-8, a unit of UTF-16 has at most three bytes.
  return 1 + 3 * longest.reduce((sum, length) => sum + length, 0);
}

function createTable({ name, columns, key }: Relation): string {
  const lines = columns.map((column) => defineColumn(column, key));
  if (key.length > 1) lines.push(`PRIMARY KEY (${key.map(quote).join(', ')})`);
  return `CREATE TABLE ${quote(name)} (\n  ${lines.join(',\n  ')}\n)`;
}

function defineColumn({ name, type, references }: RelationColumn, key: readonly string[]): string {
  const isKey = key.includes(name);
  return [
    quote(name),
    type,
    ...(isKey ? ['NOT NULL'] : []),
    ...(isKey && key.length === 1 ? ['PRIMARY KEY'] : []),
    ...(references ? [`REFERENCES ${quote(references.table)} (${quote(references.column)})`] : []),
  ].join(' ');
}

/** A name in SQL cannot have the character NUL. */
function quote(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('\0', '\ufffd')}"`;
}
