import { findNearest } from '../../../scripts/core/lib/nearest.ts';

/** Longer texts of callers are shortened in messages. */
const MAX_LENGTH = 64;

/**
 * Suggests the nearest valid name at the end of an error message.
 *
 * @returns ` (did you mean "…"?)`, or an empty text when no candidate is near
 */
export function suggest(text: string, candidates: Iterable<string>): string {
  const nearest = findNearest(text, candidates);
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}

/** Quotes a caller's text for an error message, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
}
