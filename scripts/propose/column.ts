import type { Rows } from '../dump/table-shape.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';

/** A field of a table's rows that holds plain values; a field inside objects has the names that lead to it. */
export interface Column {
  path: string[];
  kind: 'number' | 'text' | 'boolean' | 'mixed';
  /** Its values, but for null and empty texts. */
  values: (number | string | boolean)[];
  /** Whether some row has null or an empty text instead. */
  blanks: boolean;
  /** Whether every row has one. */
  full: boolean;
  /** Whether no two rows have the same. */
  distinct: boolean;
}

const DEEPEST = 3;
/** Rows with more fields are texts or values by key, and no records. */
const MOST_FIELDS = 150;
/** More columns, of objects in the rows, are not told apart. */
const MOST_COLUMNS = 1000;

/** The columns of a table, in order of first appearance; none where there are too many for records. */
export function columnsOf(rows: Rows): Column[] {
  const fields = new Set([...rows.values()].flatMap((row) => Object.keys(row)));
  if (fields.size > MOST_FIELDS) return [];
  const found = new Map<string, Pick<Column, 'path' | 'values' | 'blanks'>>();
  for (const row of rows.values()) {
    visitPlain(row, [], (path, value) => {
      const key = JSON.stringify(path);
      const column = found.get(key) ?? { path, values: [], blanks: false };
      if (found.size < MOST_COLUMNS) found.set(key, column);
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
    // Such a name cannot stand in JSONata.
    if (name === '' || /[`\\\p{Cc}]/u.test(name)) continue;
    const path = [...above, name];
    if (isObject(inner) && path.length < DEEPEST) visitPlain(inner, path, visit);
    else if (typeof inner !== 'object' || inner === null) visit(path, inner);
  }
}

function kindOf(values: Column['values']): Column['kind'] {
  const [kind, ...others] = new Set(values.map((value) => typeof value));
  if (kind === undefined || others.length > 0) return 'mixed';
  return kind === 'string' ? 'text' : (kind as 'number' | 'boolean');
}

/** The words of a name in lower case: `base_attackMin` is base, attack, min. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** A name in snake_case; `field` where nothing of it is left. */
export function snakeCase(name: string): string {
  const snake = wordsOf(name).join('_').slice(0, 60).replace(/_$/, '');
  if (snake === '') return 'field';
  return /^[a-z]/.test(snake) ? snake : `x_${snake}`;
}

/** JSONata for the field. */
export function expressionOf({ path }: Column): string {
  return path.map(quoteName).join('.');
}

/** JSONata for the field as an attribute: a number or a boolean that a row has blank is left out. */
export function attributeValueOf(column: Column): string {
  const filter = column.blanks && column.kind !== 'text' ? "[$ != null and $ != '']" : '';
  return expressionOf(column) + filter;
}

/** A name as JSONata takes it for that of a field. */
export function quoteName(name: string): string {
  const plain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name);
  return plain ? name : `\`${name}\``;
}

const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);
