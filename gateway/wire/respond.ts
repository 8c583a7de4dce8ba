import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Headers, HttpProblem } from '../http/problem.ts';
import { TERMS } from '../lib/about.ts';
import { andThen } from '../lib/and-then.ts';
import { type ContentCoding, encodeContent } from './content-coding.ts';
import { makeEtag, matchesEtag } from './etag.ts';
import type { Reply, ReplyPlace } from './reply-cache.ts';
import { sendWhole } from './send-whole.ts';

/** A 200 in the making. The body is only put together when somebody needs it. */
export interface Result {
  /**
   * Stands for all content that the body is made of; with the address it tells answers apart. An answer without one holds
   * for this moment only: nobody may keep it.
   */
  tag?: string;
  /** The build, where the answer belongs to one game; goes into the head as it is, as its name is URL-safe. */
  build?: string;
  /** The media type, where it is not JSON plainly; goes into the head as it is. */
  type?: string;
  /** Header fields of the request that the answer depends on, besides the key and the coding; goes into the head as it is. */
  vary?: string;
  body(): Body | Promise<Body>;
}

/** An answer that goes on for as long as the client listens. */
export interface StreamResult {
  stream(response: ServerResponse): Promise<void>;
}

/** What an answer is made of, besides what is known before. */
export interface Body {
  /** The answer's bytes. Those of a draft only where the body is there at once: the next draft may be made in the same memory. */
  json: Buffer;
  /** Its further links, as the value of a field Link (RFC 8288): addresses percent-encoded, because nothing checks it. */
  links?: string;
}

const EXPOSED =
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Game-Build, Repr-Digest, Content-Disposition, Content-Range';
/** The media type of most answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';
const TERMS_LINK = `<${TERMS}>; rel="terms-of-service"`;

const COMMON = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
  'X-Content-Type-Options': 'nosniff',
};
/** On every answer: browsers of any origin may read it, and it says under which terms. */
export const COMMON_HEADERS = { ...COMMON, Link: TERMS_LINK };
/** The same but for the links, of which an answer may have more. */
const COMMON_FIELDS = describeFields(COMMON);
const VARY = 'X-API-Key, Accept-Encoding';
const TERMS_FIELD = describeFields({ Link: TERMS_LINK });

/** What an answer is sent with. */
interface SendOptions {
  /** The mark of all that the answer is made of, with the address; absent where it is made of more. */
  view?: symbol | undefined;
  /** Header fields that hold for this request. */
  further?: Headers | undefined;
}

/** Whether the client has the very bytes that it asks for: its answer is a 304. */
export function isUnchanged(request: IncomingMessage, result: Result, { coding }: ReplyPlace): boolean {
  return result.tag !== undefined && hasBytes(request, etagOf(request, result, coding));
}

/** Whether the client says that it has the bytes of a reply; nobody has those of one that may not be kept. */
export function hasBytes({ headers }: IncomingMessage, etag: string): boolean {
  return etag !== '' && matchesEtag(headers['if-none-match'], etag);
}

/** Whether a reply is enough for a request: one without bytes is for clients that have them. */
export function suffices({ etag, bytes }: Reply, request: IncomingMessage): boolean {
  return bytes !== undefined || hasBytes(request, etag);
}

/** Sends a 200, or a 304 where the client has these very bytes; at once where the body is there at once and needs no coding. */
export function sendResult(
  request: IncomingMessage,
  response: ServerResponse,
  result: Result,
  { cache, name, coding, kept }: ReplyPlace,
  { view, further }: SendOptions = {},
): void | Promise<void> {
  if (result.tag === undefined) {
    const making = makeReply(result, '', 'identity');
    return andThen(making, (reply) => sendReply(request, response, reply, further));
  }
  const etag = etagOf(request, result, coding);
  const takeOrMake = () => {
    if (kept?.etag === etag && suffices(kept, request)) return kept;
    return hasBytes(request, etag) ? makeUnchanged(result, etag) : makeReply(result, etag, coding);
  };
  return andThen(takeOrMake(), (reply) => {
    // Of what depends on other header fields too, the name does not tell all.
    if (view && result.vary === undefined) reply.view = view;
    // To code bytes costs far more than to keep them.
    if (reply !== kept && (reply.isCoded || cache.isAskedAgain(etag))) cache.set(name, reply);
    sendReply(request, response, reply, further);
  });
}

function makeReply(result: Result, etag: string, asked: ContentCoding): Reply | Promise<Reply> {
  return andThen(result.body(), ({ json, links = '' }) =>
    andThen(encodeContent(json, asked), ({ bytes, coding }) => {
      const link = links === '' ? TERMS_LINK : `${TERMS_LINK}, ${links}`;
      const content = `Link: ${link}\r\nContent-Type: ${result.type ?? JSON_TYPE}\r\nContent-Length: ${bytes.length}\r\n`;
      const isCoded = coding !== 'identity';
      const contentFields = isCoded ? `${content}Content-Encoding: ${coding}\r\n` : content;
      return { etag, fields: fieldsOf(result, etag), contentFields, bytes, isCoded };
    }),
  );
}

/** The reply for clients that have its bytes already. */
function makeUnchanged(result: Result, etag: string): Reply {
  return { etag, fields: fieldsOf(result, etag), contentFields: '', bytes: undefined, isCoded: false };
}

/** The header fields of an answer that the 304 in its place has as well. */
function fieldsOf({ build, tag, vary }: Result, etag: string): string {
  const game = build === undefined ? '' : `Game-Build: ${build}\r\n`;
  if (tag === undefined) return `${COMMON_FIELDS}${game}Cache-Control: no-store\r\n`;
  const also = vary === undefined ? '' : `, ${vary}`;
  return `${COMMON_FIELDS}${game}ETag: ${etag}\r\nCache-Control: private, no-cache\r\nVary: ${VARY}${also}\r\n`;
}

/**
 * Sends a reply, or the 304 in its place where the client has these very bytes.
 *
 * @param further header fields that hold for this request
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
  sendWhole(response, isKnown ? 304 : 200, head, isKnown || request.method === 'HEAD' ? undefined : bytes);
}

/** Header fields as lines of a head. */
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
 * @param further header fields that hold for this request
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
