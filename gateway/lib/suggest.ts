import { distance } from 'fastest-levenshtein';

/** Longer texts are no slips of the pen, and would make the search slow. */
const LONGEST = 64;
const MOST_CANDIDATES = 5000;

/**
 * The nearest valid name as the end of an error message.
 *
 * @returns ` (did you mean "…"?)`, or nothing where no candidate is near
 */
export function suggest(text: string, candidates: Iterable<string>): string {
  if (text.length > LONGEST) return '';
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(text.length / 3)) + 1;
  let looked = 0;
  for (const candidate of candidates) {
    if (++looked > MOST_CANDIDATES) break;
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const edits = distance(text.toLowerCase(), candidate.toLowerCase());
    if (edits >= least) continue;
    least = edits;
    nearest = candidate;
  }
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}

/** A caller's text as an error message quotes it, cut short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
