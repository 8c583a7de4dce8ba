import type { IncomingMessage } from 'node:http';
import { ParameterError } from '../lib/parameter-error.ts';
import { parseRawQuery } from '../lib/raw-query.ts';
import type { Incoming } from './incoming.ts';
import { HttpProblem } from './problem.ts';

/** The methods that an address takes, unless it is an endpoint with its own. */
export const ALLOW = 'GET, HEAD, OPTIONS';
const METHODS = ALLOW.split(', ');
/** Longer request targets get a 414. */
export const MAX_TARGET_BYTES = 8 * 1024;

/** Whether an address is one that asks for a key. */
export function isApi(path: string): boolean {
  return /^\/api(\/|$)/i.test(path);
}

/**
 * What is wrong with a request's method; undefined where nothing is.
 *
 * @param allow the methods that the address takes, as `Allow` lists them
 */
export function findWrongMethod({ method = '' }: IncomingMessage, allow = ALLOW): HttpProblem | undefined {
  const methods = allow === ALLOW ? METHODS : allow.split(', ');
  if (methods.includes(method)) return undefined;
  const expected = allow === ALLOW ? 'expected GET; the API is read-only' : `this address takes ${allow}`;
  return new HttpProblem('method-not-allowed', `${method} is not allowed, ${expected}`, {}, { Allow: allow });
}

/** Whether a request announces a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** What is wrong with a request, whatever its address. */
export function findFault(request: Incoming): HttpProblem | ParameterError | undefined {
  const { length } = request.url ?? '';
  if (length > MAX_TARGET_BYTES) {
    return new HttpProblem(
      'uri-too-long',
      `the address has ${length} bytes, expected at most ${MAX_TARGET_BYTES}`,
    );
  }
  if (request.method !== 'POST' && hasBody(request)) {
    return new HttpProblem(
      'invalid-parameter',
      'the request has a body, expected none',
      { parameter: 'body' },
      { Connection: 'close' },
    );
  }
  if (request.path.includes('%') && parseRawQuery(request.path) === undefined) {
    return new ParameterError('path', 'the path has malformed percent-encoding, expected UTF-8');
  }
  return undefined;
}
