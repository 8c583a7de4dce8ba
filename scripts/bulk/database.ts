import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { isObject, type Json, LANGUAGE, ownValue } from '../format/dist-format.ts';
import { type BulkBuild, type BulkCollection, type ColumnType, columnType } from './tables.ts';

type SqlValue = string | number | null;
type Values = readonly (Json | undefined)[];

/** A column of a database table. */
interface SqlColumn {
  name: string;
  type: 'INTEGER' | 'REAL' | 'TEXT';
  /** One per row. */
  values: readonly SqlValue[];
  /** A column of another table that contains all values. */
  references?: { table: string; column: string } | undefined;
}

/** A table of a database. */
interface Relation {
  name: string;
  columns: SqlColumn[];
  /** The columns of its primary key; empty if it has none. */
  key: readonly string[];
}

/** A collection as a table. */
interface CollectionRelation extends Relation {
  source: BulkCollection;
  /** The ids of the records, if they are the table's primary key. */
  ids: ReadonlySet<Json> | undefined;
}

const TYPES: Readonly<Record<ColumnType, SqlColumn['type']>> = {
  BOOLEAN: 'INTEGER',
  INT32: 'INTEGER',
  INT64: 'INTEGER',
  DOUBLE: 'REAL',
  STRING: 'TEXT',
  JSON: 'TEXT',
};

/** Makes a column with the narrowest type for all values. Booleans are 0 and 1; lists, and values of several types, are JSON. */
function makeColumn(name: string, values: Values, references?: SqlColumn['references']): SqlColumn {
  const type = columnType(values);
  const write = (value: Json | undefined): SqlValue => {
    if (value === undefined || value === null) return null;
    if (type === 'JSON') return JSON.stringify(value);
    return typeof value === 'boolean' ? Number(value) : (value as string | number);
  };
  return { name, type: TYPES[type], values: values.map(write), references };
}

/** Makes names distinct for SQL: if a name differs from an earlier one only in case, it gets the suffix `_2`. */
function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let made = name;
    for (let number = 2; taken.has(made.toLowerCase()); number++) made = `${name}_${number}`;
    taken.add(made.toLowerCase());
    return made;
  });
}

/**
 * Makes the tables of a build's database: one per collection, `names`, and `snapshot`, which describes the build. The key of a dataset is never one
 * of these names (`RESERVED_DATASET_KEYS`).
 *
 * A reference becomes a foreign key if every value is the id of a record. References inside lists become a table of their own.
 */
function makeRelations(
  { content, collections: sources, dictionary }: BulkBuild,
  language = 'und',
): Relation[] {
  const collections = sources.filter(({ table }) => table.names.length > 0).map(makeCollection);
  const links = collections.flatMap((relation) =>
    (ownValue(dictionary, relation.source.key)?.attributes ?? []).flatMap(({ key, ref }) => {
      const target = collections.find(({ source }) => source.key === ref);
      return target?.ids ? refer(relation, key, target, target.ids) : [];
    }),
  );
  const { game, title, build, released_at } = content;
  const about = Object.entries({ game, title, build, released_at });
  const snapshot = {
    name: 'snapshot',
    columns: about.map(([name, value]) => makeColumn(name, [value])),
    key: [],
  };
  const relations = [snapshot, makeNames(collections, language), ...collections, ...links];
  const names = distinctNames(relations.map(({ name }) => name));
  return relations.map((relation, at) => ({ ...relation, name: names[at] ?? '' }));
}

function makeCollection(source: BulkCollection): CollectionRelation {
  const { key, records, table } = source;
  const columns = distinctNames(table.names).map((name, at) => makeColumn(name, table.columns[at] ?? []));
  const id = columns[table.names.indexOf('id')];
  const ids = new Set(records.map((record) => record.id ?? null));
  // A primary key has a value in each row, and no value twice.
  const isWhole = ids.size === records.length && !ids.has(null);
  const isKey = id !== undefined && isWhole && !['BOOLEAN', 'JSON'].includes(columnType([...ids]));
  // SQLite reserves names with this prefix.
  const name = key.startsWith('sqlite_') ? `dataset.${key}` : key;
  return { name, columns, key: isKey ? [id.name] : [], source, ids: isKey ? ids : undefined };
}

/** Makes a column a foreign key, or returns a table of the references inside lists: one row each, with its position among those of its record. */
function refer(from: CollectionRelation, key: string, to: Relation, ids: ReadonlySet<Json>): Relation[] {
  const { records, table } = from.source;
  const valuesOfRows = records.map((record) => valuesAt(record, key.split('.')));
  const values = valuesOfRows.flat();
  const isWhole = values.every((value) => ids.has(value));
  const references = isWhole ? { table: to.name, column: to.key[0] ?? '' } : undefined;
  const at = table.names.indexOf(key);
  const column = from.columns[at];
  if (column && !table.columns[at]?.some(Array.isArray)) {
    column.references = references;
    return [];
  }
  if (values.length === 0) return [];
  const [id] = from.key;
  const owner = id === undefined ? 'row' : 'id';
  const ownerOf = (row: number) => (id === undefined ? row + 1 : records[row]?.id);
  const owners = valuesOfRows.flatMap((each, row) => each.map(() => ownerOf(row)));
  const positions = valuesOfRows.flatMap((each) => each.map((_, place) => place + 1));
  const columns = [
    makeColumn(owner, owners, id === undefined ? undefined : { table: from.name, column: id }),
    makeColumn('position', positions),
    makeColumn('ref', values, references),
  ];
  return [{ name: `${from.name}.${key}`, columns, key: [owner, 'position'] }];
}

/** Returns the values at a path, also inside lists. */
function valuesAt(value: Json | undefined, path: readonly string[]): Json[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path));
  if (value === undefined || value === null) return [];
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  return isObject(value) ? valuesAt(ownValue(value, name), rest) : [];
}

const NAME = new RegExp(`^name(?:_(${LANGUAGE.slice(1, -1)}))?$`);

/** The names of all records with ids, in each language: the own one, or as attributes name it, `ja` or `zh_cn`. */
function makeNames(collections: readonly CollectionRelation[], language: string): Relation {
  const rows = collections.flatMap(({ source: { key, records }, ids }) =>
    (ids === undefined ? [] : records).flatMap((record) => {
      const names = new Map<string, string>();
      for (const [attribute, value] of Object.entries(record)) {
        const match = NAME.exec(attribute);
        if (match && typeof value === 'string') names.set(match[1] ?? language, value);
      }
      if (typeof record.name === 'string') names.set(language, record.name);
      return [...names].map((name) => [key, String(record.id), ...name]);
    }),
  );
  const cellsAt = (at: number) => rows.map((row) => row[at]);
  const columns = ['collection', 'id', 'language', 'name'].map((name, at) => makeColumn(name, cellsAt(at)));
  return { name: 'names', columns, key: ['collection', 'id', 'language'] };
}

/** Without checks of foreign keys: rows are inserted in the order of the tables, not of their references. */
const SETTINGS =
  'PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN';

/**
 * Writes a build as an SQLite database. Equal builds give equal bytes: unused bytes are zero, as are the counters and the version of SQLite in the
 * header.
 *
 * @param language of `name`, if known
 */
export async function makeDatabase(build: BulkBuild, language: string | undefined): Promise<Uint8Array> {
  const relations = makeRelations(build, language);
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-sqlite-'));
  const file = path.join(folder, 'build.sqlite');
  try {
    const database = new DatabaseSync(file);
    database.exec(SETTINGS);
    for (const relation of relations) database.exec(createTable(relation));
    for (const { name, columns } of relations) {
      const places = columns.map(() => '?').join(', ');
      const insert = database.prepare(`INSERT INTO ${quote(name)} VALUES (${places})`);
      const rows = columns[0]?.values.length ?? 0;
      for (let row = 0; row < rows; row++) insert.run(...columns.map(({ values }) => values[row] ?? null));
    }
    database.exec('COMMIT');
    database.close();
    const bytes = await readFile(file);
    return bytes.fill(0, 24, 28).fill(0, 92, 100);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function createTable({ name, columns, key }: Relation): string {
  const lines = columns.map((column) => {
    const isKey = key.includes(column.name);
    const { table, column: target = '' } = column.references ?? {};
    return [
      quote(column.name),
      column.type,
      isKey && 'NOT NULL',
      isKey && key.length === 1 && 'PRIMARY KEY',
      table !== undefined && `REFERENCES ${quote(table)} (${quote(target)})`,
    ];
  });
  const rows = lines.map((words) => words.filter(Boolean).join(' '));
  if (key.length > 1) rows.push(`PRIMARY KEY (${key.map(quote).join(', ')})`);
  return `CREATE TABLE ${quote(name)} (\n  ${rows.join(',\n  ')}\n)`;
}

/** A name in SQL cannot contain the character NUL. */
function quote(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('\0', '\ufffd')}"`;
}
