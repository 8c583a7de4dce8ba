import { firstOf, lastOf, lookUp, lookUpText } from './look-up.ts';
import { stripMarkup, unescapeHtml } from './markup.ts';
import { readLocalTime, readMillis, readSeconds } from './times.ts';
import { countFromOne } from './values.ts';

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
