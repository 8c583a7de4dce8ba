import { distance } from 'fastest-levenshtein';
import type { Expression } from '../../compile/expression.ts';
import type { MappedRows, Mapping } from '../../compile/mapping.ts';
import { tableOfRows } from '../../compile/union-table.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import type { Table } from '../../read/table.ts';
import { type AttributePath, readsOf } from './attribute-paths.ts';

/** A name that an expression reads and no row of a table has, and a similar one that rows have and the mapping does not read. */
export interface Misspelt {
  /** `characters` or the key of the dataset. */
  list: string;
  expression: Expression;
  /** The 1-based line of the expression's text. */
  line: number;
  name: string;
  near: string | undefined;
  table: string;
}

/**
 * Finds attributes that a mapping reads and no row of the table has: if rows have an attribute of a similar name that the mapping does not
 * read, or if all rows have the same attributes. Otherwise it is not a fault: dumps leave out what is empty.
 */
export function findMisspelt(tables: Map<string, Table>, mapping: Mapping): Misspelt[] {
  const mapped = [
    ...(mapping.roster ? ([['characters', mapping.roster]] as const) : []),
    ...mapping.datasets,
  ];
  return mapped.flatMap(([list, rows]) => {
    const table = 'from' in rows ? tableOfRows(rows, { tables }) : undefined;
    return table ? findInRows(list, rows as MappedRows & { record?: Expression }, table) : [];
  });
}

function findInRows(
  list: string,
  { where, entry, record }: MappedRows & { record?: Expression },
  table: Table,
): Misspelt[] {
  const expressions = [where, entry, record].filter((expression) => expression !== undefined);
  // A list is used as it is: an attribute is mostly found in its first row, and listing all rows would take longer.
  const rows = isObject(table.value) ? rowsOf(table.value) : table.value;
  const read = new Set(expressions.flatMap(readsOf).flatMap(({ names }) => prefixesOf(names)));
  return expressions.flatMap((expression) =>
    readsOf(expression).flatMap((path) => {
      const twin = findTwin(path, rows, read);
      return twin === undefined ? [] : [{ list, expression, line: path.line, ...twin, table: table.name }];
    }),
  );
}

const listed = new WeakMap<JsonObject, Json[]>();

/** The rows of a table that is an object: the same list for the same object. */
function rowsOf(table: JsonObject): Json[] {
  const rows = listed.get(table) ?? Object.values(table);
  listed.set(table, rows);
  return rows;
}

type Twin = Pick<Misspelt, 'name' | 'near'>;

function findTwin({ names }: AttributePath, rows: Json, read: ReadonlySet<string>): Twin | undefined {
  const depth = names.findIndex((_, index) => !isKnownReached(rows, names.slice(0, index + 1)));
  const name = names[depth];
  if (name === undefined) return undefined;
  const above = names.slice(0, depth);
  const there = new Set(objectsAt(rows, above).flatMap((object) => Object.keys(object)));
  const similar = [...there].filter(
    (other) => isNear(name, other) && !read.has(JSON.stringify([...above, other])),
  );
  const [near] = similar.sort();
  return near !== undefined || (depth === 0 && haveSameNames(rows)) ? { name, near } : undefined;
}

/** Whether the rows of a table are objects with the same attributes, as those of a CSV file. */
function haveSameNames(rows: Json): boolean {
  const names = (row: Json | undefined) => (isObject(row) ? Object.keys(row).sort().join('\0') : undefined);
  if (!Array.isArray(rows) || rows.length < MIN_ROWS) return false;
  const first = names(rows[0]);
  return first !== undefined && rows.every((row) => names(row) === first);
}

/** Fewer rows may have the same attributes by chance. */
const MIN_ROWS = 10;

/** What `isReached` returned for the rows of a table: expressions read the same attributes, and most tables do not change in a build. */
const reached = new WeakMap<object, Map<string, boolean>>();

function isKnownReached(rows: Json, names: readonly string[]): boolean {
  if (typeof rows !== 'object' || rows === null) return isReached(rows, names);
  const byName = reached.get(rows) ?? new Map<string, boolean>();
  reached.set(rows, byName);
  const name = JSON.stringify(names);
  const isNamed = byName.get(name) ?? isReached(rows, names);
  byName.set(name, isNamed);
  return isNamed;
}

/** Whether a value has an attribute; of a list, whether any of its elements has it, as in JSONata. */
function isReached(value: Json, names: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((element) => isReached(element, names));
  const [name, ...others] = names;
  if (name === undefined) return true;
  return isObject(value) && Object.hasOwn(value, name) && isReached(value[name] ?? null, others);
}

function objectsAt(value: Json, names: readonly string[]): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((element) => objectsAt(element, names));
  if (!isObject(value)) return [];
  const [name, ...others] = names;
  if (name === undefined) return [value];
  return Object.hasOwn(value, name) ? objectsAt(value[name] ?? null, others) : [];
}

/** Whether a name looks like a typing error of another: one letter differs, or two in a long name. Names that differ only in digits are intended. */
function isNear(name: string, other: string): boolean {
  const withoutDigits = (text: string) => text.replace(/\d+/g, '');
  if (withoutDigits(name) === withoutDigits(other)) return false;
  return distance(name, other) <= (name.length < MIN_LONG_NAME ? 1 : 2);
}

/** From this many characters on, a name is long. */
const MIN_LONG_NAME = 8;

function prefixesOf(names: readonly string[]): string[] {
  return names.map((_, index) => JSON.stringify(names.slice(0, index + 1)));
}
