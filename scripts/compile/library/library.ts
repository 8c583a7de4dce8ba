import { firstOf, lastOf, lookUp, lookUpText } from './look-up.ts';
import { stripMarkup, unescapeHtml } from './markup.ts';
import { readLocalTime, readMillis, readSeconds } from './times.ts';
import { countFromOne } from './values.ts';

/**
 * The functions that every expression may call besides JSONata's own, by name without `$`. Each is pure. An absent argument and null are
 * the same, because dumps use both: the result is undefined, or the fallback of `text`. An argument of the wrong type is an ArgumentError.
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
