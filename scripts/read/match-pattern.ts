import micromatch from 'micromatch';

/**
 * Makes a function that tells whether a table's pattern takes a path, as fast-glob does that looks for its files: braces first, each
 * of what they stand for with the same options.
 */
export function matchPattern(pattern: string): (file: string) => boolean {
  const expanded = micromatch.braces(pattern, { expand: true, nodupes: true, keepEscaping: true });
  const expressions = expanded
    .filter((part) => part !== '')
    .map((part) => micromatch.makeRe(part, { posix: true, strictSlashes: false }));
  return (file) => expressions.some((expression) => expression.test(file));
}
