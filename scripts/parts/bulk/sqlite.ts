import init, { type Database, type Sqlite3Static } from '@sqlite.org/sqlite-wasm';
import type { Relation, RelationColumn } from './relation.ts';

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

function insertRows({ capi }: Sqlite3Static, database: Database, { name, columns }: Relation): void {
  const places = columns.map(() => '?').join();
  const statement = database.prepare(`INSERT INTO ${quote(name)} VALUES (${places})`);
  const rows = columns[0]?.values.length ?? 0;
  for (let row = 0; row < rows; row++) {
    statement.clearBindings();
    for (const [at, { type, values }] of columns.entries()) {
      const value = values[row] ?? null;
      if (value === null) continue;
      // The library would bind 1e21 as an integer, of which 64 bits are stored.
      if (type === 'REAL') capi.sqlite3_bind_double(statement, at + 1, Number(value));
      else statement.bind(at + 1, value);
    }
    statement.stepReset();
  }
  statement.finalize();
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
