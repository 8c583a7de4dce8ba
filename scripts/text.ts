import { distance } from 'fastest-levenshtein';

/** `1 build`, `2 builds`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** `1.25 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

/** Longer texts are not typing errors, and would make the search slow. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 5000;

/**
 * Finds the name that a misspelt one probably means: the first with the fewest edits, at most a third of its characters, or two, but not all. Case is
 * ignored.
 *
 * @returns undefined if no candidate is near
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

/** Returns `{ fix: 'did you mean "…"?' }` for a finding, or an empty object if no candidate is near. */
export function suggestFix(text: string, candidates: Iterable<string>): { fix?: string } {
  const nearest = findNearest(text, candidates);
  return nearest === undefined ? {} : { fix: `did you mean "${nearest}"?` };
}

/** Longer lists of names are shortened. */
const MAX_LISTED = 12;
const LISTED = 5;

/** Lists names for a message about a misspelt one: all if they are few; otherwise the nearest ones, and the number of the others. */
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

/** Whether a text is an integer that a JavaScript number cannot represent exactly. With a point or an exponent, the digits that it prints decide. */
export function isUnsafeInteger(text: string): boolean {
  const value = Number(text);
  const digitsOf = (number: string) => number.replace(/e.*|\D/gi, '').replace(/^0+|0+$/g, '');
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return false;
  return /^[+-]?\d+$/.test(text) || digitsOf(text) !== digitsOf(String(value));
}

const MAX_NAMED = 3;

/** The first of some words, and the number of the others. */
export function nameSome(words: readonly string[], most = MAX_NAMED): string {
  const more = words.length - most;
  const named = words.slice(0, most).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

/** Groups items by text. */
export function groupBy<T>(items: readonly T[], textOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const text = textOf(item);
    const group = groups.get(text);
    if (group) group.push(item);
    else groups.set(text, [item]);
  }
  return [...groups.values()];
}

/** Counts equal values, most frequent first. */
export function countEach<T>(values: Iterable<T>): [value: T, count: number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, many], [, more]) => more - many);
}

/**
 * The milliseconds of an ISO date, or of a number of seconds or milliseconds since 1970; NaN for all else, such as a position. A time without a zone is
 * in UTC: `Date.parse` would use the zone of the machine.
 */
export function timeOf(value: unknown): number {
  if (typeof value === 'string') return isDate(value) ? Date.parse(value.replace(NO_ZONE, 'Z')) : Number.NaN;
  return typeof value === 'number' && value >= 1e9 ? value * (value < 1e11 ? 1000 : 1) : Number.NaN;
}

/** The end of a text that is not only a day, and has no zone. */
const NO_ZONE = /(?<!^.{10}|Z|[+-]\d\d:?\d\d)$/;
export const isDate = (text: string) => /^\d{4}-\d\d-\d\d/.test(text);
