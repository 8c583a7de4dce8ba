import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Headers, HttpProblem } from './problem.ts';
import { TERMS } from './about.ts';
import { andThen } from './work.ts';
import { type ContentCoding, encodeContent } from './content-coding.ts';
import { sendWhole } from './identified-response.ts';
import type { Reply, ReplyPlace } from './replies.ts';

/** What a route returns for a 200. The body is put together only when it is needed. */
export interface Result {
  /**
   * Identifies all content that the body is made of; with the address, it identifies the response. A result without a tag must not be
   * cached.
   */
  tag?: string;
  /** The build, when the response belongs to one game. It goes into the head unchecked: build names are URL-safe. */
  build?: string;
  /** The media type, when it is not JSON. It goes into the head unchecked. */
  type?: string;
  /** The address of the same resource under its current id, for Content-Location. It goes into the head unchecked. */
  location?: string | undefined;
  /** The language tag of the body's texts, for Content-Language. It goes into the head unchecked. */
  language?: string | undefined;
  /** Request header fields that the response depends on, besides the key and the coding. They go into the head unchecked. */
  vary?: string;
  /** Whether the name of its place in the cache distinguishes what these header fields choose. */
  isNamed?: true;
  /** Further header fields, as lines that each end with CRLF, also of a 304. They go into the head unchecked. */
  lines?: string;
  body(): Body | Promise<Body>;
}

/** What a route returns for a response that lasts until the client stops listening. */
export interface StreamResult {
  stream(response: ServerResponse): Promise<void>;
}

/** The body of a result, and its header fields that are known only with the body. */
export interface Body {
  json: Buffer;
  /** Further links, as the value of a Link field (RFC 8288). It goes into the head unchecked: addresses are percent-encoded. */
  links?: string;
  /** How many records match, for X-Total-Count, where the bytes do not say it. */
  total?: number;
}

const EXPOSED =
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Game-Build, Repr-Digest, Content-Disposition, Content-Range, Content-Location, X-Request-Id, X-Total-Count, Deprecation, Sunset';
/** The media type of most responses. */
export const JSON_TYPE = 'application/json; charset=utf-8';
const TERMS_LINK = `<${TERMS}>; rel="terms-of-service"`;

const COMMON = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
  'X-Content-Type-Options': 'nosniff',
};
/** The header fields of every response: browsers of any origin may read it, and it links to the terms. */
export const COMMON_HEADERS = { ...COMMON, Link: TERMS_LINK };
/** The same fields without Link, because a response may add links. */
const COMMON_FIELDS = describeFields(COMMON);
const VARY = 'X-API-Key, Accept-Encoding';
const TERMS_FIELD = describeFields({ Link: TERMS_LINK });

/** Options of `sendResult`. */
interface SendOptions {
  /** The mark of the view, when the response depends only on it and the address. */
  view?: symbol | undefined;
  /** Header fields of this request's response only. */
  further?: Headers | undefined;
}

/** Returns whether the client already has the bytes of a result, so that its response is a 304. */
export function isUnchanged(request: IncomingMessage, result: Result, { coding }: ReplyPlace): boolean {
  return result.tag !== undefined && hasBytes(request, etagOf(request, result, coding));
}

/** Returns whether the client already has the bytes with an ETag; never for the empty ETag. */
export function hasBytes({ headers }: IncomingMessage, etag: string): boolean {
  return etag !== '' && matchesEtag(headers['if-none-match'], etag);
}

/** Returns whether a reply is enough for a request: a reply without bytes is only enough for a 304. */
export function suffices({ etag, bytes }: Reply, request: IncomingMessage): boolean {
  return bytes !== undefined || hasBytes(request, etag);
}

/** Sends a 200, or a 304 when the client already has the bytes; synchronously when the body is synchronous and not long and compressed. */
export function sendResult(
  request: IncomingMessage,
  response: ServerResponse,
  result: Result,
  { cache, name, coding, last }: ReplyPlace,
  { view, further }: SendOptions = {},
): void | Promise<void> {
  if (result.tag === undefined) {
    const making = makeReply(result, '', 'identity');
    return andThen(making, (reply) => sendReply(request, response, reply, further));
  }
  const etag = etagOf(request, result, coding);
  const takeOrMake = () => {
    if (last?.etag === etag && suffices(last, request)) return last;
    return hasBytes(request, etag) ? makeUnchanged(result, etag) : makeReply(result, etag, coding);
  };
  return andThen(takeOrMake(), (reply) => {
    // The name does not identify a response that depends on further header fields.
    if (view && (result.vary === undefined || result.isNamed)) reply.view = view;
    if (reply !== last) cache.offer(name, reply);
    sendReply(request, response, reply, further);
  });
}

function makeReply(result: Result, etag: string, asked: ContentCoding): Reply | Promise<Reply> {
  return andThen(result.body(), ({ json, links = '', total }) => {
    return andThen(encodeContent(json, asked), ({ bytes, coding }) => {
      const link = links === '' ? TERMS_LINK : `${TERMS_LINK}, ${links}`;
      const counted = total === undefined ? '' : `X-Total-Count: ${total}\r\n`;
      const content = `Link: ${link}\r\n${counted}Content-Type: ${result.type ?? JSON_TYPE}\r\nContent-Length: ${bytes.length}\r\n`;
      const contentFields = coding === 'identity' ? content : `${content}Content-Encoding: ${coding}\r\n`;
      return { etag, fields: fieldsOf(result, etag), contentFields, bytes };
    });
  });
}

/** Makes the reply for a client that already has the bytes. */
function makeUnchanged(result: Result, etag: string): Reply {
  return { etag, fields: fieldsOf(result, etag), contentFields: '', bytes: undefined };
}

/** Returns the header fields that a 304 has as well. */
function fieldsOf({ build, tag, vary, location, language, lines }: Result, etag: string): string {
  const gameField = build === undefined ? '' : `Game-Build: ${build}\r\n`;
  const located = location === undefined ? gameField : `${gameField}Content-Location: ${location}\r\n`;
  const inLanguage = language === undefined ? located : `${located}Content-Language: ${language}\r\n`;
  const game = lines === undefined ? inLanguage : inLanguage + lines;
  if (tag === undefined) return `${COMMON_FIELDS}${game}Cache-Control: no-store\r\n`;
  const also = vary === undefined ? '' : `, ${vary}`;
  return `${COMMON_FIELDS}${game}ETag: ${etag}\r\nCache-Control: private, no-cache\r\nVary: ${VARY}${also}\r\n`;
}

/**
 * Sends a reply, or a 304 when the client already has the bytes.
 *
 * @param further header fields of this request's response only
 */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  further?: Headers,
): void {
  const { etag, fields, contentFields, bytes } = reply;
  const isKnown = hasBytes(request, etag);
  const head = fields + (isKnown ? TERMS_FIELD : contentFields) + (further ? describeFields(further) : '');
  const sent = isKnown || request.method === 'HEAD' ? undefined : bytes;
  sendWhole(response, isKnown ? 304 : 200, head, sent);
}

/** Writes header fields as lines of a head. */
function describeFields(headers: Headers): string {
  let fields = '';
  for (const name in headers) fields += `${name}: ${headers[name]}\r\n`;
  return fields;
}

function etagOf({ url }: IncomingMessage, { type = JSON_TYPE, tag }: Result, coding: ContentCoding): string {
  return makeEtag(type, tag as string, url as string, coding);
}

/**
 * Sends an error as `application/problem+json`.
 *
 * @param further header fields of this request's response only
 */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: HttpProblem,
  further: Headers = {},
): void {
  const bytes = Buffer.from(JSON.stringify(problem));
  response
    .writeHead(problem.status, {
      ...COMMON_HEADERS,
      ...further,
      ...problem.headers,
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'Content-Length': bytes.length,
    })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

/** Part of every ETag. Raise it when the form of responses changes: then no response in a client's cache is valid any more. */
const SERIALIZER = 2;

/** How many digests are kept for each media type: few are in use at a time, each at many addresses. */
const MAX_DIGESTS = 1000;
const digests = new Map<string, LRUCache<string, string>>();

/**
 * Makes a strong ETag. It only has to distinguish responses of one address, but contains a checksum of the address, so that a client
 * that mixes up two addresses gets no 304.
 *
 * @param type the media type
 * @param tag with the address, identifies all that the response is made of
 */
function makeEtag(type: string, tag: string, target: string, coding: ContentCoding): string {
  return `"${checksum(target).toString(36)}-${digestOf(type, tag)}-${coding}"`;
}

function digestOf(type: string, tag: string): string {
  let digestsOfType = digests.get(type);
  if (digestsOfType === undefined) {
    digestsOfType = new LRUCache({ max: MAX_DIGESTS });
    digests.set(type, digestsOfType);
  }
  let digest = digestsOfType.get(tag);
  if (digest === undefined) {
    digest = hash('sha256', `${SERIALIZER} ${type} ${tag}`, 'base64url').slice(0, 27);
    digestsOfType.set(tag, digest);
  }
  return digest;
}

/** FNV-1a of the UTF-16 code units, as an unsigned 32-bit integer. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}

/** Returns whether If-None-Match (RFC 9110, 13.1.2) contains the tag. The comparison is weak, since proxies that compress weaken tags. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === etag || candidate === `W/${etag}`;
  });
}
