import { RE2JS } from 're2js';

/** Returns whether a text is a pattern in RE2's syntax with exactly one group. */
export function hasOneGroup(pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).groupCount() === 1;
  } catch {
    return false;
  }
}

/**
 * Makes a function that returns what the group of a pattern captures in a text; undefined if the pattern does not match. It takes linear time,
 * as the patterns come from strangers.
 *
 * @param pattern one that `hasOneGroup`
 */
export function captureBy(pattern: string): (text: string) => string | undefined {
  const compiled = RE2JS.compile(pattern);
  return (text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? (matcher.group(1) ?? undefined) : undefined;
  };
}
