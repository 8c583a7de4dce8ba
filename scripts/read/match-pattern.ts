import micromatch from 'micromatch';
import { expandPattern, isNegative } from './expand-pattern.ts';

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
