import { findNearest } from '../../scripts/text.ts';

/** Longer texts of callers are shortened in messages. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 5000;

/** Our names of what other APIs have under these names. */
const OTHER_NAMES = new Map([
  ['offset', /^(page|skip|start|cursor)$/i],
  ['limit', /^(per_?page|page_?size|size|top)$/i],
  ['sort', /^(order|sort)(_?by)?$/i],
  ['q', /^(query|search)$/i],
]);

/**
 * Suggests the nearest valid name at the end of an error message: what others call so, one that has the text as whole words, such as
 * `stats.atk` for `atk`, or the nearest one.
 *
 * @returns ` (did you mean "…"?)`, or an empty text when no candidate is near
 */
export function suggest(text: string, candidates: Iterable<string>): string {
  const names: string[] = [];
  for (const name of candidates) if (names.push(name) === MAX_CANDIDATES) break;
  const words = wordsIn(text.slice(0, MAX_LENGTH));
  const matches = words === ' ' ? [] : names.filter((name) => wordsIn(name).includes(words));
  const nearest =
    names.find((name) => OTHER_NAMES.get(name)?.test(text) || name === `stats.${text}`) ??
    matches.sort((a, b) => a.length - b.length)[0] ??
    findNearest(text, names);
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}

const wordsIn = (name: string) => ` ${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `;

/** Quotes a caller's text for an error message, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
}
