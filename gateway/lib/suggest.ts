import { distance } from 'fastest-levenshtein';

/** Longer texts are not typing errors, and would make the search slow. */
const LONGEST = 64;
const MAX_CANDIDATES = 5000;

/**
 * Suggests the nearest valid name at the end of an error message.
 *
 * @returns ` (did you mean "…"?)`, or an empty text when no candidate is near
 */
export function suggest(text: string, candidates: Iterable<string>): string {
  if (text.length > LONGEST) return '';
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(text.length / 3)) + 1;
  let looked = 0;
  for (const candidate of candidates) {
    if (++looked > MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const edits = distance(text.toLowerCase(), candidate.toLowerCase());
    if (edits >= least) continue;
    least = edits;
    nearest = candidate;
  }
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}

/** Quotes a caller's text for an error message, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
