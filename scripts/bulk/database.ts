import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, LANGUAGE, ownValue } from '../format/dist-format.ts';
import { type BulkCollection, type ColumnType, columnType } from './tables.ts';

type SqlValue = string | number | null;
type Values = readonly (Json | undefined)[];

/** A column of a database table. */
interface RelationColumn {
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
  columns: RelationColumn[];
  /** The columns of its primary key; empty if it has none. */
  key: readonly string[];
}

const TYPES: Readonly<Record<ColumnType, RelationColumn['type']>> = {
  ...{ BOOLEAN: 'INTEGER', INT32: 'INTEGER', INT64: 'INTEGER' },
  ...{ DOUBLE: 'REAL', STRING: 'TEXT', JSON: 'TEXT' },
};

/** Makes a column with the narrowest type for all values. Booleans are 0 and 1; lists, and values of several types, are JSON. */
function makeColumn(name: string, values: Values, references?: RelationColumn['references']): RelationColumn {
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

const NAME = new RegExp(`^name(?:_(${LANGUAGE.slice(1, -1)}))?$`);
/** The language tag for an unknown language. */
const UNKNOWN_LANGUAGE = 'und';

/** A collection as a table. */
interface CollectionRelation extends Relation {
  collection: string;
  records: readonly JsonObject[];
  /** The columns by the keys of their attributes. */
  attributes: ReadonlyMap<string, RelationColumn>;
  /** The keys of attributes that are lists in some record. */
  lists: ReadonlySet<string>;
  /** The ids of the records, if they are the table's primary key. */
  ids: ReadonlySet<Json> | undefined;
}

/**
 * Makes the tables of a build's database: one per collection, `names`, and `snapshot`, which describes the build. The key of a dataset is never one
 * of these names (`RESERVED_DATASET_KEYS`).
 *
 * A reference becomes a foreign key if every value is the id of a record. References inside lists become a table of their own.
 *
 * @param language of `name`, if known
 */
function makeRelations(
  content: BuildContent,
  sources: readonly BulkCollection[],
  dictionary: AttributeDictionary,
  language: string = UNKNOWN_LANGUAGE,
): Relation[] {
  const collections = sources.flatMap((source) => makeCollection(source) ?? []);
  const byKey = new Map(collections.map((each) => [each.collection, each]));
  const links = collections.flatMap((source) =>
    (ownValue(dictionary, source.collection)?.attributes ?? []).flatMap(({ key, ref }) => {
      const target = ref === undefined ? undefined : byKey.get(ref);
      return (target && refer(source, key, target)) ?? [];
    }),
  );
  const relations = [describeBuild(content), makeNames(collections, language), ...collections, ...links];
  const names = distinctNames(relations.map(({ name }) => name));
  return relations.map((relation, at) => ({ ...relation, name: names[at] ?? '' }));
}

/** Returns undefined for a collection without attributes. */
function makeCollection({ key: collection, records, table }: BulkCollection): CollectionRelation | undefined {
  if (table.names.length === 0) return undefined;
  const names = distinctNames(table.names);
  const columns = names.map((name, at) => makeColumn(name, table.columns[at] ?? []));
  const attributes = new Map(table.names.map((key, at) => [key, columns[at] as RelationColumn]));
  const lists = new Set(table.names.filter((_, at) => table.columns[at]?.some(Array.isArray)));
  const id = attributes.get('id');
  const ids = findIds(records);
  return {
    // SQLite reserves names with this prefix.
    name: collection.startsWith('sqlite_') ? `dataset.${collection}` : collection,
    ...{ collection, records, columns, attributes, lists },
    key: id && ids ? [id.name] : [],
    ids: id && ids,
  };
}

/** Returns the ids of records; undefined if one lacks an id, or two share one. */
function findIds(records: readonly JsonObject[]): ReadonlySet<Json> | undefined {
  const ids = new Set(records.map(({ id }) => id));
  const types = new Set([...ids].map((id) => typeof id));
  if (ids.size !== records.length || types.size !== 1) return undefined;
  return types.has('string') || types.has('number') ? (ids as ReadonlySet<Json>) : undefined;
}

/** Makes a column a foreign key, or returns a table of the references inside lists. */
function refer(source: CollectionRelation, key: string, target: CollectionRelation): Relation | undefined {
  const [id = ''] = target.key;
  if (target.ids === undefined) return undefined;
  const references = { table: target.name, column: id };
  const values = source.records.map((record) => valuesAt(record, key.split('.')));
  const isWhole = values.flat().every((value) => target.ids?.has(value));
  const column = source.attributes.get(key);
  if (column === undefined || source.lists.has(key))
    return makeLinks(source, key, values, isWhole ? references : undefined);
  if (isWhole) column.references = references;
  return undefined;
}

/** Makes the table of references inside lists: one row each, with its position among those of its record, from 1. */
function makeLinks(
  source: CollectionRelation,
  key: string,
  valuesOfRows: readonly (readonly Json[])[],
  references: RelationColumn['references'],
): Relation | undefined {
  const values = valuesOfRows.flat();
  if (values.length === 0) return undefined;
  const [id] = source.key;
  const owner = id === undefined ? 'row' : 'id';
  const ownerOf = (row: number) => (id === undefined ? row + 1 : source.records[row]?.id);
  const owners = valuesOfRows.flatMap((each, row) => each.map(() => ownerOf(row)));
  const positions = valuesOfRows.flatMap((each) => each.map((_, at) => at + 1));
  const columns = [
    makeColumn(owner, owners, id === undefined ? undefined : { table: source.name, column: id }),
    makeColumn('position', positions),
    makeColumn('ref', values, references),
  ];
  return { name: `${source.name}.${key}`, columns, key: [owner, 'position'] };
}

/** Returns the values at a path, also inside lists. */
function valuesAt(value: Json | undefined, [name, ...rest]: readonly string[]): Json[] {
  if (Array.isArray(value)) {
    const path = name === undefined ? [] : [name, ...rest];
    return value.flatMap((element) => valuesAt(element, path));
  }
  if (value === undefined || value === null) return [];
  if (name === undefined) return [value];
  return isObject(value) && Object.hasOwn(value, name) ? valuesAt(value[name], rest) : [];
}

/** The names of all records with ids, in each language: the own one, or as attributes name it, `ja` or `zh_cn`. */
function makeNames(collections: readonly CollectionRelation[], language: string): Relation {
  const rows = collections.flatMap(({ collection, records, ids }) =>
    (ids === undefined ? [] : records).flatMap((record) => {
      const names = new Map<string, string>();
      for (const [key, value] of Object.entries(record)) {
        const match = NAME.exec(key);
        if (match && typeof value === 'string') names.set(match[1] ?? language, value);
      }
      if (typeof record.name === 'string') names.set(language, record.name);
      return [...names].map((name) => [collection, String(record.id), ...name]);
    }),
  );
  const cellsAt = (at: number) => rows.map((row) => row[at]);
  const columns = ['collection', 'id', 'language', 'name'].map((name, at) => makeColumn(name, cellsAt(at)));
  return { name: 'names', columns, key: ['collection', 'id', 'language'] };
}

function describeBuild({ game, title, build, released_at }: BuildContent): Relation {
  const columns = Object.entries({ game, title, build, released_at }).map(([name, value]) =>
    makeColumn(name, [value]),
  );
  return { name: 'snapshot', columns, key: [] };
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
export async function makeDatabase(
  content: BuildContent,
  collections: readonly BulkCollection[],
  dictionary: AttributeDictionary,
  language: string | undefined,
): Promise<Uint8Array> {
  const relations = makeRelations(content, collections, dictionary, language);
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

/** A name in SQL cannot contain the character NUL. */
function quote(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('\0', '\ufffd')}"`;
}
