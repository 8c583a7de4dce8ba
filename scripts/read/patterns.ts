import fastGlob from 'fast-glob';
import micromatch from 'micromatch';

/** The start of a pattern for relative paths without `.`, `..` and control characters: `.*` does not cross a line break. */
export const INSIDE =
  '^(?!/)(?!.*//)(?!(.*/)?\\.\\.?(/|$))[^\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+';

export const JSON_POINTER = '^(/([^~/]|~[01])*)*$';

/** The most numbers of a range, as in fast-glob. */
const MAX_RANGE = 1000;

/** Returns the expression of a range such as `{01..12}`. */
function expandRange(from: string, to: string, step?: unknown): string {
  const [least, most] = [Number(from), Number(to)].sort((a, b) => a - b) as [number, number];
  if (Number.isNaN(least + most)) return `[${from}-${to}]`;
  const by = (typeof step === 'string' && Math.abs(Number(step))) || 1;
  if (!(most - least < MAX_RANGE * by)) return '(?!)';
  const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
  const count = Math.floor((most - least) / by) + 1;
  return `(${Array.from({ length: count }, (_, at) => String(least + at * by).padStart(width, '0')).join('|')})`;
}

/**
 * Returns a function that returns whether a table's pattern matches a path inside a build's folder, as fast-glob matches files. Only listed paths are
 * compared, so no pattern finds anything outside of the folder.
 */
export function matchPattern(pattern: string): (file: string) => boolean {
  if (!fastGlob.isDynamicPattern(pattern)) return (file) => file === pattern;
  const options = { posix: true, strictSlashes: false, nonegate: true, expandRange };
  const expression = micromatch.makeRe(pattern, options);
  return (file) => expression.test(file);
}
