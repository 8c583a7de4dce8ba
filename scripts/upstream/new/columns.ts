import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { countEach, type DumpTable } from './tables.ts';
import * as words from './words.ts';

type Scalar = string | number | boolean;

/** A field of a table's rows with plain values, or lists of them. The path of a field inside an object has several names. */
export interface Column {
  path: string[];
  /** The words of its path, and those of the last name in it. */
  words: string[];
  last: string[];
  /** A JSONata expression. */
  expression: string;
  kind: 'number' | 'text' | 'boolean' | 'mixed';
  /** All values except null and empty texts. */
  values: Scalar[];
  /** Whether some row has null or an empty text. */
  blanks: boolean;
  list: boolean;
  /** Whether its values are numbers or texts, not lists. */
  isPlain: boolean;
  /** Whether every row has a value, and whether all values are distinct. */
  full: boolean;
  distinct: boolean;
}

/** The source of a record's id: a column, or the key of its row. */
export type IdSource = Column | 'key';

/** A name, and the expression of its value. */
export type Pair = [name: string, expression: string];

const MAX_DEPTH = 3;
/** Rows with more fields are texts or values by key. */
const MAX_FIELDS = 150;
const MAX_STATS = 12;
const known = new WeakMap<DumpTable['rows'], Column[]>();

/** The columns of a table, in order of first appearance; none if the rows are not records. */
export function columnsOf({ rows }: Pick<DumpTable, 'rows'>): Column[] {
  const columns = known.get(rows) ?? findColumns(rows);
  known.set(rows, columns);
  return columns;
}

function findColumns(rows: DumpTable['rows']): Column[] {
  if (new Set([...rows.values()].flatMap(Object.keys)).size > MAX_FIELDS) return [];
  const columns = new Map<string, Pick<Column, 'path' | 'values' | 'blanks' | 'list'>>();
  const visit = (value: JsonObject, above: string[]): void => {
    for (const [name, inner] of Object.entries(value)) {
      const path = [...above, name];
      const list = Array.isArray(inner);
      const plain = list ? inner : [inner];
      if (isUnusable(name)) continue;
      if (isObject(inner) && path.length < MAX_DEPTH) visit(inner, path);
      if (plain.some((each) => typeof each === 'object' && each !== null)) continue;
      const key = path.join('\n');
      const column = columns.get(key) ?? { path, values: [], blanks: false, list: false };
      columns.set(key, column);
      column.list ||= list;
      const values = plain.filter((each): each is Scalar => each !== null && each !== '');
      column.blanks ||= !list && values.length === 0;
      for (const each of values) column.values.push(each);
    }
  };
  for (const row of rows.values()) visit(row, []);
  return [...columns.values()].map((column): Column => {
    const { path, values, list } = column;
    const [type, ...others] = new Set(values.map((value) => typeof value));
    const names = path.map(words.wordsOf);
    const kind = others.length > 0 ? 'mixed' : type === 'string' ? 'text' : (type ?? 'mixed');
    return {
      ...{ ...column, words: names.flat(), last: names.at(-1) ?? [], kind: kind as Column['kind'] },
      expression: path.map(quoteName).join('.'),
      isPlain: !list && (kind === 'number' || kind === 'text'),
      full: !list && values.length === rows.size,
      distinct: !list && new Set(values.map(String)).size === values.length,
    };
  });
}

/** Whether a name cannot be part of an expression. */
function isUnusable(name: string): boolean {
  return name === '' || /[`\\\p{Cc}]/u.test(name);
}

/** Quotes a field name for JSONata if necessary. */
export function quoteName(name: string): string {
  const isPlain = /^(?!(and|or|in|true|false|null|function)$)[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  return isPlain ? name : `\`${name}\``;
}

/** The expression of a column as an attribute: without blanks, and always a list if it is one in some rows. */
export function attributeOf({ expression, list, blanks, kind }: Column): string {
  const filter = "[$ != null and $ != '']";
  if (list) return `[${expression}${filter}]`;
  return blanks && kind !== 'text' ? expression + filter : expression;
}

export function isUrlSafe(id: string): boolean {
  return /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/.test(id);
}

export function idsOf(table: DumpTable, id: IdSource): string[] {
  return id === 'key' ? [...table.rows.keys()] : id.values.map(String);
}

/** Chooses the id of a table's rows, which is unique: `id`, one named after the table (`unit_id`), the key, or any other id. */
export function chooseId(table: DumpTable): IdSource | undefined {
  const areIds = (values: readonly Scalar[]) =>
    values.every((value) =>
      typeof value === 'number' ? Number.isInteger(value) && value >= 0 : /^[^,]+$/.test(String(value)),
    );
  const ids = columnsOf(table).filter(({ path, last, full, distinct, isPlain, values }) => {
    const isCalled = path.length === 1 && words.IDS.has(last.at(-1) ?? '');
    return isCalled && full && distinct && isPlain && areIds(values);
  });
  const own = words.wordsOf(table.of);
  return (
    ids.find(({ last }) => last.join() === 'id') ??
    ids.find(({ last }) => last.every((word) => word === 'id' || own.includes(word))) ??
    (table.kind === 'keyed' && areIds([...table.rows.keys()]) ? 'key' : ids[0])
  );
}

/** The expression of a column's values, or of the key of a row, as text. */
export function textOf(column: IdSource): string {
  if (column === 'key') return '$key';
  return column.kind === 'text' ? column.expression : `$string(${column.expression})`;
}

/** Chooses the rarity of the rows, with the expression of its whole number if it has one. */
export function chooseRarity(columns: readonly Column[]): { column: Column; stars?: string } | undefined {
  const plain = columns.filter(({ isPlain, path }) => isPlain && path.length <= 2);
  const called = words.RARITIES.flatMap((name) => plain.filter(({ last }) => last.join(' ') === name));
  const whole = called.find(({ values }) => values.every(Number.isSafeInteger));
  if (whole) {
    // Many upstreams count six stars from 0.
    const isFromZero = whole.full && [...new Set(whole.values)].sort().join() === '0,1,2,3,4,5';
    const isUsual = whole.values.filter((value) => value === 0).length > whole.values.length / 50;
    const stars = isFromZero && isUsual ? `$fromZero(${whole.expression})` : attributeOf(whole);
    return { column: whole, stars };
  }
  const ranked = called.map((column) => ({ column, ranks: rankNumbers(column) }));
  const best = ranked.find(({ ranks }) => ranks) ?? ranked[0];
  if (best?.ranks === undefined) return best;
  return { ...best, stars: `$get(${JSON.stringify(best.ranks)}, ${best.column.expression})` };
}

/** The numbers of ranks that are texts: the number in `rarity_4`, or the position of `SSR` among the usual names. */
function rankNumbers({ values }: Column): Record<string, number> | undefined {
  const texts = [...new Set(values.map(String))].sort();
  const numbers = texts.map((text) => Number(/^\D*(\d{1,2})\D*$/.exec(text)?.[1] ?? Number.NaN));
  const names = texts.map((text) => words.wordsOf(text.replace(/[_ ]/g, '-')).at(-1) ?? '');
  const order = words.ORDERS.find((each) => names.every((name) => each.includes(name)));
  const places = names.map((name) => order?.indexOf(name) ?? Number.NaN);
  const ranks = numbers.some(Number.isNaN) ? places.map((place) => place - Math.min(...places) + 1) : numbers;
  if (ranks.length === 0 || ranks.some(Number.isNaN)) return undefined;
  return Object.fromEntries(texts.map((text, at) => [text, ranks[at] ?? 0]));
}

export function countMainStats(stats: readonly Pair[]): number {
  const all = stats.flatMap(([name]) => words.wordsOf(name.replace(/\d+$/, '')));
  return words.MAIN_STATS.filter((stat) => all.some((word) => stat.has(word))).length;
}

/** Finds the stats of a table's rows: numbers such as hp, otherwise those inside the rows at their highest level. @param at what a row is called */
export function findStats(table: DumpTable, at = ''): Pair[] {
  const own = columnsOf(table).flatMap((column): Pair[] => {
    const { path, kind, list, expression } = column;
    const isNumber = kind === 'number' && !list && !path.some((step) => /^\d+$/.test(step));
    if (!isNumber || !isStat(column.words, column.last)) return [];
    return [[words.snakeCase(path.at(-1) ?? ''), at === '' ? attributeOf(column) : `${at}.${expression}`]];
  });
  const sample = own.length > 1 ? [] : [...table.rows.values()].slice(0, 40);
  const found = sample.flatMap((row) => [...new Map(statsIn(row, at).reverse())].reverse());
  const counts = new Map(countEach(found.map(([, expression]) => expression)));
  const inside = found.filter(([, each]) => (counts.get(each) ?? 0) >= sample.length * 0.6);
  // The first of each name.
  const stats = new Map((inside.length > 0 ? inside : own).reverse());
  return [...stats].reverse().slice(0, MAX_STATS);
}

function isStat(all: readonly string[], last: readonly string[]): boolean {
  return last.some((word) => words.STATS.has(word)) && !all.some((word) => words.NOT_STATS.has(word));
}

/** Finds numbers such as hp inside a value: at the end of a list, or of an object keyed by numbers. */
function statsIn(value: Json, at: string, depth = 0): Pair[] {
  if (depth > 6 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.every(isObject) ? statsIn(value.at(-1) ?? null, `${at}[-1]`, depth + 1) : [];
  const keys = Object.keys(value);
  const isByNumber = keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
  const used = isByNumber ? keys.sort((a, b) => Number(b) - Number(a)).slice(0, 1) : keys;
  return used.flatMap((name): Pair[] => {
    if (isUnusable(name)) return [];
    const inner = value[name] ?? null;
    const step = at === '' ? quoteName(name) : `${at}.${quoteName(name)}`;
    if (typeof inner !== 'number') return statsIn(inner, step, depth + 1);
    const own = words.wordsOf(name);
    return isStat(own, own) && !isByNumber ? [[words.snakeCase(name), step]] : [];
  });
}

/** Chooses text columns that divide the rows into a few classes, such as an element or a weapon type. */
export function chooseClasses(columns: readonly Column[]): Column[] {
  const isClass = ({ kind, path, last, values }: Column) => {
    const count = new Set(values).size;
    const isFew = count > 1 && count <= Math.min(24, values.length / 2);
    const isText = kind === 'text' && path.length === 1 && !/^ids?$/.test(last.at(-1) ?? '');
    return isText && isFew && values.every((value) => String(value).length <= 60);
  };
  return columns.filter(isClass).slice(0, 6);
}
