import { stripMarkup } from '../../compile/library/markup.ts';
import { isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import type { FoundTable } from '../dump/find-tables.ts';
import { type Column, columnsOfTable, expressionOf, quoteName, wordsOf } from './column.ts';
import { byPreference, findLanguageColumns, languageOf, languageOfTable } from './languages.ts';

/** Texts by key, in one language. */
interface Source {
  language: string | undefined;
  table: string;
  /** What the table has to be keyed by. */
  key: string | undefined;
  textOf(key: string): Json | undefined;
  keys(): Iterable<string>;
  /** The JSONata expression of the text whose key is an expression. */
  expression(key: string): string;
}

/** The texts of keys: JSONata expressions of the text, by the expression of its key. */
export interface Texts {
  /** The language of the texts, if a name says it. */
  language: string | undefined;
  expression(key: string): string;
  translations: [language: string, expression: (key: string) => string][];
  /** What tables have to be keyed by. */
  keys: [table: string, field: string][];
  values: Json[];
}

/** The share of a column's values that must be keys of texts. */
const MIN_SHARE = 0.8;
/** Texts of one language may be in several tables: of those, the first counts that has most. */
const SAMPLE = 24;
/** A table that has none of so many keys is not looked at further. */
const FIRST = 5;
/** Tables of texts have few columns besides those of languages. */
const MAX_COLUMNS = 40;
const KEY_NAMES = new Set(['id', 'key', 'hash', 'tag', 'code', 'tid', 'uid']);
const TEXT_NAMES = new Set(
  'content text value string message name title localized localization translation textmap msg'.split(' '),
);
/** The longest text that may be around a value in the key of its text. */
const MAX_AFFIX = 24;
const MIN_VALUE = 3;
/** In the keys of how many values such a text is looked for. */
const AROUND = 6;

/** The share of the names that must look like a key. */
const MIN_KEYS = 0.8;
const KEY = /^(?=.*[_\d.])[A-Za-z][A-Za-z0-9]*([_.:/-][A-Za-z0-9]+)+$|^-?\d+$|^\S*\/\S*$/;

/** Whether texts are not for people: `RoleInfo_1402_Name`, numbers, paths. The `/` of an end tag makes no path. */
export function areKeys(values: readonly unknown[]): boolean {
  const keys = values.filter((value) => typeof value !== 'string' || KEY.test(stripMarkup(value) ?? ''));
  return keys.length >= values.length * MIN_KEYS;
}

/** Finds the texts that values are the keys of, in the tables of a dump. */
export class TextSources {
  readonly #sources: Source[];

  constructor(tables: readonly FoundTable[]) {
    this.#sources = tables.filter(({ member }) => member === undefined).flatMap(sourcesOf);
  }

  /**
   * Finds the texts whose keys are the values; undefined if these are not keys of texts.
   *
   * @param except the names of tables that hold no texts, but the same rows in other languages
   */
  find(values: readonly unknown[], except: ReadonlySet<string> = new Set()): Texts | undefined {
    return this.#find(values.map(String), '', '', except);
  }

  /** Finds the texts whose keys are the values with the same text before or after each, such as `MPID_X` for `PID_X`. */
  findAround(values: readonly unknown[]): Texts | undefined {
    const keys = values.map(String);
    const long = sampleOf(keys.filter((key) => key.length >= MIN_VALUE)).slice(0, AROUND);
    if (long.length < 3) return undefined;
    const affixes = new Map<string, number>();
    const languages = this.#sources.flatMap(({ language }) => language ?? []).sort(byPreference);
    for (const source of this.#sources.filter(
      ({ language }) => language !== undefined && language === languages[0],
    ))
      for (const key of source.keys())
        for (const value of long) {
          const at = key.indexOf(value);
          if (at < 0 || key.length > value.length + MAX_AFFIX || key === value) continue;
          const affix = JSON.stringify([key.slice(0, at), key.slice(at + value.length)]);
          affixes.set(affix, (affixes.get(affix) ?? 0) + 1);
        }
    const frequent = [...affixes]
      .map(([affix, count]) => ({ affix: JSON.parse(affix) as [string, string], count }))
      .filter(
        ({ affix, count }) =>
          count >= long.length * 0.6 &&
          !affix.some((text) => /["'\\]/.test(text)) &&
          /[A-Za-z]/.test(affix.join('')),
      )
      .sort((a, b) => rankAffix(a.affix) - rankAffix(b.affix));
    for (const { affix } of frequent.slice(0, 4)) {
      const texts = this.#find(keys, ...affix);
      if (texts) return texts;
    }
    return undefined;
  }

  #find(
    values: readonly string[],
    before: string,
    after: string,
    except: ReadonlySet<string> = new Set(),
  ): Texts | undefined {
    if (values.length === 0) return undefined;
    const keys = values.map((value) => before + value + after);
    const sample = sampleOf(keys);
    const sources = this.#sources.filter(
      (source) =>
        !except.has(source.table) &&
        sample.slice(0, FIRST).some((key) => source.textOf(key) !== undefined) &&
        holds(source, sample) &&
        holds(source, keys) &&
        !areKeys(sample.flatMap((key) => source.textOf(key) ?? [])),
    );
    const byName = new Map<string, Source>();
    for (const source of sources)
      if (source.language !== undefined && !byName.has(source.language)) byName.set(source.language, source);
    const [main, ...others] = [...byName].sort(([a], [b]) => byPreference(a, b));
    const chosen = main?.[1] ?? sources[0];
    if (chosen === undefined) return undefined;
    const around = (key: string) =>
      [before && `'${before}'`, key, after && `'${after}'`].filter((part) => part !== '').join(' & ');
    return {
      language: main?.[0],
      expression: (key) => chosen.expression(around(key)),
      translations: others.map(([language, source]) => [language, (key) => source.expression(around(key))]),
      keys: [chosen, ...others.map(([, source]) => source)].flatMap(({ table, key }): [string, string][] =>
        key === undefined ? [] : [[table, key]],
      ),
      values: keys.flatMap((key) => chosen.textOf(key) ?? []),
    };
  }
}

/** Names come first, then what is shorter. */
function rankAffix([before, after]: [string, string]): number {
  return before.length + after.length - (/name/i.test(before + after) ? 100 : 0);
}

function sampleOf(keys: readonly string[]): string[] {
  const step = Math.max(1, Math.floor(keys.length / SAMPLE));
  return keys.filter((_, at) => at % step === 0);
}

function holds({ textOf }: Source, keys: readonly string[]): boolean {
  const present = keys.filter((key) => {
    const text = textOf(key);
    return typeof text === 'string' && text !== '';
  });
  return present.length >= keys.length * MIN_SHARE;
}

function sourcesOf(table: FoundTable): Source[] {
  const { name, value, shape } = table;
  if (shape.kind === 'object' && isObject(value))
    return [fromObject(value, name, `$tables.${name}`, languageOfName(table))];
  if (!('rows' in shape)) return [];
  if (shape.kind === 'keyed') {
    const byLanguage = [...shape.rows].flatMap(([key, row]): Source[] => {
      const language = languageOf(key);
      if (/[`\\]/.test(key) || (language === undefined && shape.rows.size > 40)) return [];
      return [fromObject(row, name, `$tables.${name}.${quoteName(key)}`, language)];
    });
    if (byLanguage.some(({ language }) => language !== undefined)) return byLanguage;
    return [...byLanguage, ...fromRows(table)];
  }
  return fromRows(table);
}

function fromObject(texts: JsonObject, table: string, at: string, language: string | undefined): Source {
  return {
    ...{ language, table, key: undefined },
    textOf: (key) => (Object.hasOwn(texts, key) ? texts[key] : undefined),
    keys: () => Object.keys(texts),
    expression: (key) => `$text(${at}, ${key})`,
  };
}

/** The texts in rows that have a key: in one column, or in a column for each language. */
function fromRows(table: FoundTable): Source[] {
  const { name, shape } = table;
  if (!('rows' in shape)) return [];
  const columns = columnsOfTable(table);
  if (columns.length === 0 || columns.length > MAX_COLUMNS) return [];
  const key = shape.kind === 'list' ? keyOf(columns) : undefined;
  if (shape.kind === 'list' && key === undefined) return [];
  const texts = textColumns(columns.filter((column) => column !== key)).map(
    ([language, column]) => [language ?? languageOfName(table), column] as const,
  );
  let byKey: Map<string, JsonObject> | undefined;
  const rows = () => {
    byKey ??= new Map([...shape.rows].map(([own, row]) => [key ? String(row[key.path[0] ?? '']) : own, row]));
    return byKey;
  };
  return texts.map(([language, column]) => ({
    ...{ language, table: name, key: key?.path[0] },
    textOf: (wanted) => valueAt(rows().get(wanted), column.path),
    keys: () => rows().keys(),
    expression: (wanted) => `$get($tables.${name}, ${wanted}).${expressionOf(column)}`,
  }));
}

function keyOf(columns: readonly Column[]): Column | undefined {
  const able = columns.filter(
    ({ level, full, distinct, kind }) =>
      level === 1 && full && distinct && (kind === 'text' || kind === 'number'),
  );
  return able.find(({ path }) => KEY_NAMES.has(wordsOf(path[0] ?? '').at(-1) ?? ''));
}

function textColumns(columns: readonly Column[]): [language: string | undefined, column: Column][] {
  const texts = columns.filter(({ kind, list }) => kind === 'text' && !list);
  const groups = findLanguageColumns(texts).filter(({ columns: of }) => of.length > 1);
  const named = groups.find(({ words }) => TEXT_NAMES.has(words.at(-1) ?? '')) ?? groups[0];
  if (named) return named.columns;
  const called = texts.find(({ path }) => TEXT_NAMES.has(wordsOf(path.at(-1) ?? '').at(-1) ?? ''));
  const only = texts.length === 1 ? texts[0] : undefined;
  const chosen = called ?? only;
  return chosen ? [[undefined, chosen]] : [];
}

function valueAt(row: Json | undefined, path: readonly string[]): Json | undefined {
  let at: Json | undefined = row;
  for (const step of path) at = isObject(at) ? at[step] : undefined;
  return at;
}

/** The language in the name of a table such as `TextMapJP`, or of its folder. */
function languageOfName(table: FoundTable): string | undefined {
  const languageWord = wordsOf(table.name)
    .reverse()
    .filter((word) => word !== 'id' && word !== 'no' && word !== 'it')
    .map(languageOf)
    .find((language) => language !== undefined);
  return languageOfTable(table) ?? languageWord;
}
