import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { TERMS } from '../about.ts';
import { type ContentCoding, encodeContent, negotiateCoding } from './content-coding.ts';
import type { Headers, HttpProblem } from './problem.ts';

/** Part of every ETag: another number here, and no cached answer counts any more. Raise it when the form of answers changes. */
const SERIALIZER = 1;

/** A 200 in the making. The body is only put together when somebody needs it. */
export interface Answer {
  /**
   * Stands for all content that the body is made of; with the address it tells answers apart. An answer without one holds
   * for this moment only: nobody may keep it.
   */
  tag?: string;
  /** The build, where the answer belongs to one game. */
  build?: string;
  /** The media type, where it is not JSON plainly. */
  type?: string;
  /** Header fields of the request that the answer depends on, besides the key and the coding. */
  vary?: string;
  body(): Body | Promise<Body>;
}

/** An answer that goes on for as long as the client listens. */
export interface StreamAnswer {
  stream(response: ServerResponse): Promise<void>;
}

/** An answer's bytes as JSON, and its further links in the form of RFC 8288. */
export interface Body {
  json: Buffer;
  links?: string[];
}

/** A body as it goes out. */
interface SentBody {
  bytes: Buffer;
  coding: ContentCoding;
  link: string;
}

/** Whole answers that were sent, by ETag: least recently used ones go when it is full. */
type AnswerCache = LRUCache<string, SentBody>;

/** What an entry of the cache costs beside its bytes, about. */
const ENTRY_OVERHEAD = 200;

/** @param maxSize in bytes */
export function createAnswerCache(maxSize: number): AnswerCache {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ bytes, link }, etag) => bytes.length + link.length + etag.length + ENTRY_OVERHEAD,
  });
}

const EXPOSED =
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Game-Build, Repr-Digest, Content-Disposition, Content-Range';
/** The media type of most answers. */
export const JSON_TYPE = 'application/json; charset=utf-8';
const TERMS_LINK = `<${TERMS}>; rel="terms-of-service"`;

/** On every answer: browsers of any origin may read it, and it says under which terms. */
export const COMMON_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
  'X-Content-Type-Options': 'nosniff',
  Link: TERMS_LINK,
};

/** Whether the client has the very bytes that it asks for: its answer is a 304. */
export function isUnchanged(request: IncomingMessage, { tag, type }: Answer): boolean {
  return tag !== undefined && matchesEtag(request.headers['if-none-match'], etagOf(request, tag, type).etag);
}

/**
 * Sends a 200, or a 304 where the client has these very bytes.
 *
 * @param further header fields that hold for this request
 */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  cache: AnswerCache,
  further: Headers = {},
): Promise<void> {
  const { type = JSON_TYPE } = answer;
  const headers: Headers = { ...COMMON_HEADERS, ...further };
  if (answer.build !== undefined) headers['Game-Build'] = answer.build;
  if (answer.tag === undefined) {
    headers['Cache-Control'] = 'no-store';
    headers['Content-Type'] = type;
    sendBody(request, response, headers, {
      bytes: (await answer.body()).json,
      coding: 'identity',
      link: TERMS_LINK,
    });
    return;
  }

  const { etag, coding } = etagOf(request, answer.tag, type);
  headers.ETag = etag;
  headers['Cache-Control'] = 'private, no-cache';
  headers.Vary = ['X-API-Key, Accept-Encoding', ...(answer.vary ? [answer.vary] : [])].join(', ');
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  let body = cache.get(etag);
  if (body === undefined) {
    const { json, links = [] } = await answer.body();
    const { bytes, coding: sentCoding } = await encodeContent(json, coding);
    body = { bytes: detach(bytes), coding: sentCoding, link: [TERMS_LINK, ...links].join(', ') };
    cache.set(etag, body);
  }
  headers['Content-Type'] = type;
  sendBody(request, response, headers, body);
}

function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Headers,
  { bytes, coding, link }: SentBody,
): void {
  headers.Link = link;
  if (coding !== 'identity') headers['Content-Encoding'] = coding;
  headers['Content-Length'] = bytes.length;
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : bytes);
}

/** Bytes that keep no larger block of memory alive, as a slice of a file or of Node's buffer pool would. */
function detach(bytes: Buffer): Buffer {
  return bytes.length === bytes.buffer.byteLength ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
}

function etagOf(
  { headers, url }: IncomingMessage,
  tag: string,
  type = JSON_TYPE,
): { etag: string; coding: ContentCoding } {
  const coding = negotiateCoding(headers['accept-encoding'] as string | undefined);
  return { etag: makeEtag(`${type} ${tag}`, url as string, coding), coding };
}

function makeEtag(tag: string, target: string, coding: string): string {
  const hash = createHash('sha256').update(`${SERIALIZER} ${tag} ${target}`).digest('base64url');
  return `"${hash.slice(0, 27)}-${coding}"`;
}

/** Whether If-None-Match (RFC 9110, 13.1.2) names the tag; compared weakly, since proxies that compress weaken tags. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((part) => {
    const given = part.trim();
    return given === '*' || given === etag || given === `W/${etag}`;
  });
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
