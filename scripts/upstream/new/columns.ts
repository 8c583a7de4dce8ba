import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import type { Rows, Table } from './tables.ts';
import {
  IDS,
  KEYS_OF_TEXTS,
  MAIN_STATS,
  NAMES,
  NAMES_OF_OTHERS,
  NOT_STATS,
  ORDERS,
  RARITIES,
  STATS,
  snakeCase,
  TEXTS,
  wordsOf,
} from './words.ts';

/** A field of a table's rows with plain values, or lists of them. A field inside an object has a path of several names. */
export interface Column {
  path: string[];
  /** The words of its path, and of the last name in it. */
  words: string[];
  last: string[];
  kind: 'number' | 'text' | 'boolean' | 'mixed';
  /** Its values except null and empty texts; of lists, their elements. */
  values: (number | string | boolean)[];
  /** Whether a row has null or an empty text instead of a value. */
  blanks: boolean;
  list: boolean;
  /** Whether every row has a value, and whether all values are different. */
  full: boolean;
  distinct: boolean;
}

/** Where the id of a record comes from: a column, or the key of its row. */
export type IdSource = Column | 'key';

const MAX_DEPTH = 3;
/** Rows with more fields are not records, but texts or values by key. */
const MAX_FIELDS = 150;
const MAX_COLUMNS = 1000;
const known = new WeakMap<Rows, Column[]>();

/** The columns of a table, in order of first appearance; none when the rows are no records. */
export function columnsOf({ rows }: Table): Column[] {
  const columns = known.get(rows) ?? findColumns(rows);
  known.set(rows, columns);
  return columns;
}

/** Whether an expression cannot contain a name. */
const isUnusable = (name: string) => name === '' || /[`\\\p{Cc}]/u.test(name);

function findColumns(rows: Rows): Column[] {
  if (new Set([...rows.values()].flatMap((row) => Object.keys(row))).size > MAX_FIELDS) return [];
  const columns = new Map<string, Pick<Column, 'path' | 'values' | 'blanks' | 'list'>>();
  const visit = (value: JsonObject, above: string[]): void => {
    for (const [name, inner] of Object.entries(value)) {
      const path = [...above, name];
      if (isUnusable(name)) continue;
      if (isObject(inner)) {
        if (path.length < MAX_DEPTH) visit(inner, path);
        continue;
      }
      const isList = Array.isArray(inner);
      const plain = (isList ? inner : [inner]).filter((each) => typeof each !== 'object' || each === null);
      if (isList && plain.length < inner.length) continue;
      const key = JSON.stringify(path);
      const column = columns.get(key) ?? { path, values: [], blanks: false, list: false };
      if (columns.size < MAX_COLUMNS) columns.set(key, column);
      column.list ||= isList;
      for (const each of plain)
        if (each !== null && each !== '') column.values.push(each as string);
        else column.blanks ||= !isList;
    }
  };
  for (const row of rows.values()) visit(row, []);
  return [...columns.values()].map((column): Column => {
    const { path, values, list } = column;
    const [kind, ...others] = new Set(values.map((value) => typeof value));
    const words = path.map(wordsOf);
    return {
      ...column,
      words: words.flat(),
      last: words.at(-1) ?? [],
      kind:
        kind === undefined || others.length > 0 ? 'mixed' : kind === 'string' ? 'text' : (kind as 'number'),
      full: !list && values.length === rows.size,
      distinct: !list && new Set(values.map(String)).size === values.length,
    };
  });
}

const KEYWORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

/** Quotes a field name for JSONata, if necessary. */
export function quoteName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name) ? name : `\`${name}\``;
}

export function expressionOf({ path }: Pick<Column, 'path'>): string {
  return path.map(quoteName).join('.');
}

/** The expression of a column as an attribute: blanks are left out, and what is a list in some rows is one in all. */
export function attributeValueOf(column: Column): string {
  const filter = "[$ != null and $ != '']";
  if (column.list) return `[${expressionOf(column)}${filter}]`;
  if (column.kind === 'text') return cleaned(expressionOf(column), column.values);
  return expressionOf(column) + (column.blanks ? filter : '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff]|\r(?!\n)/;

/** The expression of texts without control characters, of which a record may have none. */
export function cleaned(expression: string, values: readonly unknown[]): string {
  const isDirty = values.some((value) => typeof value === 'string' && CONTROLS.test(value));
  return isDirty ? `$replace(${expression}, /[\\x00-\\x08\\x0b-\\x1f\\x7f\\ufeff]/, '')` : expression;
}

/**
 * Chooses the id of a table's rows: a column `id`, one named after the table (`unit_id` of `unit_data`), the key of the row, any other id column.
 * An id has a different value in every row.
 */
export function chooseId(
  table: Table,
  isAllowed: (ids: readonly string[]) => boolean = () => true,
): IdSource | undefined {
  const isId = (value: unknown) =>
    typeof value === 'number'
      ? Number.isInteger(value) && value >= 0
      : typeof value === 'string' && value !== '' && !value.includes(',');
  const ids = columnsOf(table).filter(({ path, last, full, distinct, values }) => {
    const isCalled = path.length === 1 && IDS.has(last.at(-1) ?? '') && full && distinct;
    return isCalled && values.every(isId) && isAllowed(values.map(String));
  });
  const words = wordsOf(table.region?.of ?? table.name);
  const keys = [...table.rows.keys()];
  return (
    ids.find(({ last }) => last.join() === 'id') ??
    ids.find(({ last }) => last.every((word) => word === 'id' || words.includes(word))) ??
    (table.kind === 'keyed' && keys.every(isId) && isAllowed(keys) ? 'key' : ids[0])
  );
}

/** The ids of a table's rows, as texts. */
export function idsOf(table: Table, id: IdSource): string[] {
  return id === 'key' ? [...table.rows.keys()] : id.values.map(String);
}

/** The expression of a record's id, as a text. */
export function idExpression(id: IdSource): string {
  if (id === 'key') return '$key';
  return id.kind === 'text' ? expressionOf(id) : `$string(${expressionOf(id)})`;
}

/** Whether words are those of a row's own name, or of its key: not those of the name of its skill. */
export function isOwnName(words: readonly string[]): boolean {
  const isOfOthers = words.some((word) => NAMES_OF_OTHERS.has(word));
  return words.includes('name') && !isOfOthers && KEYS_OF_TEXTS.has(words.at(-1) ?? '');
}

/** The columns that can be the name of the rows, or the keys of texts that are, the best first. */
export function chooseNames(columns: readonly Column[], count: number): Column[] {
  const whole = columns.filter(
    ({ values, kind, list }) =>
      !list && (kind === 'text' || kind === 'number') && values.length >= count * 0.8,
  );
  const direct = NAMES.flatMap((name) =>
    whole.filter(({ kind, words }) => kind === 'text' && words.join(' ') === name),
  );
  const keys = whole.filter(
    ({ last }) => last.some((word) => TEXTS.has(word)) && KEYS_OF_TEXTS.has(last.at(-1) ?? ''),
  );
  return [...new Set([...direct, ...whole.filter(({ words }) => isOwnName(words)), ...keys])];
}

export function isWhole({ kind, values }: Column): boolean {
  return kind === 'number' && values.every(Number.isSafeInteger);
}

/** Chooses the rarity of the rows, preferably a whole number. */
export function chooseRarity(columns: readonly Column[]): Column | undefined {
  const called = columns.filter(({ kind, list, path, last }) => {
    const isPlain = path.length <= 2 && !list && (kind === 'number' || kind === 'text');
    return isPlain && RARITIES.includes(last.join(' '));
  });
  const ranks = called.filter((column) => isWhole(column) || rankNumbers(column) !== undefined);
  const best = RARITIES.flatMap((name) => ranks.filter(({ last }) => last.join(' ') === name));
  return best.find(isWhole) ?? best[0] ?? called.find(({ kind }) => kind === 'text');
}

/** The numbers of ranks that are texts: the number in `rarity_4`, or the place of `SSR` among the usual names. */
export function rankNumbers({ kind, values }: Column): Record<string, number> | undefined {
  if (kind !== 'text' || values.length === 0) return undefined;
  const texts = [...new Set(values.map(String))].sort();
  const numbers = texts.map((text) => Number(/^\D*(\d{1,2})\D*$/.exec(text)?.[1] ?? Number.NaN));
  if (!numbers.some(Number.isNaN))
    return Object.fromEntries(texts.map((text, at) => [text, numbers[at] ?? 0]));
  const words = texts.map((text) => wordsOf(text.replace(/[_ ]/g, '-')).at(-1) ?? '');
  const order = ORDERS.find((names) => words.every((word) => names.includes(word)));
  if (order === undefined) return undefined;
  const lowest = Math.min(...words.map((word) => order.indexOf(word)));
  return Object.fromEntries(texts.map((text, at) => [text, order.indexOf(words[at] ?? '') - lowest + 1]));
}

function isStatName(words: readonly string[], last: readonly string[]): boolean {
  return last.some((word) => STATS.has(word)) && !words.some((word) => NOT_STATS.has(word));
}

export function countMainStats(stats: readonly Stat[]): number {
  const words = stats.flatMap(([name]) => wordsOf(name.replace(/\d+$/, '')));
  return MAIN_STATS.filter((stat) => words.some((word) => stat.has(word))).length;
}

/** A stat, and the expression of its value. */
export type Stat = [name: string, expression: string];
const MAX_STATS = 12;

/** The stats of a table's rows: numbers such as hp, or else those inside the rows at the highest level that they have. */
export function findStats(table: Table, at = ''): Stat[] {
  const own = columnsOf(table)
    .filter(({ path, kind, list }) => kind === 'number' && !list && !path.some((step) => /^\d+$/.test(step)))
    .filter(({ words, last }) => isStatName(words, last))
    .map((column): Stat => {
      const value = at === '' ? attributeValueOf(column) : `${at}.${expressionOf(column)}`;
      return [snakeCase(column.path.at(-1) ?? ''), value];
    });
  if (own.length > 1) return unique(own);
  const sample = [...table.rows.values()].slice(0, 40);
  const found = sample.flatMap((row) => unique(statsIn(row, at, 0)));
  const counts = new Map<string, number>();
  for (const [, expression] of found) counts.set(expression, (counts.get(expression) ?? 0) + 1);
  const inside = unique(found.filter(([, each]) => (counts.get(each) ?? 0) >= sample.length * 0.6));
  return inside.length > 0 ? inside : unique(own);
}

function unique(stats: readonly Stat[]): Stat[] {
  const byName = new Map<string, string>();
  for (const [name, expression] of stats)
    if (!byName.has(name) && !name.startsWith('name_')) byName.set(name, expression);
  return [...byName].slice(0, MAX_STATS);
}

function statsIn(value: Json, at: string, depth: number): Stat[] {
  if (depth > 6) return [];
  if (Array.isArray(value)) {
    const last = value.every(isObject) ? value.at(-1) : undefined;
    return last === undefined ? [] : statsIn(last, `${at}[-1]`, depth + 1);
  }
  if (!isObject(value)) return [];
  const step = (name: string) => (at === '' ? quoteName(name) : `${at}.${quoteName(name)}`);
  const keys = Object.keys(value);
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) {
    const last = keys.sort((a, b) => Number(a) - Number(b)).at(-1) ?? '';
    return statsIn(value[last] ?? null, step(last), depth + 1);
  }
  return Object.entries(value).flatMap(([name, inner]): Stat[] => {
    if (isUnusable(name)) return [];
    if (typeof inner !== 'number') return statsIn(inner, step(name), depth + 1);
    return isStatName(wordsOf(name), wordsOf(name)) ? [[snakeCase(name), step(name)]] : [];
  });
}

/** Text columns that divide the rows into a few classes, such as an element or a weapon type. */
export function chooseClasses(columns: readonly Column[]): Column[] {
  const isClass = ({ kind, path, last, values }: Column) => {
    const distinct = new Set(values).size;
    const isFew = distinct > 1 && distinct <= Math.min(24, values.length / 2);
    const isText = kind === 'text' && path.length === 1 && !/^ids?$/.test(last.at(-1) ?? '');
    return isText && isFew && values.every((value) => String(value).length <= 60);
  };
  return columns.filter(isClass).slice(0, 6);
}
