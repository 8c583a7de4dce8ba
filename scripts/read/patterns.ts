import micromatch from 'micromatch';

/** The start of a pattern for relative paths without `.` and `..`. */
export const INSIDE = '^(?!/)(?!.*//)(?!(.*/)?\\.\\.?(/|$))[^\\\\\\u0000]+';

export const JSON_POINTER = '^(/([^~/]|~[01])*)*$';

/**
 * Returns a function that returns whether a table's pattern matches a path inside a build's folder, as fast-glob matches files. Only listed paths are
 * compared, so no pattern finds anything outside of the folder.
 */
export function matchPattern(pattern: string): (file: string) => boolean {
  const expression = micromatch.makeRe(pattern, { posix: true, strictSlashes: false, nonegate: true });
  return (file) => expression.test(file);
}
