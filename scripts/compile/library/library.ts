import { stripMarkup, unescapeHtml } from './markup.ts';
import { readLocalTime, readMillis, readSeconds } from './times.ts';
import { ArgumentError, countFromOne, isAbsent } from './values.ts';

/**
 * The functions that every expression may call besides JSONata's own, by name without `$`. Each is pure. An absent argument and null have
 * the same result, because dumps use both: undefined, or the fallback of `text`. An argument of the wrong type throws an ArgumentError.
 */
export const LIBRARY: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  first: firstOf,
  last: lastOf,
  get: lookUp,
  text: lookUpText,
  fromZero: countFromOne,
  isoSeconds: readSeconds,
  isoMillis: readMillis,
  isoLocal: readLocalTime,
  strip: stripMarkup,
  unescape: unescapeHtml,
};

/** `$first(list)`: the first element of a list. Any other value counts as a list of one element, as in all of JSONata. */
export function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : (list ?? undefined);
}

/** `$last(list)`: the last element of a list. */
export function lastOf(list: unknown): unknown {
  return Array.isArray(list) ? list.at(-1) : (list ?? undefined);
}

/**
 * `$get(table, key)`: the attribute of an object, or the element of a list, with this key, which may be a number. Only own properties are
 * found, also for keys such as `constructor`, `__proto__` and `length`.
 */
export function lookUp(table: unknown, key: unknown): unknown {
  return lookUpOwn(table, key, '$get');
}

/**
 * `$text(texts, key, fallback)`: the text that a table of texts has for a key; the fallback if the text is absent or empty, or if the key
 * is absent.
 */
export function lookUpText(texts: unknown, key: unknown, fallback: unknown): unknown {
  const text = lookUpOwn(texts, key, '$text');
  if (isAbsent(text) || text === '') return fallback ?? undefined;
  if (typeof text !== 'string') throw new ArgumentError('$text', 'a table of texts', text);
  return text;
}

function lookUpOwn(table: unknown, key: unknown, name: string): unknown {
  if (isAbsent(table) || isAbsent(key)) return undefined;
  if (typeof table !== 'object') throw new ArgumentError(name, 'an object or a list', table);
  if (typeof key !== 'string' && typeof key !== 'number') {
    throw new ArgumentError(name, 'a text or a number as the key', key);
  }
  if (Array.isArray(table) && !Number.isInteger(Number(key))) return undefined;
  return Object.hasOwn(table, key) ? Reflect.get(table, key) : undefined;
}
