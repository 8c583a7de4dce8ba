import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import Negotiator from 'negotiator';
import proxyAddr from 'proxy-addr';
import type { Html } from './html.ts';
import { type HttpProblem, invalidParameter, quote, suggest } from './problem.ts';

/** The decoded pairs of a query string, in order. */
export type RawQuery = readonly (readonly [name: string, value: string])[];

/** The most characters of a name in a query string of the API. */
const MAX_NAME_LENGTH = 200;

/**
 * Checks the names in a query string before anything parses them.
 *
 * @throws HttpProblem at the first name that is too long
 */
export function checkNames(query: RawQuery): void {
  const long = query.find(([name]) => name.length > MAX_NAME_LENGTH)?.[0];
  if (long === undefined) return;
  const fault = `a parameter has a name of ${long.length} characters, ${quote(long)}`;
  throw invalidParameter('query', `${fault}; expected at most ${MAX_NAME_LENGTH}`);
}

/** @returns the values in the order of the request; undefined if there are none */
export function valuesOf(query: RawQuery, parameter: string): string[] | undefined {
  const values = query.flatMap(([name, value]) => (name === parameter ? [value] : []));
  return values.length > 0 ? values : undefined;
}

/** Returns the value of a parameter that may be given once. @param values as given @throws HttpProblem */
export function readOnce(name: string, values: readonly string[] = []): string | undefined {
  if (values.length <= 1) return values[0];
  throw invalidParameter(name, `${name} was given ${values.length} times, expected once`);
}

/** @returns the value of a parameter that may be given once @throws HttpProblem */
export function readOne(query: RawQuery, name: string): string | undefined {
  return readOnce(name, valuesOf(query, name));
}

/** Returns the value of a parameter that is one of a few words. @throws HttpProblem */
export function readWord<Word extends string>(
  query: RawQuery,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = readOne(query, name);
  const word = words.find((each) => each === text);
  if (word === text) return word;
  const few = words.length < 3;
  const expected = few ? `, expected ${words.join(' or ')}` : `; expected one of ${words.join(', ')}`;
  throw invalidParameter(name, `${name} is ${quote(text ?? '')}${suggest(text ?? '', words)}${expected}`);
}

/** Returns the value of a parameter that is a whole number. @throws HttpProblem */
export function readWhole(query: RawQuery, name: string, min: number, max?: number): number | undefined {
  const text = readOne(query, name);
  return text === undefined ? undefined : parseWhole(name, text, min, max);
}

/** Reads a whole number. @throws HttpProblem */
export function parseWhole(name: string, text: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const most = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
  throw invalidParameter(name, `${name} is ${quote(text)}, expected a whole number from ${min}${most}`);
}

/** Splits a comma-separated list, whose parts may be in repeated parameters. @throws HttpProblem */
export function splitList(parameter: string, values: readonly string[]): string[] {
  const text = values.length === 1 ? (values[0] as string) : values.join();
  const parts = text.includes(',') ? text.split(',') : [text];
  if (!parts.includes('')) return parts;
  const fault = `${parameter} has an empty part, expected names separated by single commas`;
  throw invalidParameter(parameter, fault);
}

/** Returns the distinct names in a required parameter. @param what the names are called in messages @throws HttpProblem */
export function readNames(query: RawQuery, parameter: string, max: number, what: string): string[] {
  const expected = `expected 1 to ${max} ${what} separated by commas`;
  const values = valuesOf(query, parameter);
  if (values === undefined) throw invalidParameter(parameter, `${parameter} is missing, ${expected}`);
  const names = splitList(parameter, values);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (names.length > max)
    throw invalidParameter(parameter, `${parameter} names ${names.length} ${what}, ${expected}`);
  if (twice === undefined) return names;
  throw invalidParameter(parameter, `${parameter} names ${quote(twice)} twice, expected different ${what}`);
}

/**
 * Splits and decodes a query string (`a=1&b=x+y`), strictly.
 *
 * @param text without its `?`
 * @returns undefined when the percent-encoding is malformed
 */
export function parseRawQuery(text: string): RawQuery | undefined {
  const pairs: [string, string][] = [];
  const read = /[%+]/.test(text) ? decode : (part: string) => part;
  try {
    for (const pair of text.split('&')) {
      const equals = pair.includes('=') ? pair.indexOf('=') : pair.length;
      if (pair !== '') pairs.push([read(pair.slice(0, equals)), read(pair.slice(equals + 1))]);
    }
  } catch {
    return undefined;
  }
  return pairs;
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/**
 * Called once per response, when it has been sent or its connection has closed. It runs for every request, so it must neither throw nor allocate.
 *
 * @param of the request
 * @param status of the response, even if the connection closed before all of it was sent
 * @param ms the duration
 */
export type ResponseObserver = (of: Pick<Incoming, 'pattern' | 'tier'>, status: number, ms: number) => void;

/** A request while the gateway responds to it. */
export interface Incoming extends IncomingMessage {
  /** The target's path as sent. `search` is the rest, with its `?`. */
  path: string;
  search: string;
  /** The parameters in the path, decoded; set by the router. */
  params: Readonly<Record<string, string>>;
  /** The prefix of its key, once known; for the access log. */
  keyPrefix?: string;
  /** The id of its account, once known. */
  account?: string;
  /** The tier of its caller, once known; for metrics. */
  tier?: string;
  /** The path it was routed by, with `:name` for parameters; for metrics. Undefined if no route matched. */
  pattern?: string;
  /** The layout of the gateway's pages. */
  frame: PageFrame;
}

/** The layout of pages: what surrounds the content of each. */
export interface PageFrame {
  /** Renders a page. Its title is also its heading. */
  render(page: FramedPage): string;
  sendProblem(request: IncomingMessage, response: ServerResponse, problem: HttpProblem): void;
}

/** The content of a page inside its frame. */
export interface FramedPage {
  title: string;
  path: string;
  /** The width of the content: a column of text, as much as tables need, or the whole window. */
  width: 'text' | 'wide';
  /** The JavaScript islands of the page, besides those of all pages. */
  islands: readonly string[];
  /** The content below the heading. */
  body: Html;
}

/** Handles one method of an address. An error that it throws is sent as a problem. */
export type EndpointHandler = (request: Incoming, response: ServerResponse) => void | Promise<void>;

/** Responds with a file, or calls `next` if there is none. */
export type FileHandler = (request: Incoming, response: ServerResponse, next: () => void) => void;

/** An address outside of the API, with a handler for each of its methods. HEAD is handled as GET. */
export interface Endpoint {
  /** Exact, with `:name` for parameters. */
  path: string;
  get?: EndpointHandler | undefined;
  post?: EndpointHandler | undefined;
}

/** Returns the IP address that a request comes from. */
export type ClientAddress = (request: IncomingMessage) => string;

/** The proxies in front of the gateway, whose header fields are trusted. */
export interface TrustedProxies {
  exist: boolean;
  clientAddress: ClientAddress;
  isFromProxy(request: IncomingMessage): boolean;
}

/**
 * Reads the list of proxies whose X-Forwarded-For and X-Request-Id are trusted.
 *
 * @param text the number of proxies in front of the gateway, or their addresses separated by commas: IP addresses, CIDR ranges,
 *   `loopback`, `linklocal` and `uniquelocal`; empty for none
 * @throws TypeError if it is neither
 */
export function readTrustedProxies(text: string): TrustedProxies {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  const hops = /^\d+$/.test(names.join()) ? Number(names[0]) : undefined;
  const trustNamed = hops === undefined && names.length > 0 ? proxyAddr.compile(names) : () => false;
  const trust = (address: string, hop: number) =>
    hops === undefined ? trustNamed(address, hop) : hop < hops;
  return {
    exist: names.length > 0 && hops !== 0,
    clientAddress(request) {
      const address = proxyAddr(request, trust);
      return isIP(address) ? address : (request.socket.remoteAddress ?? '');
    },
    isFromProxy({ socket }) {
      return socket.remoteAddress !== undefined && trust(socket.remoteAddress, 0);
    },
  };
}

/** Clients send some hundred characters at most. A longer Accept is ignored: reading it can take milliseconds. */
export const MAX_ACCEPT_LENGTH = 1000;

/** Returns whether a client prefers a media type to `application/json`, by its Accept header (RFC 9110, 12.5.1). */
export function prefersType(accept: string | undefined, type: string): boolean {
  if (accept !== undefined && accept.length > MAX_ACCEPT_LENGTH) return false;
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', type]) === type;
}

/** Longer request targets get a 414. */
export const MAX_TARGET_BYTES = 8 * 1024;

/** Returns whether an address requires a key. */
export function isApi(path: string): boolean {
  return /^\/api(\/|$)/i.test(path);
}
