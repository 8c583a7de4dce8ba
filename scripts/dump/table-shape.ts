import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { countOf } from '../lib/count-of.ts';

/** Rows by their keys: property names, file stems, or positions in a list. */
export type Rows = ReadonlyMap<string, JsonObject>;

/**
 * What a table looks like: `list` and `keyed` hold rows, which are objects with fields in common; `object` is any other object,
 * `values` any other list, `value` one thing.
 */
export type Shape =
  | { kind: 'list' | 'keyed'; rows: Rows; count: number }
  | { kind: 'object' | 'values'; count: number }
  | { kind: 'value' };

/** The part of the rows that must be objects, and that must have some field in common. */
const MOST = 0.8;

/** Objects that share no field with plain values are taken for rows only where there are many of them. */
const MANY = 10;

/** Tells a table's shape by what it holds. */
export function shapeOf(value: Json): Shape {
  if (!isObject(value) && !Array.isArray(value)) return { kind: 'value' };
  const entries = Object.entries(value) as [string, Json][];
  const count = entries.length;
  const rows = new Map(entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1])));
  if (Array.isArray(value))
    return areRows(rows, count) ? { kind: 'list', rows, count } : { kind: 'values', count };
  const keyed = count > 1 && areRows(rows, count) && (count >= MANY || sharePlainField(rows));
  return keyed ? { kind: 'keyed', rows, count } : { kind: 'object', count };
}

function areRows(rows: Rows, count: number): boolean {
  if (rows.size === 0 || rows.size < count * MOST) return false;
  const [, most = 0] = countFields(rows)[0] ?? [];
  return most >= rows.size * MOST;
}

/** Whether most rows have a text, a number or a boolean by the same name. */
export function sharePlainField(rows: Rows): boolean {
  return countFields(rows, (value) => typeof value !== 'object').some(
    ([, count]) => count >= rows.size * MOST,
  );
}

/** The fields of rows whose values count, and in how many rows each is, the most frequent first. */
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

/** A shape in words. */
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

const SHOWN = 12;

/** The fields of a table's first row, as a message lists them; undefined where it has no rows. */
export function describeFields(shape: Shape): string | undefined {
  if (!('rows' in shape)) return undefined;
  const [row = {}] = shape.rows.values();
  const fields = Object.keys(row);
  const more = fields.length - SHOWN;
  return `${fields.slice(0, SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
