// Responses. Only this file makes the status, header fields, coding, ETag and 304 of a response, and writes it to the socket.
import { hash } from 'node:crypto';
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { Tier } from '../access/account.ts';
import { batchPerTick, redactKeys } from './log.ts';
import { type Headers, type HttpProblem, TERMS } from './problem.ts';

/** A route's result for a 200. The body is made only if it is needed. Texts are written into the head unchecked. */
export interface Result {
  /** Identifies the content of the body; together with the address, it identifies the response. Without a tag, the response must not be cached. */
  tag?: string;
  /** The build, if the response belongs to one game. */
  build?: string;
  /** The media type, if it is not JSON. */
  type?: string;
  /** The address of the same resource under its current id, for Content-Location. */
  location?: string | undefined;
  /** The language tag of the body's texts, for Content-Language. */
  language?: string | undefined;
  /** Request header fields that the response depends on, besides the key and the coding. */
  vary?: string;
  /** Further header fields, each line ended by CRLF; a 304 has them too. */
  lines?: string;
  body(): Body | Promise<Body>;
}

/** The body of a result, and its header fields that are known only with the body. */
export interface Body {
  json: Buffer | Joined;
  /** Further links, as the value of a Link field (RFC 8288). */
  links?: string;
  /** How many records match, for X-Total-Count, if the bytes do not contain it. */
  total?: number;
}

const COMMA = 0x2c;
const SEPARATOR = Buffer.from(',');
/** Records of a list that are longer than this on average are written without a copy. */
const LONG_RECORD_BYTES = 4096;

/** A text, records with commas between them, and an end. They are joined only when they are written, together with the head. */
export class Joined {
  readonly length: number;
  readonly head: string;
  readonly records: readonly Buffer[];
  readonly end: string;

  constructor(head: string, records: readonly Buffer[], end: string) {
    this.head = head;
    this.records = records;
    this.end = end;
    let length = Buffer.byteLength(head) + Buffer.byteLength(end) + Math.max(0, records.length - 1);
    for (let at = 0; at < records.length; at++) length += (records[at] as Buffer).length;
    this.length = length;
  }

  /** Copies the bytes to a place in memory, and returns where they end. */
  copyTo(memory: Buffer, start: number): number {
    const { records } = this;
    let at = start + memory.write(this.head, start);
    for (let index = 0; index < records.length; index++) {
      if (index > 0) memory[at++] = COMMA;
      const record = records[index] as Buffer;
      memory.set(record, at);
      at += record.length;
    }
    return at + memory.write(this.end, at);
  }

  /** Returns the bytes in several pieces if the records are long, which costs less than to copy them; else in one. */
  pieces(): Buffer[] {
    if (this.length < LONG_RECORD_BYTES * this.records.length) return [bytesOf(this)];
    const records = this.records.flatMap((record, at) => (at === 0 ? [record] : [SEPARATOR, record]));
    return [Buffer.from(this.head), ...records, Buffer.from(this.end)];
  }
}

/** Returns the bytes of a body in one piece. */
export function bytesOf(json: Buffer | Joined): Buffer {
  if (Buffer.isBuffer(json)) return json;
  const bytes = Buffer.allocUnsafe(json.length);
  json.copyTo(bytes, 0);
  return bytes;
}

/** The parts of a 200 that are the same for every request of it. */
export interface Reply {
  /** Empty if the response must not be cached. */
  etag: string;
  /** The header fields that a 304 has too, each line ended by CRLF. */
  fields: string;
  /** The header fields that a 304 lacks: Link, and those about the bytes. */
  contentFields: string;
  /** Absent until a client requests it that does not have the bytes. */
  bytes: Buffer | Joined | undefined;
  /**
   * The mark of the view that it was made from: the same request in the same view has the same reply. Absent if the reply depends on anything else.
   */
  view?: symbol;
}

/** The place of a reply in the cache. */
export interface ReplyPlace {
  cache: ReplyCache;
  /** The cache's key: two requests with the same name and the same view have the same reply. */
  name: string;
  /** The coding that the client prefers. */
  coding: ContentCoding;
  /** The reply in the cache, if any, made from any view. */
  last: Reply | undefined;
}

/** The approximate memory of a cache entry without its texts and bytes. */
const ENTRY_BYTES = 1500;
/** How many addresses that were requested once are remembered; a power of two. */
const SLOTS = 1 << 16;

/** A cache of replies that were requested more than once: a reply to a single request uses no memory and displaces no other. */
export class ReplyCache {
  readonly #replies: LRUCache<string, Reply>;
  readonly #askedOnce = new Int32Array(SLOTS);

  /** @param maxSize in bytes */
  constructor(maxSize: number) {
    this.#replies = new LRUCache({
      maxSize,
      sizeCalculation: ({ bytes, fields, contentFields }, name) =>
        ENTRY_BYTES + name.length + fields.length + contentFields.length + (bytes?.length ?? 0),
    });
  }

  /**
   * Looks up the place of the reply to a request.
   *
   * @param tier the caller's; undefined for an address that requires no key
   * @param form of the response, where the Accept header chooses it; empty for JSON
   */
  placeOf({ headers, url }: IncomingMessage, tier: Tier | undefined, form = ''): ReplyPlace {
    const coding = negotiateCoding(headers['accept-encoding']);
    const name = `${tier} ${coding} ${url}${form}`;
    return { cache: this, name, coding, last: this.#replies.get(name) };
  }

  /** Stores a reply if it is worth the memory; always if it replaces one with the same name. @param sum the checksum of the address */
  offer(name: string, reply: Reply, sum: number): void {
    if (!this.#replies.has(name) && !this.#wasAsked(sum)) return;
    if (reply.bytes) reply.bytes = bytesOf(reply.bytes);
    this.#replies.set(name, reply);
  }

  /** Returns whether an address was requested before, and remembers it by its checksum. */
  #wasAsked(sum: number): boolean {
    const slot = sum & (SLOTS - 1);
    if (this.#askedOnce[slot] === sum) return true;
    this.#askedOnce[slot] = sum;
    return false;
  }
}

const EXPOSED =
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Game-Build, Repr-Digest, Content-Disposition, Content-Range, Content-Location, X-Request-Id, X-Total-Count';
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
/** The same without Link, because a response may add links. */
const COMMON_FIELDS = describeFields(COMMON);
const TERMS_FIELD = describeFields({ Link: TERMS_LINK });

/** Returns whether the client already has the bytes; always false for the empty ETag. */
export function hasBytes({ headers }: IncomingMessage, etag: string): boolean {
  return etag !== '' && matchesEtag(headers['if-none-match'], etag);
}

/** Returns whether the client already has the bytes of a result, so that its response is a 304. */
export function isUnchanged(request: IncomingMessage, result: Result, { coding }: ReplyPlace): boolean {
  const sum = checksum(request.url as string);
  return result.tag !== undefined && hasBytes(request, etagOf(sum, result, coding));
}

/** Returns whether a reply has what a request needs: without bytes, it is only enough for a 304. */
export function suffices({ etag, bytes }: Reply, request: IncomingMessage): boolean {
  return bytes !== undefined || hasBytes(request, etag);
}

/**
 * Sends a 200, or a 304 if the client already has the bytes; synchronously unless the body is asynchronous, or long and compressed.
 *
 * @param view the mark of the view, if the response depends only on it and the address
 * @param further header fields of this request's response only
 */
export function sendResult(
  request: IncomingMessage,
  response: ServerResponse,
  result: Result,
  { cache, name, coding, last }: ReplyPlace,
  { view, further }: { view?: symbol | undefined; further?: Headers | undefined } = {},
): void | Promise<void> {
  const sum = checksum(request.url as string);
  const etag = result.tag === undefined ? '' : etagOf(sum, result, coding);
  const isKept = last?.etag === etag && suffices(last, request);
  return andThen(isKept ? last : makeReply(result, etag, coding, hasBytes(request, etag)), (reply) => {
    if (view) reply.view = view;
    if (reply !== last && etag !== '') cache.offer(name, reply, sum);
    sendReply(request, response, reply, further);
  });
}

/** @param isUnchanged whether the client already has the bytes, so that none are made */
function makeReply(
  result: Result,
  etag: string,
  asked: ContentCoding,
  isUnchanged: boolean,
): Reply | Promise<Reply> {
  const fields = fieldsOf(result, etag);
  if (isUnchanged) return { etag, fields, contentFields: '', bytes: undefined };
  return andThen(result.body(), ({ json, links = '', total }) => {
    const coding = json.length < MIN_BYTES ? 'identity' : asked;
    const coded = coding === 'identity' ? json : compress(bytesOf(json), coding);
    return andThen<Body['json'], Reply>(coded, (bytes) => {
      const link = links === '' ? TERMS_LINK : `${TERMS_LINK}, ${links}`;
      const counted = total === undefined ? '' : `X-Total-Count: ${total}\r\n`;
      const encoded = coding === 'identity' ? '' : `Content-Encoding: ${coding}\r\n`;
      const contentFields = `Link: ${link}\r\n${counted}Content-Type: ${result.type ?? JSON_TYPE}\r\nContent-Length: ${bytes.length}\r\n${encoded}`;
      return { etag, fields, contentFields, bytes };
    });
  });
}

/** Returns the header fields that a 304 has as well. */
function fieldsOf({ build, tag, vary, location, language, lines = '' }: Result, etag: string): string {
  const game = build === undefined ? '' : `Game-Build: ${build}\r\n`;
  const place = location === undefined ? '' : `Content-Location: ${location}\r\n`;
  const texts = language === undefined ? '' : `Content-Language: ${language}\r\n`;
  const own = `${COMMON_FIELDS}${game}${place}${texts}${lines}`;
  const cached = tag === undefined ? 'no-store' : `private, no-cache\r\nETag: ${etag}`;
  const also = vary === undefined ? '' : `, ${vary}`;
  return `${own}Cache-Control: ${cached}\r\nVary: X-API-Key, Accept-Encoding${also}\r\n`;
}

/** Sends a reply, or a 304 if the client already has the bytes. @param further header fields of this request's response only */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { etag, fields, contentFields, bytes }: Reply,
  further?: Headers,
): void {
  const isKnown = hasBytes(request, etag);
  const head = fields + (isKnown ? TERMS_FIELD : contentFields) + (further ? describeFields(further) : '');
  const sent = isKnown || request.method === 'HEAD' ? undefined : bytes;
  hold({ response, status: isKnown ? 304 : 200, fields: head, bytes: sent });
}

/** Writes header fields as lines of a head. */
export function describeFields(headers: Headers): string {
  let fields = '';
  for (const name in headers) fields += `${name}: ${headers[name]}\r\n`;
  return fields;
}

/** Sends a text that must not be cached. */
export function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, text }: { status: number; headers: Headers; text: string },
): void {
  const bytes = Buffer.from(text);
  response
    .writeHead(status, { 'Cache-Control': 'no-store', ...headers, 'Content-Length': bytes.length })
    .end(request.method === 'HEAD' ? undefined : bytes);
}

/** Sends an error as `application/problem+json`. @param further header fields of this request's response only */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: HttpProblem,
  further: Headers = {},
): void {
  const { status, headers: own } = problem;
  const headers = { ...COMMON_HEADERS, ...further, ...own, 'Content-Type': 'application/problem+json' };
  sendText(request, response, { status, headers, text: redactKeys(JSON.stringify(problem)) });
}

/** A part of every ETag. Increase it when the form or the compression of responses changes, to invalidate the caches of all clients. */
const SERIALIZER = 3;
/** How many digests are kept: few are in use at a time, each by many addresses. */
const digests = new LRUCache<string, string>({ max: 1000 });

/**
 * Makes a strong ETag from three parts: a checksum of the address, so that a client that mixes up two addresses gets no 304; a digest of the content,
 * which all pages of a list share; and the coding.
 */
function etagOf(sum: number, { type = JSON_TYPE, tag = '' }: Result, coding: ContentCoding): string {
  const name = type === JSON_TYPE ? tag : `${tag} ${type}`;
  let digest = digests.get(name);
  if (digest === undefined) {
    digest = hash('sha256', `${SERIALIZER} ${type} ${tag}`, 'base64url').slice(0, 27);
    digests.set(name, digest);
  }
  return `"${sum.toString(36)}-${digest}-${coding}"`;
}

/** FNV-1a of the UTF-16 code units, as an unsigned integer of 31 bits: V8 writes larger ones as doubles, which takes eight times as long. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 1;
}

/** Returns whether If-None-Match (RFC 9110, 13.1.2) contains the tag. The comparison is weak, since proxies that compress weaken tags. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined || header === etag) return header === etag;
  const known = ['*', etag, `W/${etag}`];
  return header.split(',').some((part) => known.includes(part.trim()));
}

/** Longer than load balancers keep an idle connection, so that they never use one that is being closed. */
export const KEEP_ALIVE_SECONDS = 65;
export const REQUEST_ID = 'X-Request-Id';
/** Makes browsers use only https for a year (RFC 6797). */
const HTTPS_ONLY = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/** A response with the id of its request in its head. */
export class IdentifiedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** Written into the head unchecked. */
  requestId = '';
  /** Whether it tells browsers to use only https. */
  isHttpsOnly = false;
  /** How many bytes were sent, head included; set when all of them were passed to the connection. */
  bytesSent: number | undefined;

  override writeHead(status: number, headers?: unknown): this {
    this.setHeader(REQUEST_ID, this.requestId);
    if (this.isHttpsOnly) this.setHeader(...HTTPS_ONLY);
    // With pipelining, the next response begins before this one's 'close'.
    this.prependListener('finish', () => {
      this.bytesSent = countBytes(this.req.socket);
    });
    return super.writeHead(status, headers as OutgoingHttpHeaders);
  }
}

/** Returns how many bytes a connection has sent since the last response, head included. */
export function countBytes(socket: Socket & { bytesLogged?: number }): number {
  const { bytesWritten, bytesLogged = 0 } = socket;
  socket.bytesLogged = bytesWritten;
  return bytesWritten - bytesLogged;
}

/** Writes a response with node:http, which may delay the bytes. */
function writePlainly({ response, status, fields, bytes }: Ready): void {
  const lines = fields.split('\r\n').slice(0, -1);
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/, 2)));
  response.writeHead(status, headers).end(bytes && bytesOf(bytes));
}

/** The last lines of a head. */
const CONNECTION = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n\r\n`;
const HTTPS_ONLY_LINE = `${HTTPS_ONLY.join(': ')}\r\n`;
/** How many responses are held back before they are written. */
const MAX_HELD = 64;
/** A longer response is written in several pieces. */
const MAX_PIECE_BYTES = 80 * 1024;

/** A response that is ready to be sent. */
interface Ready {
  response: ServerResponse;
  status: number;
  /** Lines of the head, each ended by CRLF. They are sent unchecked: values must be Latin-1 without control characters. */
  fields: string;
  bytes: Buffer | Joined | undefined;
}

/** Joins head and body; reused once the socket has accepted the bytes. */
let memory = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
let second = { at: Number.NaN, text: '' };

/**
 * Holds back the responses of a tick and writes them together after the current microtasks: a client with several responses wakes up once, and the
 * code of the gateway and of the kernel stays in the processor's caches.
 */
export const hold = batchPerTick<Ready>(
  (held) => {
    for (const ready of held) {
      const { req, socket, shouldKeepAlive } = ready.response;
      const isUsual = socket?.writableLength === 0 && shouldKeepAlive && req.httpVersion === '1.1';
      if (isUsual && ready.response instanceof IdentifiedResponse) write(ready, ready.response, socket);
      else writePlainly(ready);
    }
  },
  MAX_HELD,
  process.nextTick,
);

/**
 * Writes head and body in one piece, without node:http, which takes longer for this than the gateway takes to find most responses. node:http still
 * writes a response that waits for another, and the last one of a connection, as in HTTP/1.0.
 */
function write({ status, fields, bytes }: Ready, response: IdentifiedResponse, socket: Socket): void {
  response.statusCode = status;
  const own = `${REQUEST_ID}: ${response.requestId}\r\n${response.isHttpsOnly ? HTTPS_ONLY_LINE : ''}`;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  const head = `${line}${fields}${own}Date: ${describeNow()}\r\n${CONNECTION}`;
  // node:http then continues with the connection's next request, as after its own `end`.
  const finish = (error?: Error | null) => {
    if (!error) response.emit('finish');
  };
  if (bytes !== undefined && head.length + bytes.length > MAX_PIECE_BYTES) {
    socket.cork();
    socket.write(head, 'latin1');
    const pieces = Buffer.isBuffer(bytes) ? [bytes] : bytes.pieces();
    const last = pieces.pop() as Buffer;
    for (const piece of pieces) socket.write(piece);
    socket.write(last, finish);
    socket.uncork();
  } else {
    const length = memory.write(head, 'latin1');
    if (Buffer.isBuffer(bytes)) memory.set(bytes, length);
    else bytes?.copyTo(memory, length);
    socket.write(memory.subarray(0, length + (bytes?.length ?? 0)), finish);
    if (socket.writableLength > 0) memory = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
  }
  response.bytesSent = countBytes(socket);
}

/** The value of Date, computed once a second. */
function describeNow(): string {
  const at = Math.floor(Date.now() / 1000);
  if (at !== second.at) second = { at, text: new Date(at * 1000).toUTCString() };
  return second.text;
}

export type ContentCoding = 'identity' | 'gzip' | 'br';

const OFFERED: ContentCoding[] = ['br', 'gzip', 'identity'];
/** Compression hardly shortens smaller responses. */
const MIN_BYTES = 1024;
/** Up to this length, compression takes less time in the responding thread than waiting for another one. */
const SHORT_BYTES = 64 * 1024;
/** The levels and the unit in which memory is allocated; Node.js has just under 4 KiB of memory ready. */
const SHORT = { level: 1, quality: 1, chunkSize: 4095 };
const LONG = { level: 6, quality: 4, chunkSize: 64 * 1024 };
/** Clients send about ten characters. A longer header is ignored: reading it can take milliseconds. */
const MAX_HEADER_LENGTH = 500;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
const negotiated = new LRUCache<string, ContentCoding>({ max: 200 });

/** Chooses the coding by Accept-Encoding (RFC 9110, 12.5.3), which Node joins if it is repeated; br before gzip if both have the same weight. */
export function negotiateCoding(acceptEncoding: string | string[] | undefined): ContentCoding {
  if (typeof acceptEncoding !== 'string' || acceptEncoding.length > MAX_HEADER_LENGTH) return 'identity';
  let coding = negotiated.get(acceptEncoding);
  if (coding === undefined) {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
    coding = (negotiator.encoding(OFFERED, { preferred: ['br', 'gzip'] }) ?? 'identity') as ContentCoding;
    negotiated.set(acceptEncoding, coding);
  }
  return coding;
}

/** Compresses bytes; synchronously unless they are long. */
function compress(bytes: Buffer, coding: 'gzip' | 'br'): Buffer | Promise<Buffer> {
  const isShort = bytes.length <= SHORT_BYTES;
  const { level, quality, chunkSize } = isShort ? SHORT : LONG;
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  if (coding === 'br') return (isShort ? brotliCompressSync : brotliAsync)(bytes, { params, chunkSize });
  return (isShort ? gzipSync : gzipAsync)(bytes, { level, chunkSize });
}

/** Calls `work` with a value: synchronously unless it is a promise. Promises for existing values would cost every request time and garbage. */
export function andThen<T, R>(value: T | Promise<T>, work: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(work) : work(value);
}

/** Does work. If it throws or rejects, returns what `recover` makes of the error. */
export function orElse<T>(
  work: () => T | Promise<T>,
  recover: (error: unknown) => T | Promise<T>,
): T | Promise<T> {
  try {
    const working = work();
    return working instanceof Promise ? working.catch(recover) : working;
  } catch (error) {
    return recover(error);
  }
}
