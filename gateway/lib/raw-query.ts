/** The decoded pairs of a query string, in order. */
export type RawQuery = readonly (readonly [name: string, value: string])[];

/**
 * Splits and decodes a query string (`a=1&b=x+y`), strictly.
 *
 * @param text without its `?`
 * @returns undefined when the percent-encoding is malformed
 */
export function parseRawQuery(text: string): RawQuery | undefined {
  const pairs: [string, string][] = [];
  try {
    for (let start = 0; start < text.length; ) {
      const next = text.indexOf('&', start);
      const end = next === -1 ? text.length : next;
      if (end > start) pairs.push(readPair(text.slice(start, end)));
      start = end + 1;
    }
  } catch {
    return undefined;
  }
  return pairs;
}

function readPair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  if (equals === -1) return [decode(pair), ''];
  return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
}
