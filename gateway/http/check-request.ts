import type { IncomingMessage } from 'node:http';
import { ParameterError } from '../query/parameter-error.ts';
import { parseRawQuery } from '../query/raw-query.ts';
import { HttpProblem } from './problem.ts';

/** The methods that an address takes, unless it is an endpoint with its own. */
export const ALLOW = 'GET, HEAD, OPTIONS';
const METHODS = ALLOW.split(', ');
/** Longer request targets get a 414. */
export const LONGEST_TARGET = 8 * 1024;

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Splits a request's target; of one in absolute form, which proxies send, the origin is left out (RFC 9112, 3.2.2). */
export function parseTarget(request: IncomingMessage) {
  const target = request.url ?? '/';
  const raw = target.startsWith('/') ? target : `/${target.replace(ORIGIN, '').replace(/^\//, '')}`;
  const at = raw.indexOf('?');
  const pathname = at === -1 ? raw : raw.slice(0, at);
  return { raw, pathname, search: at === -1 ? '' : raw.slice(at), query: {}, hash: undefined };
}

/** Whether an address is one that asks for a key. */
export function isApi(path: string): boolean {
  return /^\/api(\/|$)/i.test(path);
}

/**
 * @param allow the methods that the address takes
 * @throws HttpProblem for any other
 */
export function checkMethod({ method = '' }: IncomingMessage, allow = ALLOW): void {
  const methods = allow === ALLOW ? METHODS : allow.split(', ');
  if (methods.includes(method)) return;
  const expected = allow === ALLOW ? 'expected GET; the API is read-only' : `this address takes ${allow}`;
  throw new HttpProblem('method-not-allowed', `${method} is not allowed, ${expected}`, {}, { Allow: allow });
}

/** Whether a request announces a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** What is wrong with a request, whatever its address. */
export function findFault(
  request: IncomingMessage & { path: string },
): HttpProblem | ParameterError | undefined {
  const { length } = request.url ?? '';
  if (length > LONGEST_TARGET) {
    return new HttpProblem(
      'uri-too-long',
      `the address has ${length} bytes, expected at most ${LONGEST_TARGET}`,
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
