import type { FoundTable } from '../dump/find-tables.ts';
import { isObject, type Json, type JsonObject } from '../../../core/format/dist-format.ts';
import { type Column, quoteName, wordsOf } from './column.ts';
import { byPreference, languageOf } from './languages.ts';

/** The share of a column's values that must be keys of texts. */
const MIN_SHARE = 0.8;

/** Texts by key: the JSONata expression of those in one language, and of the others by language. */
export interface Texts {
  expression: string;
  /** The language of the texts, if a name says it. */
  language: string | undefined;
  translations: [language: string, expression: string][];
  /** Those in that language. */
  values: Json[];
}

/**
 * Finds the texts whose keys are the values of a column: in one table for each language, or in one table of several languages.
 *
 * @returns undefined when the values are not keys of texts
 */
export function findTexts(
  { values }: Pick<Column, 'values'>,
  tables: readonly FoundTable[],
): Texts | undefined {
  const keys = values.map(String);
  const found = tables.flatMap((table) => textsIn(table, keys));
  const known = new Map<string, Found>();
  for (const each of found)
    if (each.language !== undefined && !known.has(each.language)) known.set(each.language, each);
  const [main, ...others] = [...known].sort(([a], [b]) => byPreference(a, b));
  const chosen = main?.[1] ?? found[0];
  if (chosen === undefined) return undefined;
  return {
    expression: chosen.expression,
    language: main?.[0],
    translations: others.map(([language, { expression }]) => [language, expression]),
    values: keys.flatMap((key) => chosen.texts[key] ?? []),
  };
}

interface Found {
  language: string | undefined;
  expression: string;
  texts: JsonObject;
}

function textsIn({ name, value, shape }: FoundTable, keys: readonly string[]): Found[] {
  if (shape.kind === 'object' && holdsTexts(value, keys))
    return [{ language: languageOfName(name), expression: `$tables.${name}`, texts: value }];
  if (shape.kind !== 'keyed') return [];
  return [...shape.rows].flatMap(([key, row]): Found[] => {
    if (/[`\\]/.test(key) || !holdsTexts(row, keys)) return [];
    return [{ language: languageOf(key), expression: `$tables.${name}.${quoteName(key)}`, texts: row }];
  });
}

function holdsTexts(texts: Json, keys: readonly string[]): texts is JsonObject {
  if (!isObject(texts) || keys.length === 0) return false;
  const known = keys.filter((key) => Object.hasOwn(texts, key) && typeof texts[key] === 'string');
  return known.length >= keys.length * MIN_SHARE;
}

/** The language in the name of a table such as `TextMapJP`. */
function languageOfName(name: string): string | undefined {
  return wordsOf(name)
    .reverse()
    .map(languageOf)
    .find((language) => language !== undefined);
}
