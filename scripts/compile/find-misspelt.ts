import { distance } from 'fastest-levenshtein';
import type { Finding } from '../findings/findings.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import type { BuildTables } from '../read/read-tables.ts';
import type { Table } from '../read/table.ts';
import type { AttributePath } from './attribute-paths.ts';
import type { Expression } from './expression.ts';
import type { MappedRows, Mapping } from './mapping.ts';

/**
 * Finds attributes that a mapping reads and no row of the table has, if rows have an attribute of a similar name that the mapping does not
 * read. Without a similar name it is not a fault: dumps leave out what is empty.
 */
export function findMisspelt({ tables }: BuildTables, mapping: Mapping): Finding[] {
  const mapped = [...(mapping.roster ? [mapping.roster] : []), ...mapping.datasets.values()];
  return mapped.flatMap((rows) => {
    const table = 'from' in rows ? tables.get(rows.from) : undefined;
    return table ? findInRows(rows as MappedRows & { record?: Expression }, table) : [];
  });
}

function findInRows({ where, entry, record }: MappedRows & { record?: Expression }, table: Table): Finding[] {
  const expressions = [where, entry, record].filter((expression) => expression !== undefined);
  // A list is used as it is: an attribute is mostly found in its first row, and listing all rows would take longer.
  const rows = isObject(table.value) ? Object.values(table.value) : table.value;
  const read = new Set(expressions.flatMap(({ reads }) => reads.flatMap(({ names }) => prefixesOf(names))));
  return expressions.flatMap((expression) =>
    expression.reads.flatMap((path) => {
      const twin = findTwin(path, rows, read);
      return twin === undefined ? [] : [describeTwin(expression, path, twin, table)];
    }),
  );
}

/** A name that no row has, and a similar one that rows have. */
interface Twin {
  misspelt: string;
  name: string;
}

function findTwin({ names }: AttributePath, rows: Json, read: ReadonlySet<string>): Twin | undefined {
  const depth = names.findIndex((_, index) => !isReached(rows, names.slice(0, index + 1)));
  const misspelt = names[depth];
  if (misspelt === undefined) return undefined;
  const above = names.slice(0, depth);
  const there = new Set(objectsAt(rows, above).flatMap((object) => Object.keys(object)));
  const near = [...there].filter(
    (other) => isNear(misspelt, other) && !read.has(JSON.stringify([...above, other])),
  );
  const [name] = near.sort();
  return name === undefined ? undefined : { misspelt, name };
}

/** Whether a value has an attribute; of a list, whether any of its elements has it, as in JSONata. */
function isReached(value: Json, names: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((element) => isReached(element, names));
  const [name, ...others] = names;
  if (name === undefined) return true;
  return isObject(value) && Object.hasOwn(value, name) && isReached(value[name] as Json, others);
}

function objectsAt(value: Json, names: readonly string[]): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((element) => objectsAt(element, names));
  if (!isObject(value)) return [];
  const [name, ...others] = names;
  if (name === undefined) return [value];
  return Object.hasOwn(value, name) ? objectsAt(value[name] as Json, others) : [];
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

function describeTwin(
  expression: Expression,
  { line }: AttributePath,
  { misspelt, name }: Twin,
  table: Table,
): Finding {
  const { place } = expression;
  return {
    check: 'mapping-attributes',
    severity: 'warning',
    place: place.line === undefined ? place : { ...place, line },
    found: `"${misspelt}", which no row of table "${table.name}" has`,
    expected: `an attribute that rows have, perhaps "${name}"`,
  };
}
