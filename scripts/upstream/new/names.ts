import { stripMarkup } from '../../compile/library.ts';
import { isObject, type Json, type JsonObject, ownValue } from '../../format/dist-format.ts';
import { groupBy } from '../../text.ts';
import { type Column, columnsOf, type IdSource, type Pair, quoteName, textOf } from './columns.ts';
import type { DumpTable } from './tables.ts';
import * as words from './words.ts';
import { byPreference, languageOf } from './words.ts';

/** The name of a table's rows, as JSONata expressions. */
export interface Names {
  /** The column of the names, or of the keys of their texts. */
  column: Column;
  expression: string;
  /** The language of the name, if anything indicates it. */
  language: string | undefined;
  translations: Pair[];
  /** The tables that must be keyed, with their keys. */
  keys: Pair[];
  values: readonly Json[];
  /** Whether people can read them; otherwise they are keys whose texts were not found. */
  readable: boolean;
}

/** Texts by key, in one language. */
export interface TextTable {
  language: string | undefined;
  table: DumpTable;
  /** The key that the table needs. */
  key?: string | undefined;
  get(key: string): Json | undefined;
  expression(key: string): string;
}

const KEY = /^(?=.*[_\d.])[A-Za-z][A-Za-z0-9]*([_.:/-][A-Za-z0-9]+)+$|^-?\d+$|^\S*\/\S*$/;
const MIN_SHARE = 0.8;

/** Whether texts are not for people: `RoleInfo_1402_Name`, numbers, paths. The `/` of an end tag does not make a path. */
function areKeys(values: readonly unknown[]): boolean {
  const keys = values.filter((value) => typeof value !== 'string' || KEY.test(stripMarkup(value) ?? ''));
  return keys.length >= values.length * MIN_SHARE;
}

/** Finds the names of a table's rows: in one column, in a column per language, or in tables of texts. */
export function findNames(table: DumpTable, id: IdSource, texts: readonly TextTable[]): Names | undefined {
  const columns = columnsOf(table);
  const inLanguages = nameInLanguages(columns, table.rows.size);
  if (inLanguages) return inLanguages;
  const candidates = chooseNames(columns, table.rows.size).filter((column) => column !== id);
  const found = candidates.slice(0, 4).flatMap((column) => namesByKey(column, table, texts) ?? []);
  const readable = candidates.filter(({ kind, values }) => kind === 'text' && !areKeys(values));
  const translated = found.find(({ translations }) => translations.length > 0);
  if (translated ?? (readable.length === 0 && found[0])) return translated ?? found[0];
  // Names that many rows share name a kind, if another column has unique ones.
  const isShared = ({ values }: Column) => new Set(values).size < values.length * 0.7;
  const [first] = readable;
  const read = first && isShared(first) ? (readable.find(({ distinct }) => distinct) ?? first) : first;
  const column = read ?? candidates[0];
  if (column === undefined) return undefined;
  const { expression, values } = column;
  const others = read ? inOtherFolders(table, id, column) : { translations: [], keys: [] };
  return { column, expression, values, language: languageOfTable(table), readable: !!read, ...others };
}

/** The columns that can be the names of the rows, or the keys of the names' texts, best first. */
function chooseNames(columns: readonly Column[], count: number): Column[] {
  const whole = columns.filter(({ values, isPlain }) => isPlain && values.length >= count * MIN_SHARE);
  const direct = words.NAMES.flatMap((name) =>
    whole.filter((column) => column.kind === 'text' && column.words.join(' ') === name),
  );
  const keys = whole.filter(({ last }) => last.some((word) => words.TEXTS.has(word)) && isKey(last));
  return [...new Set([...direct, ...whole.filter((column) => isOwnName(column.words)), ...keys])];
}

const isKey = (last: readonly string[]) => words.KEYS_OF_TEXTS.has(last.at(-1) ?? '');

/** Whether words describe a row's own name or its key, not the name of its skill. */
function isOwnName(all: readonly string[]): boolean {
  return all.includes('name') && !all.some((word) => words.NAMES_OF_OTHERS.has(word)) && isKey(all);
}

/** The names of the same rows in the folders of other languages. */
function inOtherFolders({ kind, others }: DumpTable, id: IdSource, { expression }: Column) {
  const field = kind === 'keyed' || id === 'key' ? undefined : id.path[0];
  const isAble = ({ path, distinct, full }: Column) => path[0] === field && distinct && full;
  const able = others.filter(
    (other) => other.kind === kind && (field === undefined || columnsOf(other).some(isAble)),
  );
  const key = field === undefined ? '$key' : textOf(id);
  return {
    translations: able.map(
      ({ name, language }): Pair => [language ?? '', `$get($tables.${name}, ${key}).${expression}`],
    ),
    keys: field === undefined ? [] : able.map(({ name }): Pair => [name, field]),
  };
}

/** Texts in several languages in the rows: `name_ja` and `name_ko`, `NameKr`, or `name: {jp, kr}`; grouped by meaning. */
function languageColumns(columns: readonly Column[]) {
  const candidates = columns.flatMap((column) => {
    const { path, last, kind, list } = column;
    const languageIn = (length: number) => languageOf(last.slice(-length).join('_'));
    // A field `id` is not Indonesian.
    const lengths = last.at(-1) === 'id' ? [] : [2, 1].filter((length) => length < last.length);
    const length = [...(path.length > 1 ? [last.length] : []), ...lengths].find(languageIn);
    if (!length || kind !== 'text' || list) return [];
    const all = [...path.slice(0, -1).flatMap(words.wordsOf), ...last.slice(0, -length)];
    return { key: `${path.slice(0, -1)} ${all}`, all, language: languageIn(length) ?? '', column };
  });
  return groupBy(candidates, ({ key }) => key).flatMap((group) => {
    // The first column of each language.
    const found = groupBy(group, ({ language }) => language).map(([{ language, column }]) => ({
      language,
      column,
    }));
    found.sort((a, b) => byPreference(a.language, b.language));
    return found.length > 1 || found[0]?.language !== 'id' ? [{ words: group[0].all, found }] : [];
  });
}

function nameInLanguages(columns: readonly Column[], count: number): Names | undefined {
  const groups = languageColumns(columns).filter((group) => isOwnName(group.words));
  for (const { found } of groups.sort((a, b) => a.words.length - b.words.length)) {
    const [first, ...others] = found.filter(({ column }) => column.values.length >= count * 0.5);
    if (first === undefined || first.column.values.length < count * MIN_SHARE) continue;
    const { language, column } = first;
    const { expression, values } = column;
    const translations = others.map((each): Pair => [each.language, each.column.expression]);
    return { column, expression, values, language, translations, keys: [], readable: true };
  }
  return undefined;
}

/** Finds the texts whose keys are the values of a column; undefined if they are not such keys. */
function namesByKey(column: Column, own: DumpTable, texts: readonly TextTable[]): Names | undefined {
  const keys = column.values.filter((value) => value !== 0).map(String);
  const sample = keys.filter((_, at) => at % Math.max(1, Math.floor(keys.length / 24)) === 0).slice(0, 5);
  const found = texts.filter(({ table, get }) => {
    if ([own, ...own.others].includes(table) || !sample.some((key) => get(key) !== undefined)) return false;
    const values = keys.map(get).filter((text) => typeof text === 'string' && text !== '');
    return values.length >= keys.length * MIN_SHARE && !areKeys(values);
  });
  const named = found.filter(({ language }) => language !== undefined);
  const byLanguage = groupBy(named, ({ language = '' }) => language).map(([first]) => first);
  byLanguage.sort((a, b) => byPreference(a.language ?? '', b.language ?? ''));
  const [chosen = found[0], ...others] = byLanguage;
  if (chosen === undefined) return undefined;
  const key = textOf(column);
  return {
    ...{ column, language: chosen.language, readable: true },
    expression: chosen.expression(key).replace(/^(\$text\(.*)\)$/, `$1, ${key})`),
    translations: others.map((each) => [each.language ?? '', each.expression(key)]),
    keys: [chosen, ...others].flatMap(({ table, key: of }): Pair[] => (of ? [[table.name, of]] : [])),
    values: keys.flatMap((each) => chosen.get(each) ?? []),
  };
}

/** The texts by key in a table: in an object, in an object per language, or in rows with a key. */
export function textsOf(table: DumpTable): TextTable[] {
  const { name, value, kind, rows } = table;
  const fromObject = (texts: JsonObject, step: string, language: string | undefined): TextTable => ({
    ...{ language, table },
    get: (key) => ownValue(texts, key),
    expression: (key) => `$text($tables.${name}${step}, ${key})`,
  });
  const ofOthers = table.others.flatMap(textsOf);
  if (kind === 'value')
    return [...(isObject(value) ? [fromObject(value, '', languageOfTable(table))] : []), ...ofOthers];
  const inside = (kind === 'keyed' ? [...rows] : []).flatMap(([key, row]) => {
    const language = languageOf(key);
    return language === undefined ? [] : [fromObject(row, `.${quoteName(key)}`, language)];
  });
  return [...(inside.length > 0 ? inside : textsOfRows(table)), ...ofOthers];
}

/** The texts in rows with a key: in one column, or in a column per language. */
function textsOfRows(table: DumpTable): TextTable[] {
  const columns = columnsOf(table);
  const isKeyed = ({ isPlain, path, full, distinct, last }: Column) => {
    const isCalled = words.IDS.has(last.at(-1) ?? '') || /hash|tid/i.test(path[0] ?? '');
    return isPlain && path.length === 1 && full && distinct && isCalled;
  };
  const key = table.kind === 'list' ? columns.find(isKeyed) : undefined;
  if (columns.length > 40 || (table.kind === 'list' && key === undefined)) return [];
  const texts = columns.filter((column) => column !== key && column.kind === 'text' && !column.list);
  const isText = (all: readonly string[]) => words.TEXT_NAMES.has(all.at(-1) ?? '');
  const groups = languageColumns(texts).filter(({ found }) => found.length > 1);
  const group = groups.find((each) => isText(each.words)) ?? groups[0];
  const called = texts.find(({ last }) => isText(last)) ?? (texts.length === 1 ? texts[0] : undefined);
  const chosen = group?.found ?? (called ? [{ language: languageOfTable(table), column: called }] : []);
  let byKey: Map<string, JsonObject> | undefined;
  return chosen.map(({ language, column: { path, expression } }) => ({
    ...{ language, table, key: key?.path[0] },
    get: (wanted) => {
      byKey ??= new Map(
        [...table.rows].map(([own, row]) => [key ? String(row[key.path[0] ?? '']) : own, row]),
      );
      return path.reduce<Json | undefined>((at, step) => ownValue(Object(at), step), byKey.get(wanted));
    },
    expression: (wanted) => `$get($tables.${table.name}, ${wanted}).${expression}`,
  }));
}

/** The language of a table's folder, or in its name, such as `TextMapJP`. */
export function languageOfTable({ files, name, language }: DumpTable): string | undefined {
  const own = words.wordsOf(name).filter((word) => !['id', 'no', 'it'].includes(word));
  const all = [...files.split('/').slice(0, -1), ...own.reverse()].map(languageOf);
  return language ?? all.find((each) => each !== undefined);
}
