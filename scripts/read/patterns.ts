import micromatch from 'micromatch';

/** The start of a pattern of relative paths without `.` and `..`. */
export const INSIDE = '^(?!/)(?!.*//)(?!(.*/)?\\.\\.?(/|$))[^\\\\\\u0000]+';

/** The most patterns that the braces of one pattern may stand for. */
export const MAX_EXPANSIONS = 1000;
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
  if (countExpansions(pattern) > MAX_EXPANSIONS) {
    return refuse(
      `"${pattern}", whose braces stand for more than ${MAX_EXPANSIONS} patterns`,
      `at most ${MAX_EXPANSIONS}; a wildcard matches any number of files`,
    );
  }
  const parts = expandBraces(pattern);
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

/** In or after these, the library may read a brace or a comma as text. */
const QUOTING = /[()[\]"'`\\$]/;

/**
 * Returns at least how many patterns braces stand for, without expanding them: the product of the numbers of alternatives of all braces,
 * nested or not closed ones included. Where it is not clear which commas belong to which brace, each brace gets all.
 */
export function countExpansions(pattern: string): number {
  if (!QUOTING.test(pattern)) return countClear(pattern);
  const commas = pattern.split(',').length - 1;
  let count = 1;
  for (let at = pattern.indexOf('{'); at !== -1; at = pattern.indexOf('{', at + 1))
    count *= (commas + 1) * sizeOfRange(pattern.slice(at + 1));
  return count;
}

function countClear(pattern: string): number {
  let count = 1;
  const commas: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const unit = pattern[at];
    if (unit === '{') {
      commas.push(0);
      count *= sizeOfRange(upToItsEnd(pattern.slice(at + 1)));
    } else if (unit === ',' && commas.length > 0) commas.push((commas.pop() ?? 0) + 1);
    else if (unit === '}' && commas.length > 0) count *= (commas.pop() ?? 0) + 1;
  }
  return commas.reduce((product, commaCount) => product * (commaCount + 1), count);
}

/** Returns the text of a brace and its end. @param text from after the brace on */
function upToItsEnd(text: string): string {
  let depth = 1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(0, at + 1);
  }
  return text;
}

/** What may be a range: braces inside it may be a part of its ends. */
const MAYBE_RANGE = /^[^,]*\.\./;
const NUMBERS = /^(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?\}/;

/** Returns at least how many values the range at the start of a text has; 1 where there is none. */
function sizeOfRange(text: string): number {
  if (!MAYBE_RANGE.test(text)) return 1;
  const [, from, to] = NUMBERS.exec(text) ?? [];
  // Ends can be letters, or numbers in other forms. The library refuses more than a thousand.
  return from === undefined ? MAX_EXPANSIONS : Math.abs(Number(to) - Number(from)) + 1;
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
