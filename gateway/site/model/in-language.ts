import type { JsonObject } from '../../../scripts/format/json.ts';

/**
 * Returns a record of the sample with its name in a language, as the API does with `lang`; as it is if it has none.
 *
 * @param lang `ja`; empty for the game's own
 */
export function inLanguage(record: JsonObject, lang: string): JsonObject {
  const name = lang === '' ? undefined : record[`name_${lang}`];
  return typeof name === 'string' ? { ...record, name } : record;
}
