import init, { type PreparedStatement } from '@sqlite.org/sqlite-wasm';
import fastify from 'fastify';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';
import { announce } from './announce.ts';
import { describePage, readRecords } from './records.ts';

// A roster with fastify and SQLite: a table with an index for each column of scalars, statements that are prepared once, and entries as JSON.
const records = await readRecords();
const columns = ['element', 'weapon', 'region', 'rarity', ...statsOf(records[0] as JsonObject)];
const { oo1 } = await init();
const database = new oo1.DB(':memory:');
database.exec(`CREATE TABLE characters (${[...columns.map(quote), 'json'].join()})`);
const places = ['json', ...columns].map(() => '?').join();
database.exec('BEGIN');
for (const record of records) {
  const bind = [...columns.map((column) => read(record, column)), JSON.stringify(record)];
  database.exec({ sql: `INSERT INTO characters VALUES (${places})`, bind });
}
for (const column of columns)
  database.exec(`CREATE INDEX ${quote(`by ${column}`)} ON characters (${quote(column)})`);
database.exec('COMMIT; ANALYZE');

const statements = new Map<string, PreparedStatement>();

const app = fastify({ keepAliveTimeout: 65_000 });
app.get<{ Params: { game: string }; Querystring: Record<string, string> }>(
  '/api/:game/characters',
  (request, reply) => {
    const { sort = 'element', limit = '100', ...filters } = request.query;
    const terms = Object.keys(filters).map((name) =>
      name.endsWith('[gte]') ? `${quote(name.slice(0, -5))} >= ?` : `${quote(name)} = ?`,
    );
    const from = `FROM characters WHERE ${['1', ...terms].join(' AND ')}`;
    const values = Object.entries(filters).map(([name, value]) =>
      name.endsWith('[gte]') || name === 'rarity' ? Number(value) : value,
    );
    const order = `${quote(sort.replace(/^-/, ''))} ${sort.startsWith('-') ? 'DESC' : 'ASC'}`;
    const [total = 0] = run(`SELECT count(*) ${from}`, values);
    // Rows first, then their entries: otherwise each entry that matches would be sorted with its text.
    const rows = run(`SELECT rowid ${from} ORDER BY ${order}, rowid LIMIT ?`, [...values, Number(limit)]);
    const page = rows.map((row) => run('SELECT json FROM characters WHERE rowid = ?', [row])[0]);
    reply.type('application/json; charset=utf-8');
    const found = { total: Number(total), count: page.length };
    const head = JSON.stringify(describePage(request.params.game, request.query, found));
    return reply.send(`${head.slice(0, -1)},"characters":[${page.join()}]}`);
  },
);
await app.ready();
announce(app.server);

/** Runs a query. @returns its first column */
function run(sql: string, values: readonly (string | number)[]): (string | number)[] {
  const statement = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, statement);
  const found: (string | number)[] = [];
  statement.bind([...values]);
  while (statement.step()) found.push(statement.get(0) as string | number);
  statement.reset(true);
  return found;
}

function statsOf(record: JsonObject): string[] {
  return Object.keys(record.stats as JsonObject).map((key) => `stats.${key}`);
}

function read(record: JsonObject, column: string): string | number | null {
  const value = column.startsWith('stats.') ? (record.stats as JsonObject)[column.slice(6)] : record[column];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
