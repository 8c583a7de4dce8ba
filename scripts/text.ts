import { distance } from 'fastest-levenshtein';

/** Renders a number with its noun: `1 build`, `2 builds`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Renders a size: `1.25 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

/** Longer texts are not typing errors, and would make the search slow. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 5000;

/**
 * Finds the name that a misspelt one may stand for: the first of those with the fewest edits, of at most a third of its characters, or
 * two, but not of all. Upper and lower case count as the same.
 *
 * @returns undefined when no candidate is near
 */
export function findNearest(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  let nearest: string | undefined;
  let least = Math.min(text.length, Math.max(2, Math.floor(text.length / 3)) + 1);
  let compared = 0;
  for (const candidate of candidates) {
    if (++compared > MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const edits = distance(text.toLowerCase(), candidate.toLowerCase());
    if (edits >= least) continue;
    least = edits;
    nearest = candidate;
  }
  return nearest;
}

/** Returns `{ fix: 'did you mean "…"?' }` for a finding, or nothing when no candidate is near. */
export function suggestFix(text: string, candidates: Iterable<string>): { fix?: string } {
  const nearest = findNearest(text, candidates);
  return nearest === undefined ? {} : { fix: `did you mean "${nearest}"?` };
}

/** More names than these are not all listed. */
const MAX_LISTED = 12;
const LISTED = 5;

/** Lists names for a message about a misspelt one: all of a few; of many, the nearest ones, and how many others there are. */
export function listNames(text: string, names: readonly string[]): string {
  if (names.length <= MAX_LISTED) return names.join(', ');
  const edits = (name: string) =>
    distance(text.slice(0, MAX_LENGTH).toLowerCase(), name.slice(0, MAX_LENGTH).toLowerCase());
  const ranked = names.map((name) => ({ name, edits: edits(name) })).sort((a, b) => a.edits - b.edits);
  const nearest = ranked.slice(0, LISTED).map(({ name }) => name);
  return `${nearest.join(', ')} and ${names.length - LISTED} others`;
}

/** Returns whether a text is a number as JavaScript prints it. */
export function printsAsNumber(text: string): boolean {
  const value = Number(text);
  return String(value) === text && Number.isFinite(value) && !isUnsafeInteger(text);
}

/** Returns whether a text is an integer that a JavaScript number cannot hold exactly. */
export function isUnsafeInteger(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}

/** Puts what has the same text together. */
export function groupBy<T>(items: readonly T[], textOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(textOf(item));
    if (group) group.push(item);
    else groups.set(textOf(item), [item]);
  }
  return [...groups.values()];
}
