import { stripMarkup } from '../../compile/library.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import {
  type Column,
  chooseNames,
  cleaned,
  columnsOf,
  expressionOf,
  type IdSource,
  idExpression,
  isOwnName,
  quoteName,
} from './columns.ts';
import type { Table } from './tables.ts';
import { byPreference, IDS, languageOf, TEXT_NAMES, wordsOf } from './words.ts';

/** The name of a table's rows, as JSONata expressions. */
export interface Names {
  /** The column of the names, or of the keys of their texts. */
  column: Column;
  expression: string;
  /** The language of the name, if something says it. */
  language: string | undefined;
  translations: [language: string, expression: string][];
  /** What tables have to be keyed by. */
  keys: [table: string, key: string][];
  values: readonly Json[];
  /** `text` if people can read them; `key` if their texts were not found; `id` if the rows have no names. */
  kind: 'text' | 'key' | 'id';
}

const KEY = /^(?=.*[_\d.])[A-Za-z][A-Za-z0-9]*([_.:/-][A-Za-z0-9]+)+$|^-?\d+$|^\S*\/\S*$/;
const MIN_SHARE = 0.8;

/** Whether texts are not for people: `RoleInfo_1402_Name`, numbers, paths. The `/` of an end tag makes no path. */
function areKeys(values: readonly unknown[]): boolean {
  const keys = values.filter((value) => typeof value !== 'string' || KEY.test(stripMarkup(value) ?? ''));
  return keys.length >= values.length * MIN_SHARE;
}

/** Finds the names of a table's rows: in one column or one for each language, or in tables of texts. */
export function findNames(
  table: Table,
  id: IdSource,
  texts: Texts,
  tables: readonly Table[],
): Names | undefined {
  const columns = columnsOf(table);
  const count = table.rows.size;
  const inLanguages = nameInLanguages(columns, count);
  if (inLanguages) return inLanguages;
  const candidates = chooseNames(columns, count).filter((column) => column !== id);
  const found = candidates.slice(0, 4).flatMap((column) => texts.find(column, table) ?? []);
  const readable = candidates.filter(({ kind, values }) => kind === 'text' && !areKeys(values));
  const translated =
    found.find(({ translations }) => translations.length > 0) ??
    (readable.length === 0 ? found[0] : undefined);
  if (translated) return translated;
  const asItIs = (column: Column, kind: Names['kind']): Names => ({
    ...{ column, expression: expressionOf(column), values: column.values, kind },
    language: languageOfTable(table),
    ...(kind === 'text' ? inOtherRegions(table, id, column, tables) : { translations: [], keys: [] }),
  });
  // Names that many rows share are those of a kind, if another column has one for each.
  const [first] = readable;
  const isShared = first !== undefined && new Set(first.values).size < first.values.length * 0.7;
  const read = isShared ? (readable.find(({ distinct }) => distinct) ?? first) : first;
  if (read) return asItIs(read, 'text');
  if (candidates[0]) return asItIs(candidates[0], 'key');
  const others = columns.filter(
    (column) =>
      column !== id &&
      column.path.length === 1 &&
      column.full &&
      (column.kind === 'text' || column.kind === 'number'),
  );
  const other =
    others.find(({ distinct, kind }) => distinct && kind === 'text') ??
    others.find(({ kind, last }) => kind === 'text' && IDS.has(last.at(-1) ?? ''));
  const fallback = other ?? (id === 'key' ? undefined : id);
  return fallback && asItIs(fallback, 'id');
}

/** The same tables in the folders of other languages. */
export function sameInRegions(table: Table, tables: readonly Table[]): Table[] {
  const { region } = table;
  if (region === undefined) return [];
  return tables.filter((other) => other !== table && other.region?.of === region.of);
}

/** The names of the same rows in the folders of other languages. */
function inOtherRegions(
  table: Table,
  id: IdSource,
  column: Column,
  tables: readonly Table[],
): Pick<Names, 'translations' | 'keys'> {
  const field = table.kind === 'keyed' || id === 'key' ? undefined : id.path[0];
  const able = sameInRegions(table, tables).filter((other) => {
    if (other.rows.size === 0 || other.kind !== table.kind || (id === 'key' && other.kind !== 'keyed'))
      return false;
    const isKey = ({ path, distinct, full }: Column) => path[0] === field && distinct && full;
    return field === undefined || columnsOf(other).some(isKey);
  });
  const key = field === undefined ? '$key' : idExpression(id);
  return {
    translations: able.map(({ name, region }) => [
      region?.language ?? '',
      cleaned(`$get($tables.${name}, ${key}).${expressionOf(column)}`, column.values),
    ]),
    keys: field === undefined ? [] : able.map(({ name }) => [name, field]),
  };
}

/** Texts in several languages in the rows: `name_ja` and `name_ko`, `NameKr`, or `name: {jp, kr}`; those of one meaning together. */
function languageColumns(
  columns: readonly Column[],
): { words: string[]; found: [language: string, column: Column][] }[] {
  const groups = new Map<string, { words: string[]; found: Map<string, Column> }>();
  for (const column of columns) {
    if (column.kind !== 'text' || column.list) continue;
    const above = column.path.slice(0, -1);
    const words = column.last;
    // A field `id` is not the Indonesian one.
    const ends = above.length > 0 ? [words.length] : [];
    if (words.at(-1) !== 'id') ends.push(...[2, 1].filter((length) => length < words.length));
    const length = ends.find((each) => languageOf(words.slice(-each).join('_')) !== undefined);
    if (length === undefined) continue;
    const key = JSON.stringify([above, words.slice(0, -length)]);
    const own = [...above.flatMap(wordsOf), ...words.slice(0, -length)];
    const group = groups.get(key) ?? { words: own, found: new Map<string, Column>() };
    groups.set(key, group);
    const language = languageOf(words.slice(-length).join('_')) ?? '';
    if (!group.found.has(language)) group.found.set(language, column);
  }
  return [...groups.values()]
    .filter(({ found }) => found.size > 1 || (found.size === 1 && !found.has('id')))
    .map(({ words, found }) => ({ words, found: [...found].sort(([a], [b]) => byPreference(a, b)) }));
}

function nameInLanguages(columns: readonly Column[], count: number): Names | undefined {
  const groups = languageColumns(columns).filter(({ words }) => isOwnName(words));
  for (const { words, found } of groups.sort((a, b) => a.words.length - b.words.length)) {
    const whole = found.filter(([, { values }]) => values.length >= count * 0.5);
    const bare = columns.find(
      (each) => each.kind === 'text' && each.full && each.words.join() === words.join(),
    );
    const [first] = whole;
    if (first === undefined || (bare === undefined && first[1].values.length < count * 0.8)) continue;
    const isMain = bare !== undefined && !areKeys(bare.values) && first[0] !== 'en';
    const column = isMain ? bare : first[1];
    const others = whole.filter(([, each]) => each !== column);
    return {
      ...{ column, expression: expressionOf(column), keys: [], values: column.values, kind: 'text' },
      language: whole.find(([, each]) => each === column)?.[0],
      translations: others.map(([language, each]) => [language, expressionOf(each)]),
    };
  }
  return undefined;
}

/** Texts by key, in one language. */
interface Source {
  language: string | undefined;
  table: Table;
  /** What the table has to be keyed by. */
  key: string | undefined;
  textOf(key: string): Json | undefined;
  expression(key: string): string;
}

/** The tables of a dump that have texts by key. */
export class Texts {
  readonly #sources: Source[];

  constructor(tables: readonly Table[]) {
    this.#sources = tables.flatMap(sourcesOf);
  }

  /** Finds the texts whose keys are the values of a column; undefined if these are no such keys. */
  find(column: Column, own: Table): Names | undefined {
    const keys = column.values.filter((value) => value !== 0).map(String);
    if (keys.length === 0) return undefined;
    const step = Math.max(1, Math.floor(keys.length / 24));
    const sample = keys.filter((_, at) => at % step === 0);
    const holds = ({ textOf }: Source, all: readonly string[]) => {
      const isText = (key: string) => typeof textOf(key) === 'string' && textOf(key) !== '';
      return all.filter(isText).length >= all.length * MIN_SHARE;
    };
    const sources = this.#sources.filter((source) => {
      const { table, textOf } = source;
      const isOther =
        table.name !== own.name && (own.region === undefined || table.region?.of !== own.region.of);
      const isLikely = isOther && sample.slice(0, 5).some((key) => textOf(key) !== undefined);
      const isSource = isLikely && holds(source, sample) && holds(source, keys);
      return isSource && !areKeys(sample.flatMap((key) => textOf(key) ?? []));
    });
    const byLanguage = new Map<string, Source>();
    for (const source of sources)
      if (source.language !== undefined && !byLanguage.has(source.language))
        byLanguage.set(source.language, source);
    const [main, ...others] = [...byLanguage].sort(([a], [b]) => byPreference(a, b));
    const chosen = main?.[1] ?? sources[0];
    if (chosen === undefined) return undefined;
    const key = column.kind === 'text' ? expressionOf(column) : `$string(${expressionOf(column)})`;
    const used = [chosen, ...others.map(([, source]) => source)];
    return {
      ...{ column, language: main?.[0], kind: 'text' },
      expression: chosen.expression(key).replace(/^(\$text\(.*)\)$/, `$1, ${key})`),
      translations: others.map(([language, source]) => [language, source.expression(key)]),
      keys: used.flatMap(({ table, key: of }) =>
        of === undefined ? [] : [[table.name, of] as [string, string]],
      ),
      values: keys.flatMap((each) => chosen.textOf(each) ?? []),
    };
  }
}

function sourcesOf(table: Table): Source[] {
  const { name, value, kind, rows } = table;
  const fromObject = (texts: JsonObject, at: string, language: string | undefined): Source => ({
    ...{ language, table, key: undefined },
    textOf: (key) => (Object.hasOwn(texts, key) ? texts[key] : undefined),
    expression: (key) => `$text(${at}, ${key})`,
  });
  if (kind === 'object' && isObject(value))
    return [fromObject(value, `$tables.${name}`, languageOfTable(table))];
  if (rows.size === 0) return [];
  // An object of texts by key for each language, or for each of a few tables.
  const inside = [...(kind === 'keyed' ? rows : [])].flatMap(([key, row]): Source[] => {
    const language = languageOf(key);
    if (/[`\\]/.test(key) || (language === undefined && rows.size > 40)) return [];
    return [fromObject(row, `$tables.${name}.${quoteName(key)}`, language)];
  });
  return inside.some(({ language }) => language !== undefined) ? inside : [...inside, ...fromRows(table)];
}

/** The texts in rows that have a key: in one column, or in a column for each language. */
function fromRows(table: Table): Source[] {
  const columns = columnsOf(table);
  const isKey = ({ path, full, distinct, kind, last }: Column) =>
    path.length === 1 &&
    full &&
    distinct &&
    (kind === 'text' || kind === 'number') &&
    (IDS.has(last.at(-1) ?? '') || /hash|tid/i.test(path[0] ?? ''));
  const key = table.kind === 'list' ? columns.find(isKey) : undefined;
  if (columns.length === 0 || columns.length > 40 || (table.kind === 'list' && key === undefined)) return [];
  const texts = columns.filter((column) => column !== key && column.kind === 'text' && !column.list);
  const groups = languageColumns(texts).filter(({ found }) => found.length > 1);
  const group = groups.find(({ words }) => TEXT_NAMES.has(words.at(-1) ?? '')) ?? groups[0];
  const called =
    texts.find(({ last }) => TEXT_NAMES.has(last.at(-1) ?? '')) ??
    (texts.length === 1 ? texts[0] : undefined);
  const chosen: [string | undefined, Column][] =
    group?.found ?? (called ? [[languageOfTable(table), called]] : []);
  let byKey: Map<string, JsonObject> | undefined;
  const rowOf = (wanted: string): Json | undefined => {
    byKey ??= new Map([...table.rows].map(([own, row]) => [key ? String(row[key.path[0] ?? '']) : own, row]));
    return byKey.get(wanted);
  };
  return chosen.map(([language, column]) => ({
    ...{ language, table, key: key?.path[0] },
    textOf: (wanted) =>
      column.path.reduce<Json | undefined>(
        (at, step) => (isObject(at) ? at[step] : undefined),
        rowOf(wanted),
      ),
    expression: (wanted) => `$get($tables.${table.name}, ${wanted}).${expressionOf(column)}`,
  }));
}

/** The language of a table's folder, or in its name, such as `TextMapJP`. */
export function languageOfTable({ files, name, region }: Table): string | undefined {
  const words = wordsOf(name).filter((word) => !['id', 'no', 'it'].includes(word));
  const all = [...files.split('/').slice(0, -1), ...words.reverse()].map(languageOf);
  return region?.language ?? all.find((language) => language !== undefined);
}
