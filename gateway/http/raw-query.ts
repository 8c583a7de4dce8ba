import { quote } from './suggest.ts';

/** An invalid parameter: which one, and what was expected. */
export class ParameterError extends Error {
  readonly parameter: string;

  constructor(parameter: string, detail: string) {
    super(detail);
    this.parameter = parameter;
  }
}

/** The decoded pairs of a query string, in order. */
export type RawQuery = readonly (readonly [name: string, value: string])[];

/** The most characters of a name in a query string of the API. */
export const MAX_NAME_LENGTH = 200;

/**
 * Checks the names in a query string before anything parses them.
 *
 * @throws ParameterError at the first name that is too long
 */
export function checkNames(query: RawQuery): void {
  const long = query.find(([name]) => name.length > MAX_NAME_LENGTH)?.[0];
  if (long !== undefined) throw longName(long);
}

/** Returns the value of a parameter that may be given once. @param values as given @throws ParameterError */
export function readOnce(name: string, values: readonly string[] = []): string | undefined {
  if (values.length <= 1) return values[0];
  throw new ParameterError(name, `${name} was given ${values.length} times, expected once`);
}

/** Makes the error of a parameter whose name is too long. */
export function longName(name: string): ParameterError {
  const fault = `a parameter has a name of ${name.length} characters, ${quote(name)}`;
  return new ParameterError('query', `${fault}; expected at most ${MAX_NAME_LENGTH}`);
}

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
