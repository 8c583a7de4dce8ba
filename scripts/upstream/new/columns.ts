import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { countEach } from '../../text.ts';
import type { DumpTable } from './tables.ts';
import * as words from './words.ts';

type Scalar = string | number | boolean;

/** A field of a table's rows with plain values. The path of a field inside an object has several names. */
export interface Column {
  path: string[];
  /** The words of its path, and those of the last name in it. */
  words: string[];
  last: string[];
  /** A JSONata expression. */
  expression: string;
  kind: 'number' | 'text' | 'other';
  /** All values except null and empty texts. */
  values: Scalar[];
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

/** The columns of rows, in order of first appearance; none if the rows are not records. */
export function findColumns(rows: DumpTable['rows']): Column[] {
  if (new Set([...rows.values()].flatMap(Object.keys)).size > MAX_FIELDS) return [];
  const columns = new Map<string, { path: string[]; values: Scalar[]; isList?: true }>();
  const visit = (value: JsonObject, above: string[]): void => {
    for (const [name, inner] of Object.entries(value)) {
      const path = [...above, name];
      if (isUnusable(name)) continue;
      if (isObject(inner) && path.length < MAX_DEPTH) visit(inner, path);
      if (isObject(inner)) continue;
      const key = path.join('\n');
      const column = columns.get(key) ?? { path, values: [] };
      columns.set(key, column);
      if (Array.isArray(inner)) column.isList = true;
      else if (inner !== null && inner !== '') column.values.push(inner);
    }
  };
  for (const row of rows.values()) visit(row, []);
  return [...columns.values()].map(({ path, values, isList }): Column => {
    const [type, ...others] = new Set(values.map((value) => typeof value));
    const kind = type === 'string' ? 'text' : type === 'number' ? type : 'other';
    const names = path.map(words.wordsOf);
    return {
      ...{ path, values, words: names.flat(), last: names.at(-1) ?? [] },
      kind: isList || others.length > 0 ? 'other' : kind,
      expression: path.map(quoteName).join('.'),
      full: values.length === rows.size,
      distinct: new Set(values.map(String)).size === values.length,
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

export function idsOf(table: DumpTable, id: IdSource): string[] {
  return id === 'key' ? [...table.rows.keys()] : id.values.map(String);
}

/** Chooses the id of a table's rows, which is unique: `id`, one named after the table (`unit_id`), the key, or any other id. */
export function chooseId({ name, kind, rows, columns }: DumpTable): IdSource | undefined {
  const areIds = (values: readonly Scalar[]) =>
    values.every((value) => /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/.test(String(value)));
  const ids = columns.filter(({ path, last, full, distinct, kind: of, values }) => {
    const isCalled = path.length === 1 && words.IDS.has(last.at(-1) ?? '');
    return isCalled && full && distinct && of !== 'other' && areIds(values);
  });
  const own = words.wordsOf(name);
  return (
    ids.find(({ last }) => last.join() === 'id') ??
    ids.find(({ last }) => last.every((word) => word === 'id' || own.includes(word))) ??
    (kind === 'keyed' && areIds([...rows.keys()]) ? 'key' : ids[0])
  );
}

/** The expression of a column's values, or of the key of a row, as text. */
export function textOf(column: IdSource): string {
  if (column === 'key') return '$key';
  return column.kind === 'text' ? column.expression : `$string(${column.expression})`;
}

/** Chooses the rarity of the rows, with the expression of its whole number if it has one. */
export function chooseRarity(columns: readonly Column[]): { column: Column; stars?: string } | undefined {
  const plain = columns.filter(({ kind, path }) => kind !== 'other' && path.length <= 2);
  const called = words.RARITIES.flatMap((name) => plain.filter(({ last }) => last.join(' ') === name));
  const whole = called.find(({ values }) => values.every(Number.isSafeInteger));
  if (whole) return { column: whole, stars: numberOf(whole) };
  const ranked = called.map((column) => ({ column, ranks: rankNumbers(column) }));
  const best = ranked.find(({ ranks }) => ranks) ?? ranked[0];
  return best?.ranks
    ? { ...best, stars: `$get(${JSON.stringify(best.ranks)}, ${best.column.expression})` }
    : best;
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

/** The expression of a number that some rows lack. */
function numberOf({ expression, full }: Column): string {
  return full ? expression : `${expression}[$ != null and $ != '']`;
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

export function countMainStats(stats: readonly Pair[]): number {
  const all = stats.flatMap(([name]) => words.wordsOf(name.replace(/\d+$/, '')));
  return words.MAIN_STATS.filter((stat) => all.some((word) => stat.has(word))).length;
}

/** Finds the stats of a table's rows: numbers such as hp, otherwise those inside the rows at their highest level. @param at what a row is called */
export function findStats({ columns, rows }: DumpTable, at = ''): Pair[] {
  const numbers = columns.filter(
    ({ kind, path }) => kind === 'number' && !path.some((step) => /^\d+$/.test(step)),
  );
  const own = numbers
    .filter((column) => isStat(column.words, column.last))
    .map((column): Pair => [words.snakeCase(column.path.at(-1) ?? ''), at + numberOf(column)]);
  const sample = own.length > 1 ? [] : [...rows.values()].slice(0, 40);
  const found = sample.flatMap((row) => [...new Set(statsIn(row, at))]);
  const inside = countEach(found).filter(([, count]) => count >= sample.length * 0.6);
  const steps = inside.map(
    ([step]): Pair => [words.snakeCase(step.replaceAll('`', '').split('.').at(-1) ?? ''), step],
  );
  // The first of each name.
  const stats = new Map((steps.length > 0 ? steps : own).reverse());
  return [...stats].reverse().slice(0, MAX_STATS);
}

function isStat(all: readonly string[], last: readonly string[]): boolean {
  return last.some((word) => words.STATS.has(word)) && !all.some((word) => words.NOT_STATS.has(word));
}

/** Finds numbers such as hp inside a value, as expressions: at the end of a list, or of an object keyed by numbers. */
function statsIn(value: Json, at: string, depth = 0): string[] {
  if (depth > 6 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.every(isObject) ? statsIn(value.at(-1) ?? null, `${at.slice(0, -1)}[-1].`, depth + 1) : [];
  const keys = Object.keys(value);
  const isByNumber = keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
  const used = isByNumber ? keys.sort((a, b) => Number(b) - Number(a)).slice(0, 1) : keys;
  return used.flatMap((name) => {
    if (isUnusable(name)) return [];
    const inner = value[name] ?? null;
    const step = at + quoteName(name);
    const own = words.wordsOf(name);
    if (typeof inner !== 'number') return statsIn(inner, `${step}.`, depth + 1);
    return isStat(own, own) && !isByNumber ? [step] : [];
  });
}
