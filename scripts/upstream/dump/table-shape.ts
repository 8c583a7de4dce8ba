import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { countOf } from '../../lib/count-of.ts';

/** Rows by their keys: property names, file stems, or positions in a list. */
export type Rows = ReadonlyMap<string, JsonObject>;

/**
 * The shape of a table. `list` and `keyed` have rows, which are objects with fields in common; `object` is any other object, `values` any
 * other list, `value` a single value.
 */
export type Shape =
  | { kind: 'list' | 'keyed'; rows: Rows; count: number }
  | { kind: 'object' | 'values'; count: number }
  | { kind: 'value' };

/** The share of the rows that must be objects, and of the objects that must have a field in common. */
const MIN_SHARE = 0.8;

/** Objects without a common field of plain values count as rows only from this number on. */
const MIN_ROWS_WITHOUT_PLAIN_FIELD = 10;

/** Returns the shape of a table. */
export function shapeOf(value: Json): Shape {
  if (!isObject(value) && !Array.isArray(value)) return { kind: 'value' };
  const entries = Object.entries<Json>(value);
  const count = entries.length;
  const rows = new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])));
  if (Array.isArray(value))
    return areRows(rows, count) ? { kind: 'list', rows, count } : { kind: 'values', count };
  const keyed =
    count > 1 && areRows(rows, count) && (count >= MIN_ROWS_WITHOUT_PLAIN_FIELD || sharePlainField(rows));
  return keyed ? { kind: 'keyed', rows, count } : { kind: 'object', count };
}

function areRows(rows: Rows, count: number): boolean {
  if (rows.size === 0 || rows.size < count * MIN_SHARE) return false;
  const [, most = 0] = countFields(rows)[0] ?? [];
  return most >= rows.size * MIN_SHARE;
}

/** Returns whether most rows have a string, a number or a boolean of the same name. */
export function sharePlainField(rows: Rows): boolean {
  return countFields(rows, (value) => typeof value !== 'object').some(
    ([, count]) => count >= rows.size * MIN_SHARE,
  );
}

/** Counts the rows that have each field, most frequent first. Only values accepted by `counts` are counted. */
function countFields(
  rows: Rows,
  counts: (value: Json) => boolean = () => true,
): [field: string, rows: number][] {
  const fields = new Map<string, number>();
  for (const row of rows.values()) {
    for (const [field, value] of Object.entries(row)) {
      if (counts(value)) fields.set(field, (fields.get(field) ?? 0) + 1);
    }
  }
  return [...fields].sort(([, a], [, b]) => b - a);
}

/** Describes a shape in words. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'list':
      return `a list of ${countOf(shape.count, 'record')}`;
    case 'keyed':
      return `an object of ${countOf(shape.count, 'record')}, keyed as ${quoteFirst(shape.rows)}`;
    case 'object':
      return `an object of ${countOf(shape.count, 'value')}`;
    case 'values':
      return `a list of ${countOf(shape.count, 'value')}`;
    case 'value':
      return 'one value';
  }
}

function quoteFirst(rows: Rows): string {
  const [key = ''] = rows.keys();
  return JSON.stringify(key.slice(0, 40));
}

const MAX_LISTED_FIELDS = 12;

/** Lists the fields of a table's first row for a message; undefined when it has no rows. */
export function describeFields(shape: Shape): string | undefined {
  if (!('rows' in shape)) return undefined;
  const [row = {}] = shape.rows.values();
  const fields = Object.keys(row);
  const more = fields.length - MAX_LISTED_FIELDS;
  return `${fields.slice(0, MAX_LISTED_FIELDS).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
