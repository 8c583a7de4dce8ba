import { stripMarkup } from '../../compile/library.ts';
import { isObject, type Json, ownValue } from '../../format/dist-format.ts';
import { groupBy } from '../../text.ts';
import { type Column, type IdSource, idsOf, type Pair, quoteName, textOf } from './columns.ts';
import type { DumpTable } from './tables.ts';
import * as words from './words.ts';
import { byPreference, languageOf } from './words.ts';

/** The name of a table's rows, as JSONata expressions. */
export interface Names {
  /** The column of the names, or of the keys of their texts. */
  column: Column;
  expression: string;
  translations: Pair[];
  /** The language of the name, if anything indicates it. */
  language: string | undefined;
  /** The tables that must be keyed, with their keys. */
  keys: [table: string, key: string][];
  values: readonly Json[];
  /** Whether people can read them; otherwise they are keys whose texts were not found. */
  readable: boolean;
}

/** Texts by key, in one language. */
interface TextTable {
  table: DumpTable;
  language: string | undefined;
  texts: ReadonlyMap<string, Json>;
  /** The key that the table needs. */
  key?: string | undefined;
  expression(key: string): string;
}

const KEY = /^(?=.*[_\d.])[A-Za-z][A-Za-z0-9]*([_.:/-][A-Za-z0-9]+)+$|^-?\d+$|^\S*\/\S*$/;
const MIN_SHARE = 0.8;

/** Whether texts are not for people: `RoleInfo_1402_Name`, numbers, paths. The `/` of an end tag does not make a path. */
function areKeys(values: readonly unknown[]): boolean {
  const keys = values.filter((value) => typeof value !== 'string' || KEY.test(stripMarkup(value) ?? ''));
  return keys.length >= values.length * MIN_SHARE;
}

/** Finds the names of a table's rows: in a column per language, in tables of texts, or in one column. */
export function findNames(
  table: DumpTable,
  id: IdSource,
  tables: readonly DumpTable[],
  texts: readonly TextTable[],
): Names | undefined {
  const { rows, columns, language } = table;
  const whole = columns.filter(
    ({ values, kind }) => kind !== 'other' && values.length >= rows.size * MIN_SHARE,
  );
  const inLanguages = languageColumns(columns)
    .filter(({ all, found }) => isOwnName(all) && found.some(({ column }) => whole.includes(column)))
    .sort((a, b) => a.all.length - b.all.length)[0]
    ?.found.filter(({ column }) => column.values.length >= rows.size * 0.5);
  if (inLanguages?.[0] && whole.includes(inLanguages[0].column)) {
    const [{ column, language: own }, ...others] = inLanguages as [
      (typeof inLanguages)[0],
      ...typeof inLanguages,
    ];
    const translations = others.map((each): Pair => [each.language, each.column.expression]);
    const { expression, values } = column;
    return { column, expression, values, language: own, translations, keys: [], readable: true };
  }
  const direct = words.NAMES.flatMap((name) =>
    whole.filter((column) => column.kind === 'text' && column.words.join(' ') === name),
  );
  const keyed = whole.filter(({ last }) => last.some((word) => words.TEXTS.has(word)) && isKey(last));
  const all = new Set([...direct, ...whole.filter((column) => isOwnName(column.words)), ...keyed]);
  const candidates = [...all].filter((column) => column !== id);
  const readable = candidates.filter(({ kind, values }) => kind === 'text' && !areKeys(values));
  const found = candidates.slice(0, 4).flatMap((column) => namesByKey(column, table, texts) ?? []);
  const byKey =
    found.find(({ translations }) => translations.length > 0) ?? (readable.length === 0 && found[0]);
  if (byKey) return byKey;
  // Names that many rows share name a kind, if another column has unique ones.
  const [first] = readable;
  const isShared = first && new Set(first.values).size < first.values.length * 0.7;
  const read = (isShared && readable.find(({ distinct }) => distinct)) || first;
  const column = read ?? candidates[0];
  if (column === undefined) return undefined;
  const { expression, values } = column;
  const others = read ? sameInOtherLanguages(table, id, tables) : [];
  const key = table.kind === 'keyed' ? '$key' : textOf(id);
  return {
    ...{ column, expression, values, language, readable: read !== undefined },
    translations: others.map(
      (other): Pair => [other.language ?? '', `$get($tables.${other.name}, ${key}).${expression}`],
    ),
    keys: others.flatMap(({ name, kind }) =>
      kind === 'list' && id !== 'key' ? [[name, id.path[0] ?? '']] : [],
    ),
  };
}

const isKey = (last: readonly string[]) => words.KEYS_OF_TEXTS.has(last.at(-1) ?? '');

/** Whether words describe a row's own name or its key, not the name of its skill. */
function isOwnName(all: readonly string[]): boolean {
  return all.includes('name') && !all.some((word) => words.NAMES_OF_OTHERS.has(word)) && isKey(all);
}

/** The tables in the folders of other languages. */
function sameInOtherLanguages(table: DumpTable, id: IdSource, tables: readonly DumpTable[]): DumpTable[] {
  const placeOf = ({ files, at, kind }: DumpTable) =>
    `${kind} ${files.split('/').map((step) => (languageOf(step) ? '*' : step))} ${at}`;
  const same = tables.filter((other) => other !== table && placeOf(other) === placeOf(table));
  const isKeyed = ({ path, distinct, full }: Column) =>
    id !== 'key' && `${path}` === `${id.path}` && distinct && full;
  return same.filter(({ kind, columns }) => kind === 'keyed' || columns.some(isKeyed));
}

/** Texts in several languages in the rows: `name_ja` and `name_ko`, `NameKr`, or `name: {jp, kr}`; grouped by meaning. */
function languageColumns(columns: readonly Column[]) {
  const candidates = columns.flatMap((column) => {
    const { path, last, kind } = column;
    const languageIn = (length: number) => languageOf(last.slice(-length).join('_'));
    // A field `id` is not Indonesian.
    const lengths = last.at(-1) === 'id' ? [] : [2, 1].filter((length) => length < last.length);
    const length = [...(path.length > 1 ? [last.length] : []), ...lengths].find(languageIn);
    if (!length || kind !== 'text') return [];
    const all = [...path.slice(0, -1).flatMap(words.wordsOf), ...last.slice(0, -length)];
    return { key: `${path.slice(0, -1)} ${all}`, all, language: languageIn(length) ?? '', column };
  });
  return groupBy(candidates, ({ key }) => key).flatMap((group) => {
    // The first column of each language.
    const found = groupBy(group, ({ language }) => language).map(([first]) => first);
    found.sort((a, b) => byPreference(a.language, b.language));
    return found.length > 1 || found[0]?.language !== 'id' ? [{ all: group[0].all, found }] : [];
  });
}

/** Finds the texts whose keys are the values of a column; undefined if they are not such keys. */
function namesByKey(column: Column, own: DumpTable, tables: readonly TextTable[]): Names | undefined {
  const keys = column.values.filter((value) => value !== 0).map(String);
  const sample = keys.filter((_, at) => at % Math.ceil(keys.length / 8) === 0);
  const found = tables.filter(({ table, texts }) => {
    if (!sample.some((key) => texts.has(key))) return false;
    const values = keys
      .map((key) => texts.get(key))
      .filter((text) => typeof text === 'string' && text !== '');
    return table !== own && values.length >= keys.length * MIN_SHARE && !areKeys(values);
  });
  const named = found.filter(({ language }) => language !== undefined);
  const byLanguage = groupBy(named, ({ language = '' }) => language).map(([first]) => first);
  byLanguage.sort((a, b) => byPreference(a.language, b.language));
  const [chosen = found[0], ...others] = byLanguage;
  if (chosen === undefined) return undefined;
  const key = textOf(column);
  return {
    ...{ column, language: chosen.language, readable: true },
    expression: chosen.expression(key).replace(/^(\$text\(.*)\)$/, `$1, ${key})`),
    translations: others.map((each) => [each.language ?? '', each.expression(key)]),
    keys: [chosen, ...others].flatMap(({ table, key: of }) =>
      of ? [[table.name, of] as [string, string]] : [],
    ),
    values: keys.flatMap((each) => chosen.texts.get(each) ?? []),
  };
}

/** The texts by key in a table: in an object, in an object per language, or in rows with a key. */
export function textsOf(table: DumpTable): TextTable[] {
  const { name, value, kind, rows, columns, language: own } = table;
  const fromObject = (of: Json, step: string, language: string | undefined): TextTable => ({
    ...{ language, table, texts: new Map(isObject(of) ? Object.entries(of) : []) },
    expression: (key) => `$text($tables.${name}${step}, ${key})`,
  });
  if (kind === 'value') return [fromObject(value, '', own)];
  const inside = [...(kind === 'keyed' ? rows : [])].filter(([key]) => languageOf(key));
  if (inside.length > 0)
    return inside.map(([key, row]) => fromObject(row, `.${quoteName(key)}`, languageOf(key)));
  const id = kind === 'keyed' ? 'key' : columns.find(isKeyOfTexts);
  if (columns.length > 40 || id === undefined) return [];
  const called = columns.filter((column) => column !== id && column.kind === 'text');
  const isText = (all: readonly string[]) => words.TEXT_NAMES.has(all.at(-1) ?? '');
  const groups = languageColumns(called).filter(({ found }) => found.length > 1);
  const group = groups.find(({ all }) => isText(all)) ?? groups[0];
  const only = called.find(({ last }) => isText(last)) ?? (called.length === 1 ? called[0] : undefined);
  const keys = idsOf(table, id);
  return (group?.found ?? (only ? [{ language: own, column: only }] : [])).map(({ language, column }) => {
    const { path, expression } = column;
    const valueIn = (row: Json) =>
      path.reduce<Json | undefined>((at, step) => ownValue(Object(at), step), row) ?? '';
    const texts = new Map([...rows.values()].map((row, at) => [keys[at] ?? '', valueIn(row)]));
    const key = id === 'key' ? undefined : id.path[0];
    return {
      table,
      language,
      texts,
      key,
      expression: (wanted) => `$get($tables.${name}, ${wanted}).${expression}`,
    };
  });
}

function isKeyOfTexts({ kind, path, full, distinct, last }: Column): boolean {
  const isCalled = words.IDS.has(last.at(-1) ?? '') || /hash|tid/i.test(path[0] ?? '');
  return kind !== 'other' && path.length === 1 && full && distinct && isCalled;
}
