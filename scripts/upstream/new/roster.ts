import { valueAt } from '../../changes/survey.ts';
import { stripMarkup } from '../../compile/library.ts';
import { isObject, type Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { stemOf } from '../../read/formats.ts';
import { countEach, groupBy } from '../../text.ts';
import { type DumpColumn, type DumpTable, MIN_SHARE, quoteName } from './tables.ts';
import * as words from './words.ts';
import { byPreference, languageOf } from './words.ts';

// Finds the table of the characters and its columns, by word lists and the shapes of values.

/** A name, and the expression of its value. */
export type Pair = [name: string, expression: string];

/** A table that can be the roster, with the core attributes of a character. */
export type RosterCandidate = ReturnType<typeof rankRosters>[number];

/** Ranks the tables that can be the roster, because they have names and ids; best first. */
export function rankRosters(tables: DumpTable[]) {
  const texts = tables.flatMap(textsOf);
  const found = tables.flatMap((table) => {
    const id = table.rows.size === 0 ? undefined : chooseId(table);
    const names = id && findNames(table, id, tables, texts);
    if (id === undefined || names === undefined) return [];
    const [rarity, stats] = [chooseRarity(table.columns), findStats(table)];
    return [{ table, id, names, rarity, stats, score: rate(table, names, rarity !== undefined, stats) }];
  });
  return found.sort((a, b) => b.score - a.score);
}

/**
 * Rates how much a table looks like a roster: readable names, a rarity, stats. The weights were tuned on the dumps of
 * test/upstream/proposals.test.ts, which counts how many first tables are right.
 */
function rate(table: DumpTable, { readable, texts }: Names, hasRarity: boolean, stats: Pair[]): number {
  const about = subjectOf(table);
  const hits = about.filter((word) => words.CHARACTERS.has(word)).length;
  const names = texts[0].values;
  const distinct = new Set(names.map(String)).size / Math.max(1, names.length);
  // A table of few fields contains texts or levels.
  const width = table.columns.filter(({ path }) => path.length === 1).length;
  const points = [
    (hits > 0 ? 6 : 0) + (hits > 1 ? 2 : 0) - 3 * (about.length - hits),
    readable ? 3 + (distinct > 0.7 ? 1 : distinct < 0.4 ? -2 : 0) : -3,
    Math.min(2, (texts.length - 1) / 2),
    hasRarity ? 3 : 0,
    stats.length > 1 ? Math.min(6, stats.length) : 0,
    width < 3 ? -4 : Math.min(3, width / 12),
  ];
  return points.reduce((sum, each) => sum + each, 0);
}

/** The words for the subject of a table: from its file or folder, and its place in the file. */
function subjectOf({ files, fileCount, name, at }: DumpTable): string[] {
  const file = fileCount > 1 ? (files.split('/').at(-2) ?? '') : stemOf(files).replace('*', '');
  return [file || name, ...pointerSteps(at)]
    .flatMap(words.splitWords)
    .flatMap(splitWord)
    .filter((word) => !words.NEUTRAL.has(word) && languageOf(word) === undefined && !/^\d+$/.test(word));
}

/** Splits a word that begins with a word for characters: `roleinfo`. */
function splitWord(word: string): string[] {
  if (words.CHARACTERS.has(word)) return [word];
  const starts = [...words.CHARACTERS].filter((each) => each.length > 3 && word.startsWith(each));
  const [start] = starts.sort((a, b) => b.length - a.length);
  return start === undefined ? [word] : [start, word.slice(start.length)];
}

type Id = NonNullable<ReturnType<typeof chooseId>>;

/**
 * Chooses the id of a table's rows, which is unique: `id`, the key, any other id, or `name`. `text` is the expression of
 * its values.
 */
function chooseId({ kind, rows, columns }: DumpTable) {
  const areIds = (values: DumpColumn['values']) =>
    values.every((value) => /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/.test(String(value)));
  const ids = columns.filter((column) => isKey(column) && areIds(column.values));
  const keys = [...rows.keys()];
  const called = ids.find(({ last }) => last.join() === 'id');
  if (!called && kind === 'keyed' && areIds(keys)) return { column: undefined, text: '$key', values: keys };
  // A name such as `shelly`, beside one for people.
  const word = columns.find(({ path, full, distinct }) => path.join() === 'name' && full && distinct);
  const column = called ?? ids[0] ?? (word && areIds(word.values) ? word : undefined);
  return column && { column, text: textOf(column), values: column.values.map(String) };
}

/** Whether a column has a unique value in each row, and is called like an id. */
function isKey({ kind, path, last, full, distinct }: DumpColumn): boolean {
  return kind !== 'other' && path.length === 1 && full && distinct && words.IDS.has(last.at(-1) ?? '');
}

function textOf({ kind, expression }: DumpColumn): string {
  return kind === 'text' ? expression : `$string(${expression})`;
}

/** Texts in one language. */
interface Text {
  language: string | undefined;
  expression: string;
  values: readonly Json[];
  /** The table that needs a `key` in game.json, and that key. */
  key?: [table: string, key: string] | undefined;
}

/** The name of a table's rows. */
interface Names {
  /** The column of the names, or of the keys of their texts. */
  column: DumpColumn;
  /** The names in each language, the preferred one first. */
  texts: [Text, ...Text[]];
  /** Whether people can read them; otherwise they are keys whose texts were not found. */
  readable: boolean;
}

const KEY_FORM = /^(?=.*[_\d.])[A-Za-z][A-Za-z0-9]*([_.:/-][A-Za-z0-9]+)+$|^-?\d+$|^\S*\/\S*$/;

/** Whether texts are not for people: `RoleInfo_1402_Name`, numbers, paths. The `/` of an end tag does not make a path. */
function areKeys(values: readonly unknown[]): boolean {
  const keys = values.filter((value) => typeof value !== 'string' || KEY_FORM.test(stripMarkup(value) ?? ''));
  return keys.length >= values.length * MIN_SHARE;
}

/** Finds the names of a table's rows: in a column per language, in tables of texts, or in one column. */
function findNames(table: DumpTable, id: Id, tables: DumpTable[], texts: TextTable[]): Names | undefined {
  const { rows, columns, language } = table;
  const whole = columns.filter(
    ({ values, kind }) => kind !== 'other' && values.length >= rows.size * MIN_SHARE,
  );
  const own = groupLanguages(whole).filter(([{ meaning }]) => isOwnName(meaning));
  const [inColumns] = own.sort(([a], [b]) => a.meaning.length - b.meaning.length);
  if (inColumns) return { column: inColumns[0], texts: inColumns, readable: true };
  const direct = words.NAMES.flatMap((name) =>
    whole.filter((column) => column.kind === 'text' && column.words.join(' ') === name),
  );
  const called = whole.filter((column) => isOwnName(column.words));
  const candidates = [...new Set([...direct, ...called])].filter((column) => column !== id.column);
  const readable = candidates.filter(({ kind, values }) => kind === 'text' && !areKeys(values));
  const found = candidates.slice(0, 4).flatMap((column) => namesByKey(column, table, texts) ?? []);
  const inTexts = found.find((names) => names.texts.length > 1);
  const byKey = inTexts ?? (readable.length === 0 ? found[0] : undefined);
  if (byKey) return byKey;
  const [first = candidates[0]] = readable;
  if (first === undefined) return undefined;
  // If many rows share a name and another column is unique, the shared one names a category.
  const isShared = new Set(first.values).size < first.values.length * 0.7;
  const column = (isShared && readable.find(({ distinct }) => distinct)) || first;
  const { expression, values } = column;
  const isReadable = readable.length > 0;
  const others = isReadable ? sameInOtherLanguages(table, id, tables) : [];
  const translations = others.map(({ name, kind, language: of }): Text => {
    const key: Text['key'] = kind === 'list' ? [name, id.column?.path[0] ?? ''] : undefined;
    const row = `$get($tables.${name}, ${kind === 'keyed' ? '$key' : id.text})`;
    return { language: of, expression: `${row}.${expression}`, values, key };
  });
  return { column, texts: [{ language, expression, values }, ...translations], readable: isReadable };
}

/** Whether words describe a row's own name or its key, not the name of its skill. */
function isOwnName(all: readonly string[]): boolean {
  const isLast = words.KEYS_OF_TEXTS.has(all.at(-1) ?? '');
  const hasName = all.includes('name') || all.includes('names');
  return hasName && !all.some((word) => words.NAMES_OF_OTHERS.has(word)) && isLast;
}

/** The tables in the folders of other languages. */
function sameInOtherLanguages(table: DumpTable, id: Id, tables: readonly DumpTable[]): DumpTable[] {
  const placeOf = ({ files, at, kind }: DumpTable) =>
    `${kind} ${files.split('/').map((step) => (languageOf(step) ? '*' : step))} ${at}`;
  const isId = ({ expression }: DumpColumn) => expression === id.column?.expression;
  return tables.filter((other) => {
    if (other.language === table.language || placeOf(other) !== placeOf(table)) return false;
    return other.kind === 'keyed' || other.columns.some(isId);
  });
}

/** Columns with texts in several languages, grouped by meaning: the first of each language. */
function groupLanguages(columns: readonly DumpColumn[]): [DumpColumn, ...DumpColumn[]][] {
  const inLanguage = columns.filter(({ kind, language }) => kind === 'text' && language);
  const groups = groupBy(inLanguage, ({ path, meaning }) => `${path.slice(0, -1)} ${meaning}`);
  return groups.flatMap((group) => {
    const [first = group[0], ...others] = firstOfEach(group);
    // A field `id` alone is not Indonesian.
    return first.language === 'id' && others.length === 0 ? [] : [[first, ...others]];
  });
}

/** The first for each language, the preferred one first. */
function firstOfEach<T extends { language: string | undefined }>(all: readonly T[]): T[] {
  const found = groupBy(all, ({ language = '' }) => language).map(([first]) => first);
  return found.sort((a, b) => byPreference(a.language, b.language));
}

/** Finds the texts whose keys are the values of a column; undefined if they are not such keys. */
function namesByKey(column: DumpColumn, own: DumpTable, tables: readonly TextTable[]): Names | undefined {
  const keys = column.values.filter((value) => value !== 0).map(String);
  const sample = keys.filter((_, at) => at % Math.ceil(keys.length / 8) === 0);
  const found = tables.filter(({ table, texts }) => {
    if (table === own || !sample.some((key) => texts.has(key))) return false;
    const values = keys
      .map((key) => texts.get(key))
      .filter((text) => typeof text === 'string' && text !== '');
    return values.length >= keys.length * MIN_SHARE && !areKeys(values);
  });
  const named = firstOfEach(found.filter(({ language }) => language !== undefined));
  const key = textOf(column);
  const [first, ...others] = (named.length > 0 ? named : found.slice(0, 1)).map(
    ({ texts, expression, ...of }): Text => ({
      ...of,
      expression: expression.replace('%', () => key),
      values: keys.flatMap((each) => texts.get(each) ?? []),
    }),
  );
  if (first) first.expression = first.expression.replace(/^\$text\(.*(?=\)$)/, (get) => `${get}, ${key}`);
  return first && { column, texts: [first, ...others], readable: true };
}

/** Texts by key, in one language. `expression` is that of a text, in which % stands for its key. */
interface TextTable extends Omit<Text, 'values'> {
  table: DumpTable;
  texts: ReadonlyMap<string, Json>;
}

/** The texts by key in a table: in an object, in an object per language, or in rows with a key. */
function textsOf(table: DumpTable): TextTable[] {
  const { name, value, kind, rows, columns, language: own } = table;
  const fromObject = (of: Json, step: string, language = own) => {
    const texts = new Map(isObject(of) ? Object.entries(of) : []);
    return { table, language, texts, expression: `$text($tables.${name}${step}, %)` };
  };
  if (kind === 'value') return [fromObject(value, '')];
  const inside = kind === 'keyed' ? [...rows].filter(([key]) => languageOf(key)) : [];
  if (inside.length > 0)
    return inside.map(([key, row]) => fromObject(row, `.${quoteName(key)}`, languageOf(key)));
  const id = kind === 'keyed' ? undefined : columns.find(isKey);
  if (columns.length > 40 || (kind === 'list' && id === undefined)) return [];
  const called = columns.filter((column) => column !== id && column.kind === 'text');
  const group = groupLanguages(called).find(({ length }) => length > 1);
  const only =
    called.find(({ last }) => words.TEXT_NAMES.has(last.at(-1) ?? '')) ??
    (called.length === 1 ? called[0] : undefined);
  const keys = id ? id.values.map(String) : [...rows.keys()];
  return (group ?? (only ? [only] : [])).map(({ language, path, expression }) => ({
    table,
    language: group ? language : own,
    texts: new Map([...rows.values()].map((row, at) => [keys[at] ?? '', valueAt(row, path) ?? ''])),
    key: id?.path[0] === undefined ? undefined : [name, id.path[0]],
    expression: `$get($tables.${name}, %).${expression}`,
  }));
}

/** Chooses the rarity of the rows, with the expression of its whole number if it has one. */
function chooseRarity(columns: readonly DumpColumn[]) {
  const plain = columns.filter(({ kind, path }) => kind !== 'other' && path.length <= 2);
  const called = words.RARITIES.flatMap((name) => plain.filter(({ last }) => last.join(' ') === name));
  const found = called.map((column) => ({ column, stars: starsOf(column) }));
  const whole = found.find(({ column }) => column.values.every(Number.isSafeInteger));
  return whole ?? found.find(({ stars }) => stars) ?? found[0];
}

/** A whole number, the number in `rarity_4`, or the position of `SSR` among the usual names. */
function starsOf(column: DumpColumn): string | undefined {
  if (column.values.every(Number.isSafeInteger)) return numberOf(column);
  const texts = [...new Set(column.values.map(String))].sort();
  const names = texts.map((text) => words.splitWords(text.replace(/[_ ]/g, '-')).at(-1) ?? '');
  const order = words.ORDERS.find((each) => names.every((name) => each.includes(name)));
  const lowest = Math.min(...names.map((name) => order?.indexOf(name) ?? 0));
  const ranks = texts.map((text, at) =>
    order ? order.indexOf(names[at] ?? '') - lowest + 1 : Number(/^\D*(\d{1,2})\D*$/.exec(text)?.[1]),
  );
  if (ranks.some(Number.isNaN)) return undefined;
  const byText = Object.fromEntries(texts.map((text, at) => [text, ranks[at]]));
  return `$get(${JSON.stringify(byText)}, ${column.expression})`;
}

/** The expression of a number that some rows lack. */
function numberOf({ expression, full, kind }: DumpColumn): string {
  const value = full ? expression : `${expression}[$ != null and $ != '']`;
  return kind === 'text' ? `$number(${value})` : value;
}

const MAX_STATS = 12;

/** Finds the stats of a table's rows: numbers such as hp, otherwise those inside the rows at their highest level. */
function findStats({ columns, rows }: DumpTable): Pair[] {
  const named = columns.filter(({ words: all, last }) => isStat(all, last));
  const own = named.filter((each) => areNumbers(each) && !each.path.some((step) => /^\d+$/.test(step)));
  const sample = own.length > 1 ? [] : [...rows.values()].slice(0, 40);
  const inside = countEach(sample.flatMap((row) => [...new Set(statsIn(row))]))
    .filter(([, count]) => count >= sample.length * 0.6)
    .map(([step]): Pair => [step.replaceAll('`', '').split('.').at(-1) ?? '', step]);
  // Of each name, the column that all rows have, at the highest level: `level120.hp`.
  const rank = ({ full, path }: DumpColumn) => Number(full) * 1e6 + Number(/\d+/.exec(path.join()) ?? 0);
  const ofColumns = own
    .toSorted((a, b) => rank(b) - rank(a))
    .map((column): Pair => [column.path.at(-1) ?? '', numberOf(column)]);
  const stats = groupBy(inside.length > 0 ? inside : ofColumns, ([name]) => words.snakeCase(name));
  return stats.slice(0, MAX_STATS).map(([[name, each]]) => [words.snakeCase(name), each]);
}

/** Whether all values are numbers, or texts of numbers. */
function areNumbers({ kind, values }: DumpColumn): boolean {
  return kind !== 'other' && values.every((value) => /^-?\d+(\.\d+)?$/.test(String(value)));
}

function isStat(all: readonly string[], last: readonly string[]): boolean {
  return last.some((word) => words.STATS.has(word)) && !all.some((word) => words.NOT_STATS.has(word));
}

/** Finds numbers such as hp inside a value, as expressions: at the end of a list, or of an object keyed by numbers. */
function statsIn(value: Json, at = '', depth = 0): string[] {
  if (depth > 6 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.every(isObject) ? statsIn(value.at(-1) ?? null, `${at.slice(0, -1)}[-1].`, depth + 1) : [];
  const keys = Object.keys(value);
  const isByNumber = keys.length > 0 && keys.every((key) => /^\d+$/.test(key));
  const used = isByNumber ? keys.sort((a, b) => Number(b) - Number(a)).slice(0, 1) : keys;
  return used.flatMap((name) => {
    const inner = value[name] ?? null;
    const step = at + quoteName(name);
    const own = words.splitWords(name);
    if (typeof inner !== 'number') return statsIn(inner, `${step}.`, depth + 1);
    return isStat(own, own) && !isByNumber ? [step] : [];
  });
}
