import micromatch from 'micromatch';

/** The start of a pattern for relative paths without `.` and `..`. */
export const INSIDE = '^(?!/)(?!.*//)(?!(.*/)?\\.\\.?(/|$))[^\\\\\\u0000]+';

export const JSON_POINTER = '^(/([^~/]|~[01])*)*$';

/** The maximum number of patterns after the expansion of braces. */
const MAX_EXPANSIONS = 1000;
/** If an upper bound of the count is larger, the pattern is not expanded. */
const MAX_COUNTED = 1e5;
/** The maximum length of a pattern, in UTF-16 code units. */
const MAX_PATTERN_LENGTH = 1000;

interface PatternProblem {
  found: string;
  expected: string;
}

/** The patterns without braces that a pattern expands to, or why it cannot be used. */
export type Expansion = { parts: string[] } | { problem: PatternProblem };

const inside = new RegExp(`${INSIDE}$`);

/** Expands the braces of a table's pattern. Each result must stay inside the build's folder. Does not read the disk. */
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

/** @returns undefined if the library fails, as it does for some unclosed braces */
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
 * Returns an upper bound of the number of patterns, without expanding the braces: each brace counts as if it had all alternatives. Ends of ranges can
 * be letters, or numbers in other forms; the library refuses ranges of more than a thousand values.
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
 * Returns a function that returns whether a table's pattern matches a path inside a build's folder. It matches like fast-glob: braces are expanded
 * first; a file matches if one result does and no result that begins with `!` does. An unusable pattern, which `checkTables` reports, matches
 * nothing.
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
