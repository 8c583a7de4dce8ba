import type { AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, LANGUAGE, ownValue } from '../format/dist-format.ts';
import { type BulkCollection, collectionsOf, recordsOf } from './collections.ts';
import { type Table, tableOf } from './columns.ts';
import { distinctNames, makeColumn, type Relation, type RelationColumn } from './relation.ts';

/** SQLite has at most so many columns in a table. */
const MAX_COLUMNS = 2000;
const NAME = new RegExp(`^name(?:_(${LANGUAGE.slice(1, -1)}))?$`);
/** The language tag for a language that is not known. */
const UNKNOWN_LANGUAGE = 'und';

/** A collection as a table. */
interface CollectionRelation extends Relation {
  collection: string;
  records: readonly JsonObject[];
  /** The columns by the keys of their attributes. */
  attributes: ReadonlyMap<string, RelationColumn>;
  /** The keys of attributes that are lists in some record. */
  lists: ReadonlySet<string>;
  /** The ids of the records, if the table has them as its primary key. */
  ids: ReadonlySet<Json> | undefined;
}

/**
 * Makes the tables of a build's database: one for each collection, `names`, and `snapshot` with what the build is. The key of a dataset is
 * never one of these names (`RESERVED_DATASET_KEYS`).
 *
 * A reference becomes a foreign key if every value is the id of a record. References inside lists are a table of their own.
 *
 * @param language of `name`, if it is known
 */
export function makeRelations(
  content: BuildContent,
  dictionary: AttributeDictionary,
  language: string = UNKNOWN_LANGUAGE,
): Relation[] {
  const collections = collectionsOf(content).flatMap((collection) => {
    const inOrder = ownValue(dictionary, collection.key)?.attributes.map(({ key }) => key) ?? [];
    return makeCollection(collection, inOrder) ?? [];
  });
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

/** Returns undefined for a collection without any attribute. */
function makeCollection(source: BulkCollection, inOrder: readonly string[]): CollectionRelation | undefined {
  const collection = source.key;
  const records = recordsOf(source);
  const table = limitColumns(tableOf(source, inOrder), records);
  if (table.names.length === 0) return undefined;
  const names = distinctNames(table.names);
  const columns = names.map((name, at) => makeColumn(name, table.columns[at] ?? []));
  const attributes = new Map(table.names.map((key, at) => [key, columns[at] as RelationColumn]));
  const lists = new Set(table.names.filter((_, at) => table.columns[at]?.some(Array.isArray)));
  const id = attributes.get('id');
  const ids = findIds(records);
  return {
    // Names that begin so are reserved for SQLite.
    name: collection.startsWith('sqlite_') ? `dataset.${collection}` : collection,
    ...{ collection, records, columns, attributes, lists },
    key: id && ids ? [id.name] : [],
    ids: id && ids,
  };
}

/** A table with too many columns has one for each attribute at the top, and else one for the whole record. */
function limitColumns(table: Table, records: readonly JsonObject[]): Table {
  if (table.names.length <= MAX_COLUMNS) return table;
  const top = new Set(records.flatMap((record) => Object.keys(record)));
  if (top.size > MAX_COLUMNS) return { names: ['json'], columns: [[...records]] };
  const names = [...top];
  return { names, columns: names.map((name) => records.map((record) => ownValue(record, name))) };
}

/** Returns the ids of records; undefined if one has none, or two have the same. */
function findIds(records: readonly JsonObject[]): ReadonlySet<Json> | undefined {
  const ids = new Set(records.map(({ id }) => id));
  const types = new Set([...ids].map((id) => typeof id));
  if (ids.size !== records.length || types.size !== 1) return undefined;
  return types.has('string') || types.has('number') ? (ids as ReadonlySet<Json>) : undefined;
}

/** Makes a column a foreign key, or returns a table with the references inside lists. */
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

/** The references of records inside lists: a row for each, with its place among those of its record, from 1. */
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

/** The names of all records that have an id, in each language. */
function makeNames(collections: readonly CollectionRelation[], language: string): Relation {
  const rows = collections.flatMap(({ collection, records, ids }) =>
    ids === undefined
      ? []
      : records.flatMap((record) =>
          [...namesOf(record, language)].map((name) => [collection, String(record.id), ...name]),
        ),
  );
  const columns = ['collection', 'id', 'language', 'name'].map((name, at) =>
    makeColumn(
      name,
      rows.map((row) => row[at]),
    ),
  );
  return { name: 'names', columns, key: ['collection', 'id', 'language'] };
}

/** The names of a record by language, as attributes name it: `ja`, `zh_cn`. */
function namesOf(record: JsonObject, language: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [key, value] of Object.entries(record)) {
    const match = NAME.exec(key);
    if (match && typeof value === 'string') names.set(match[1] ?? language, value);
  }
  if (typeof record.name === 'string') names.set(language, record.name);
  return names;
}

function describeBuild({ game, title, build, released_at }: BuildContent): Relation {
  const columns = Object.entries({ game, title, build, released_at }).map(([name, value]) =>
    makeColumn(name, [value]),
  );
  return { name: 'snapshot', columns, key: [] };
}
