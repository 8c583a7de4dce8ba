import type { Json } from '../../format/dist-format.ts';
import type { FoundTable } from '../dump/find-tables.ts';
import { chooseNames, type IdSource, isOwnName } from './choose-columns.ts';
import { type Column, columnsOfTable, expressionOf, wordsOf } from './column.ts';
import {
  byPreference,
  findLanguageColumns,
  findTranslations,
  languageOf,
  languageOfTable,
} from './languages.ts';
import { areKeys, type TextSources, type Texts } from './text-sources.ts';

/** The name of a table's rows, as JSONata expressions. */
export interface Names {
  /** The column of the names, or of the keys of their texts. */
  column: Column;
  expression: string;
  /** The language of the name, if something says it. */
  language: string | undefined;
  translations: [language: string, expression: string][];
  /** What tables have to be keyed by. */
  keys: [table: string, key: string | string[]][];
  /** Some names, for finding markup. */
  values: readonly Json[];
  /** `text` if people can read them; `key` if they are keys whose texts were not found; `id` if the rows have no names. */
  kind: 'text' | 'key' | 'id';
}

/** How many columns are looked up in texts. */
const MAX_CANDIDATES = 4;
/** Finds the names of a table's rows: in one column or one for each language, or in tables of texts. */
export function findNames(
  table: FoundTable,
  id: IdSource,
  sources: TextSources,
  tables: readonly FoundTable[],
): Names | undefined {
  const entry = namesOfTables.get(table);
  if (entry && entry.sources === sources) return entry.names;
  const names = findDirect(table, id, sources, tables);
  namesOfTables.set(table, { sources, names });
  return names;
}

const namesOfTables = new WeakMap<FoundTable, { sources: TextSources; names: Names | undefined }>();

function findDirect(
  table: FoundTable,
  id: IdSource,
  sources: TextSources,
  tables: readonly FoundTable[],
): Names | undefined {
  const columns = columnsOfTable(table);
  const count = 'rows' in table.shape ? table.shape.rows.size : 0;
  const ownName = nameInLanguages(columns, count);
  if (ownName) return ownName;
  const candidates = chooseNames(columns, count).filter((column) => column !== id);
  const others = findTranslations(table, tables).map((each) => each.table);
  const same = new Set([table, ...others].map(({ name }) => name));
  const texts = candidates.slice(0, MAX_CANDIDATES).map((column) => ({
    column,
    texts: sources.find(
      column.values.filter((value) => value !== 0),
      same,
    ),
  }));
  const translated = texts.find((each) => each.texts && each.texts.translations.length > 0);
  const read = candidates.find((column) => column.kind === 'text' && !areKeys(column.values));
  const any = translated ?? (read === undefined ? texts.find((each) => each.texts) : undefined);
  if (any?.texts) return fromTexts(any.column, any.texts);
  if (read) return asItIs(read, table);
  const [first] = candidates;
  if (first) return { ...asItIs(first, table), kind: 'key' };
  const ids = idsOf(columns);
  const fallback =
    ids.find((column) => column !== id && column.kind === 'text') ??
    columns.find(
      (column) =>
        column !== id && column.level === 1 && column.full && column.kind === 'text' && endsAsId(column.path),
    ) ??
    (id === 'key' ? undefined : id);
  return fallback && { ...asItIs(fallback, table), kind: 'id' };
}

/** Looks further for the names of rows that have only ids or keys: in tables that have a row for each id and language, or a part of a key. */
export function findNamesElsewhere(
  table: FoundTable,
  { column: named, kind }: Names,
  sources: TextSources,
  tables: readonly FoundTable[],
): Names | undefined {
  const columns = kind === 'key' ? [named] : [];
  const all = columnsOfTable(table);
  for (const column of all.filter(({ level, full, path }) => level === 1 && full && endsAsId(path))) {
    const texts = namesByLanguageRows(column, table, tables);
    if (texts) return fromTexts(column, texts);
  }
  for (const column of new Set([...columns, ...idsOf(all)])) {
    const texts = sources.findAround(column.values);
    if (texts) return fromTexts(column, texts);
  }
  return undefined;
}

function endsAsId(path: readonly string[]): boolean {
  return /^(id|identifier|key|code)$/.test(wordsOf(path.at(-1) ?? '').at(-1) ?? '');
}

/** The columns that are different in each row: most of the ids. */
function idsOf(columns: readonly Column[]): Column[] {
  return columns.filter(
    ({ level, full, distinct, kind }) =>
      level === 1 && full && distinct && (kind === 'text' || kind === 'number'),
  );
}

function asItIs(column: Column, table: FoundTable): Names {
  return {
    ...{
      column,
      expression: expressionOf(column),
      language: languageOfTable(table),
      translations: [],
      keys: [],
    },
    values: column.values,
    kind: 'text',
  };
}

function fromTexts(column: Column, texts: Texts): Names {
  const key = keyExpression(column);
  const textExpression = texts.expression(key);
  const fallback = textExpression.startsWith('$text(')
    ? textExpression.replace(/\)$/, `, ${key})`)
    : textExpression;
  return {
    ...{ column, expression: fallback, language: texts.language, keys: texts.keys, values: texts.values },
    translations: texts.translations.map(([language, expression]) => [language, expression(key)]),
    kind: 'text',
  };
}

/** The expression of a column whose values are keys of texts. */
function keyExpression(column: Column): string {
  return column.kind === 'text' ? expressionOf(column) : `$string(${expressionOf(column)})`;
}

/** A name that the rows have in several languages. */
function nameInLanguages(columns: readonly Column[], count: number): Names | undefined {
  const groups = findLanguageColumns(columns).filter(({ words }) => isOwnName(words));
  for (const { words, columns: found } of groups.sort((a, b) => a.words.length - b.words.length)) {
    const whole = found.filter(([, column]) => column.values.length >= count * 0.5);
    const bare = columns.find(
      (column) =>
        column.kind === 'text' && column.full && column.path.flatMap(wordsOf).join() === words.join(),
    );
    const [first] = whole;
    if (first === undefined || (bare === undefined && first[1].values.length < count * 0.8)) continue;
    const isKey = bare !== undefined && areKeys(bare.values);
    const main = bare && !isKey && whole[0]?.[0] !== 'en' ? bare : first[1];
    const others = whole.filter(([, column]) => column !== main);
    const language = whole.find(([, column]) => column === main)?.[0];
    return {
      ...{
        column: main,
        expression: expressionOf(main),
        language,
        keys: [],
        values: main.values,
        kind: 'text',
      },
      translations: others.map(([each, column]) => [each, expressionOf(column)]),
    };
  }
  return undefined;
}

/** Names in a table with a row for each id and language, whose languages are codes or ids of a table of languages. */
function namesByLanguageRows(
  { path, values }: Column,
  table: FoundTable,
  tables: readonly FoundTable[],
): Texts | undefined {
  const ids = new Set(values.map(String));
  for (const other of tables) {
    if (other === table || other.shape.kind !== 'list' || other.member) continue;
    const columns = columnsOfTable(other);
    if (columns.length === 0 || columns.length > 12) continue;
    const language = columns.find(({ path: of, full }) => full && /lang|locale/i.test(of[0] ?? ''));
    const text = columns.find(
      ({ path: of, kind }) => kind === 'text' && wordsOf(of[0] ?? '').at(-1) === 'name',
    );
    if (language === undefined || text === undefined) continue;
    const ownWords = wordsOf(path.at(-1) ?? '');
    const key = columns.find(
      ({ path: of, full, distinct }) =>
        full &&
        !distinct &&
        of !== language.path &&
        wordsOf(of[0] ?? '').at(-1) === 'id' &&
        sharesName(of[0] ?? '', ownWords, table.name),
    );
    if (key === undefined) continue;
    const keySet = new Set(key.values.map(String));
    if ([...ids].filter((one) => keySet.has(one)).length < ids.size * 0.8) continue;
    const codes = languageCodes(language, tables);
    const [main, ...others] = [...codes].sort(([a], [b]) => byPreference(a, b));
    if (main === undefined) continue;
    const keys: [string, string | string[]][] = [[other.name, [key.path[0] ?? '', language.path[0] ?? '']]];
    const at = (code: string) => (of: string) =>
      `$get($tables.${other.name}, ${of} & ':${code}').${expressionOf(text)}`;
    return {
      ...{
        language: main[0],
        expression: at(main[1]),
        keys: keys as Texts['keys'],
        values: text.values.slice(0, 200),
      },
      translations: others.map(([each, code]) => [each, at(code)]),
    };
  }
  return undefined;
}

function sharesName(field: string, ownWords: readonly string[], table: string): boolean {
  const words = wordsOf(field).filter((word) => word !== 'id');
  const tableWords = [...ownWords, ...wordsOf(table)];
  return words.length > 0 && words.every((word) => tableWords.includes(word));
}

/** The value that each language has in a column. */
function languageCodes({ values, kind }: Column, tables: readonly FoundTable[]): Map<string, string> {
  const languages = new Map<string, string>();
  const add = (name: string, code: string) => {
    const language = languageOf(name);
    if (language !== undefined && !languages.has(language)) languages.set(language, code);
  };
  const codes = [...new Set(values.map(String))];
  if (kind === 'text') for (const code of codes) add(code, code);
  const table = tables.find(
    ({ name, shape }) => /^lang(uage)?s?$/i.test(name.split('_').at(-1) ?? '') && 'rows' in shape,
  );
  if (languages.size > 0 || table === undefined || !('rows' in table.shape)) return languages;
  for (const row of table.shape.rows.values()) {
    const id = String(row.id ?? '');
    if (!codes.includes(id)) continue;
    const names = Object.values(row).filter((value) => typeof value === 'string');
    // `zh-hans` says more than `zh`.
    const best = names.sort((a, b) => b.length - a.length).find((name) => languageOf(name) !== undefined);
    if (best !== undefined) add(best, id);
  }
  return languages;
}
