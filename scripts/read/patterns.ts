import micromatch from 'micromatch';

/** The start of a pattern of relative paths without `.` and `..`. */
export const INSIDE = '^(?!/)(?!.*//)(?!(.*/)?\\.\\.?(/|$))[^\\\\\\u0000]+';

/** The form of a JSON Pointer. */
export const JSON_POINTER = '^(/([^~/]|~[01])*)*$';

/** The most patterns that the braces of one pattern may stand for. */
const MAX_EXPANSIONS = 1000;
/** More, by a count that is too high, are not expanded. */
const MAX_COUNTED = 1e5;
/** The longest pattern, in UTF-16 code units. */
const MAX_PATTERN_LENGTH = 1000;

/** What is wrong with a pattern. */
interface PatternProblem {
  found: string;
  expected: string;
}

/** The patterns without braces that a pattern stands for, or why it cannot be used. */
export type Expansion = { parts: string[] } | { problem: PatternProblem };

const inside = new RegExp(`${INSIDE}$`);

/** Expands the braces of a table's pattern. Each result has to stay inside the build's folder; no disk is read. */
export function expandPattern(pattern: string): Expansion {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return refuse(`a pattern of ${pattern.length} characters`, `at most ${MAX_PATTERN_LENGTH} characters`);
  }
  const isCountless = countExpansions(pattern) > MAX_COUNTED;
  const parts = isCountless ? undefined : expandBraces(pattern);
  if (isCountless || (parts && parts.length > MAX_EXPANSIONS)) {
    return refuse(
      `"${pattern}", whose braces stand for more than ${MAX_EXPANSIONS} patterns`,
      `at most ${MAX_EXPANSIONS}; a wildcard matches any number of files`,
    );
  }
  if (parts === undefined) {
    return refuse(`"${pattern}", whose braces cannot be read`, 'braces as in {a,b} or {1..9}, all closed');
  }
  const stray = parts.find((part) => !inside.test(isNegative(part) ? part.slice(1) : part));
  if (stray === undefined) return { parts };
  const meant = stray === pattern ? '' : ', which the pattern stands for';
  return refuse(
    `"${stray}"${meant} and which is outside of the build's folder`,
    'paths inside the folder, without "." and ".."',
  );
}

function refuse(found: string, expected: string): Expansion {
  return { problem: { found, expected } };
}

/** Returns whether a pattern without braces excludes files; `!(a|b)` matches files that are neither. */
function isNegative(part: string): boolean {
  return part.startsWith('!') && !part.startsWith('!(');
}

/** @returns undefined where the library fails, as it does for some braces that are not closed */
function expandBraces(pattern: string): string[] | undefined {
  try {
    return micromatch
      .braces(pattern, { expand: true, nodupes: true, keepEscaping: true })
      .filter((part) => part !== '')
      .map((part) => part.replace(/\/{2,}/g, '/'));
  } catch {
    return undefined;
  }
}

/**
 * Returns at least how many patterns braces stand for, without expanding them: each brace counts as if it had all alternatives. Ends of
 * ranges can be letters, or numbers in other forms; the library refuses ranges of more than a thousand values.
 */
function countExpansions(pattern: string): number {
  const alternatives = pattern.split(',').length;
  const braces = [...pattern.matchAll(/\{(?:(-?\d+)\.\.(-?\d+)\}|[^{},]*\.\.)?/g)];
  return braces.reduce((count, [brace, from, to]) => {
    const isOpen = from === undefined && brace !== '{';
    const size = isOpen ? MAX_EXPANSIONS : Math.abs(Number(to) - Number(from)) + 1 || 1;
    return size > MAX_EXPANSIONS ? Number.POSITIVE_INFINITY : count * Math.max(alternatives, size);
  }, 1);
}

/**
 * Makes a function that returns whether a table's pattern matches a path inside a build's folder. It matches like fast-glob: braces are
 * expanded first, and a file matches if one of the results does and none of those that begin with `!`. A pattern that cannot be used, which
 * `checkTables` reports, matches nothing.
 */
export function matchPattern(pattern: string): (file: string) => boolean {
  const expansion = expandPattern(pattern);
  if ('problem' in expansion) return () => false;
  const negative = expansion.parts.filter(isNegative);
  const positive = expansion.parts.filter((part) => !isNegative(part));
  const options = { posix: true, strictSlashes: false };
  const wanted = positive.map((part) => micromatch.makeRe(part, options));
  const unwanted = negative.map((part) => micromatch.makeRe(part.slice(1), { ...options, dot: true }));
  return (file) =>
    wanted.some((expression) => expression.test(file)) &&
    !unwanted.some((expression) => expression.test(file));
}
