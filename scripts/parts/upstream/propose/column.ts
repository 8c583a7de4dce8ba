import type { Rows } from '../dump/table-shape.ts';
import { isObject, type Json, type JsonObject } from '../../../core/format/dist-format.ts';

/** A field of a table's rows with plain values. A field inside an object has a path of several names. */
export interface Column {
  path: string[];
  kind: 'number' | 'text' | 'boolean' | 'mixed';
  /** Its values except null and empty strings. */
  values: (number | string | boolean)[];
  /** Whether a row has null or an empty string instead of a value. */
  blanks: boolean;
  /** Whether every row has a value. */
  full: boolean;
  /** Whether all values are different. */
  distinct: boolean;
}

/** The maximum length of a column's path. */
const MAX_DEPTH = 3;
/** Rows with more fields are not records, but texts or values by key. */
const MAX_FIELDS = 150;
/** Further columns are ignored. Only rows with objects inside can have so many. */
const MAX_COLUMNS = 1000;

/** Returns the columns of a table, in order of first appearance; none when the rows have too many fields to be records. */
export function columnsOf(rows: Rows): Column[] {
  const fields = new Set([...rows.values()].flatMap((row) => Object.keys(row)));
  if (fields.size > MAX_FIELDS) return [];
  const found = new Map<string, Pick<Column, 'path' | 'values' | 'blanks'>>();
  for (const row of rows.values()) {
    visitPlain(row, [], (path, value) => {
      const key = JSON.stringify(path);
      const column = found.get(key) ?? { path, values: [], blanks: false };
      if (found.size < MAX_COLUMNS) found.set(key, column);
      if (value === null || value === '') column.blanks = true;
      else column.values.push(value);
    });
  }
  return [...found.values()].map(({ path, values, blanks }) => ({
    path,
    values,
    blanks,
    kind: kindOf(values),
    full: values.length === rows.size,
    distinct: new Set(values.map(String)).size === values.length,
  }));
}

function visitPlain(
  value: JsonObject,
  above: string[],
  visit: (path: string[], value: Exclude<Json, object> | null) => void,
): void {
  for (const [name, inner] of Object.entries(value)) {
    // A JSONata expression cannot contain such a name.
    if (name === '' || /[`\\\p{Cc}]/u.test(name)) continue;
    const path = [...above, name];
    if (isObject(inner) && path.length < MAX_DEPTH) visitPlain(inner, path, visit);
    else if (typeof inner !== 'object' || inner === null) visit(path, inner);
  }
}

function kindOf(values: Column['values']): Column['kind'] {
  const [kind, ...others] = new Set(values.map((value) => typeof value));
  if (kind === undefined || others.length > 0) return 'mixed';
  return kind === 'string' ? 'text' : (kind as 'number' | 'boolean');
}

/** Splits a name into lower-case words: `base_attackMin` into base, attack, min. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Converts a name to snake_case; `field` when no letters or digits are left. */
export function snakeCase(name: string): string {
  const snake = wordsOf(name).join('_').slice(0, 60).replace(/_$/, '');
  if (snake === '') return 'field';
  return /^[a-z]/.test(snake) ? snake : `x_${snake}`;
}

/** Returns the JSONata expression of a column. */
export function expressionOf({ path }: Column): string {
  return path.map(quoteName).join('.');
}

/** Returns the JSONata expression of a column as an attribute: blank numbers and booleans are left out. */
export function attributeValueOf(column: Column): string {
  const filter = column.blanks && column.kind !== 'text' ? "[$ != null and $ != '']" : '';
  return expressionOf(column) + filter;
}

/** Quotes a field name for JSONata, if necessary. */
export function quoteName(name: string): string {
  const plain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name);
  return plain ? name : `\`${name}\``;
}

const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);
