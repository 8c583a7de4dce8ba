/** A query string's pairs, decoded, in the order given. */
export type RawQuery = readonly (readonly [name: string, value: string])[];

/**
 * Splits and decodes a query string (`a=1&b=x+y`), strictly.
 *
 * @param text without its `?`
 * @returns undefined where the percent-encoding is malformed
 */
export function parseRawQuery(text: string): RawQuery | undefined {
  if (text === '') return [];
  try {
    return text
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const equals = pair.indexOf('=');
        return equals === -1
          ? ([decode(pair), ''] as const)
          : ([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))] as const);
      });
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
}
