import type { FoundTable } from '../dump/find-tables.ts';
import type { Rows } from '../dump/table-shape.ts';
import { hasControls, removeControls } from './find-markup.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';

/** A field of a table's rows with plain values, or lists of them. A field inside an object has a path of several names. */
export interface Column {
  path: string[];
  /** How deep it is: 1 for a field of the row, or of the member that a table of members is about. */
  level: number;
  kind: 'number' | 'text' | 'boolean' | 'mixed';
  /** Its values except null and empty strings; of lists, their elements. */
  values: (number | string | boolean)[];
  /** Whether a row has null or an empty string instead of a value. */
  blanks: boolean;
  /** Whether a row has a list. */
  list: boolean;
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

const columnsOfRows = new WeakMap<Rows, Column[]>();

/**
 * Returns the columns of a table, in order of first appearance; none when the rows have too many fields to be records.
 *
 * @param base the names that lead to the member that the table is about
 */
export function columnsOf(rows: Rows, base: readonly string[] = []): Column[] {
  const columns = columnsOfRows.get(rows) ?? findColumns(rows, base);
  columnsOfRows.set(rows, columns);
  return columns;
}

/** The columns of a found table. */
export function columnsOfTable({ shape, member }: FoundTable): Column[] {
  return 'rows' in shape ? columnsOf(shape.rows, member?.path) : [];
}

function findColumns(rows: Rows, base: readonly string[]): Column[] {
  const fields = new Set<string>();
  for (const row of rows.values()) for (const field of Object.keys(row)) fields.add(field);
  if (fields.size > MAX_FIELDS) return [];
  const columns = new Map<string, Pick<Column, 'path' | 'values' | 'blanks' | 'list'>>();
  for (const row of rows.values()) {
    visitPlain(row, [], MAX_DEPTH + base.length, (path, value) => {
      const key = JSON.stringify(path);
      const column = columns.get(key) ?? { path, values: [], blanks: false, list: false };
      if (columns.size < MAX_COLUMNS) columns.set(key, column);
      if (Array.isArray(value)) {
        column.list = true;
        for (const element of value) if (element !== null && element !== '') column.values.push(element);
      } else if (value === null || value === '') column.blanks = true;
      else column.values.push(value);
    });
  }
  return [...columns.values()].map(({ path, values, blanks, list }) => ({
    ...{ path, values, blanks, list },
    level:
      base.length > 0 && base.every((name, at) => path[at] === name)
        ? path.length - base.length
        : path.length,
    kind: kindOf(values),
    full: !list && values.length === rows.size,
    distinct: !list && new Set(values.map(String)).size === values.length,
  }));
}

type Plain = Exclude<Json, object> | null;

function visitPlain(
  value: JsonObject,
  above: string[],
  depth: number,
  visit: (path: string[], value: Plain | Plain[]) => void,
): void {
  for (const [name, inner] of Object.entries(value)) {
    // A JSONata expression cannot contain such a name.
    if (name === '' || /[`\\\p{Cc}]/u.test(name)) continue;
    const path = [...above, name];
    if (isObject(inner)) {
      if (path.length < depth) visitPlain(inner, path, depth, visit);
    } else if (!Array.isArray(inner)) visit(path, inner);
    else if (inner.every((element): element is Plain => typeof element !== 'object' || element === null))
      visit(path, inner);
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

/** Returns the JSONata expression of a column as an attribute: blank numbers and booleans are left out, and what is a list in some rows is one in all. */
export function attributeValueOf(column: Column): string {
  const filter = "[$ != null and $ != '']";
  if (column.list) return `[${expressionOf(column)}${filter}${cleaned('', column)}]`;
  const isFiltered = column.blanks && column.kind !== 'text';
  return expressionOf(column) + (isFiltered ? filter : '') + cleaned(filter, column);
}

/** What removes control characters at the end of the expression of a column that has some. @param filter leaves out what is no text */
function cleaned(filter: string, { kind, values }: Column): string {
  return kind === 'text' && values.some(hasControls) ? `${filter}.${removeControls('$')}` : '';
}

/** Quotes a field name for JSONata, if necessary. */
export function quoteName(name: string): string {
  const plain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name);
  return plain ? name : `\`${name}\``;
}

const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);
