import micromatch from 'micromatch';

/**
 * Makes a function that returns whether a table's pattern matches a path. It matches like fast-glob, which finds the files: braces are
 * expanded first, and each result is matched with the same options.
 */
export function matchPattern(pattern: string): (file: string) => boolean {
  const expanded = micromatch.braces(pattern, { expand: true, nodupes: true, keepEscaping: true });
  const expressions = expanded
    .filter((part) => part !== '')
    .map((part) => micromatch.makeRe(part, { posix: true, strictSlashes: false }));
  return (file) => expressions.some((expression) => expression.test(file));
}
