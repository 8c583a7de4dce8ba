import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { ParameterError, parseRawQuery } from '../lib/raw-query.ts';
import type { Incoming } from './incoming.ts';
import { HttpProblem } from './problem.ts';

/** Clients send some hundred characters at most. A longer Accept counts as none: it can take milliseconds to read. */
export const MAX_ACCEPT_LENGTH = 1000;

/** Returns whether a client prefers a media type to `application/json`, by its Accept header (RFC 9110, 12.5.1). */
export function prefersType(accept: string | undefined, type: string): boolean {
  if (accept !== undefined && accept.length > MAX_ACCEPT_LENGTH) return false;
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', type]) === type;
}

/** The methods of every address except endpoints, which have their own. */
export const ALLOW = 'GET, HEAD, OPTIONS';
const METHODS = ALLOW.split(', ');
/** Longer request targets get a 414. */
export const MAX_TARGET_BYTES = 8 * 1024;

/** Returns whether an address requires a key. */
export function isApi(path: string): boolean {
  return /^\/api(\/|$)/i.test(path);
}

/**
 * Checks a request's method.
 *
 * @param allow the address's methods, as `Allow` lists them
 * @returns undefined when the address has the method
 */
export function findWrongMethod({ method = '' }: IncomingMessage, allow = ALLOW): HttpProblem | undefined {
  const methods = allow === ALLOW ? METHODS : allow.split(', ');
  if (methods.includes(method)) return undefined;
  const expected = allow === ALLOW ? 'expected GET; the API is read-only' : `this address allows ${allow}`;
  return new HttpProblem('method-not-allowed', `${method} is not allowed, ${expected}`, {}, { Allow: allow });
}

/**
 * Checks the Host header field (RFC 9112, 3.2): a proxy and the gateway could read a request without one, or with two, differently.
 *
 * @returns undefined when nothing is wrong
 */
export function findWrongHost({ headers, httpVersion }: IncomingMessage): HttpProblem | undefined {
  const { host } = headers;
  // Repeated header fields are joined by commas.
  if (host === undefined ? httpVersion === '1.0' : !/[\s,/@]/.test(host)) return undefined;
  const fault =
    host === undefined ? 'no Host header field' : 'a Host header field that is repeated or not valid';
  const detail = `the request has ${fault}, expected one with the name of the gateway`;
  return new HttpProblem('invalid-parameter', detail, { parameter: 'host' }, { Connection: 'close' });
}

/** Returns whether a request announces a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** Checks what holds for a request to any address. @returns undefined when nothing is wrong */
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
