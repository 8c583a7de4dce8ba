import type { FoundTable } from '../dump/find-tables.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import { type Column, quoteName, wordsOf } from './column.ts';

/** The share of a column's values that must be keys of texts. */
const MIN_SHARE = 0.8;

/**
 * Finds the texts whose keys are the values of a column: a table of texts by key, or the English one of several languages.
 *
 * @returns their JSONata expression; undefined when the values are not keys of texts
 */
export function findTexts({ values }: Column, tables: readonly FoundTable[]): string | undefined {
  const holdsTexts = (texts: Json): boolean => {
    if (!isObject(texts)) return false;
    const known = values.filter(
      (key) => Object.hasOwn(texts, String(key)) && typeof texts[String(key)] === 'string',
    );
    return known.length >= values.length * MIN_SHARE;
  };
  for (const { name, value, shape } of tables) {
    if (shape.kind === 'object' && holdsTexts(value)) return `$tables.${name}`;
    if (shape.kind !== 'keyed') continue;
    const languages = [...shape.rows].filter(([, row]) => holdsTexts(row)).map(([key]) => key);
    const language =
      languages.find((key) => ['en', 'english'].includes(wordsOf(key)[0] ?? '')) ?? languages[0];
    if (language !== undefined && !/[`\\]/.test(language)) return `$tables.${name}.${quoteName(language)}`;
  }
  return undefined;
}
