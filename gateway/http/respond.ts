import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { TERMS } from '../about.ts';
import type { Tier } from '../accounts/account.ts';
import type { View } from '../catalog/catalog.ts';
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

/** A 200 as it goes out, but for what holds for one request only. */
export interface Reply {
  etag: string;
  headers: Headers;
  /** Those of the 304 in its place. */
  unchanged: Headers;
  bytes: Buffer;
  /** What the caller saw; absent where the answer is not made of it. While it is current, the same request has the same reply. */
  view?: View;
}

/** Replies that were sent, by `replyName`: least recently used ones go when it is full. */
type ReplyCache = LRUCache<string, Reply>;

/** What an entry of the cache costs beside its bytes, about. */
const ENTRY_OVERHEAD = 1500;

/** @param maxSize in bytes */
export function createReplyCache(maxSize: number): ReplyCache {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ bytes, headers }, name) =>
      bytes.length + String(headers.Link).length + 2 * name.length + ENTRY_OVERHEAD,
  });
}

/** Tells replies apart, as far as requests do: two with one name, to callers who see the same, have the same reply. */
export function replyName({ headers, url }: IncomingMessage, tier: Tier | undefined): string {
  return `${tier} ${negotiateCoding(headers['accept-encoding'] as string | undefined)} ${url}`;
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

/** Whom an answer is for; `further` are header fields that hold for this request. */
interface Recipient {
  tier: Tier | undefined;
  /** All that the answer is made of, with the address; undefined where it is made of more. */
  view: View | undefined;
  further: Headers | undefined;
}

/** Sends a 200, or a 304 where the client has these very bytes. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  replies: ReplyCache,
  { tier, view, further }: Recipient,
): Promise<void> {
  const { tag, build, type = JSON_TYPE, vary } = answer;
  const headers: Headers = { ...COMMON_HEADERS };
  if (build !== undefined) headers['Game-Build'] = build;
  if (tag === undefined) {
    headers['Cache-Control'] = 'no-store';
    const { json: bytes } = await answer.body();
    Object.assign(headers, { 'Content-Type': type, 'Content-Length': bytes.length });
    sendReply(request, response, { etag: '', headers, unchanged: headers, bytes }, further);
    return;
  }

  const { etag, coding } = etagOf(request, tag, type);
  headers.ETag = etag;
  headers['Cache-Control'] = 'private, no-cache';
  headers.Vary = ['X-API-Key, Accept-Encoding', ...(vary ? [vary] : [])].join(', ');
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, { ...headers, ...further }).end();
    return;
  }
  const name = replyName(request, tier);
  const known = replies.get(name);
  const reply = known?.etag === etag ? known : await makeReply(answer, etag, coding, headers);
  // Of what depends on other header fields too, the name does not tell all.
  if (view && vary === undefined) reply.view = view;
  if (reply !== known) replies.set(name, reply);
  sendReply(request, response, reply, further);
}

async function makeReply(
  answer: Answer,
  etag: string,
  asked: ContentCoding,
  unchanged: Headers,
): Promise<Reply> {
  const { json, links = [] } = await answer.body();
  const { bytes, coding } = await encodeContent(json, asked);
  const headers: Headers = {
    ...unchanged,
    'Content-Type': answer.type ?? JSON_TYPE,
    Link: [TERMS_LINK, ...links].join(', '),
    ...(coding !== 'identity' && { 'Content-Encoding': coding }),
    'Content-Length': bytes.length,
  };
  return { etag, headers, unchanged, bytes: detach(bytes) };
}

/**
 * Sends a reply, or the 304 in its place where the client has these very bytes.
 *
 * @param further header fields that hold for this request
 */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { etag, headers, unchanged, bytes }: Reply,
  further?: Headers,
): void {
  const isKnown = etag !== '' && matchesEtag(request.headers['if-none-match'], etag);
  const fields = isKnown ? unchanged : headers;
  response
    .writeHead(isKnown ? 304 : 200, further ? { ...fields, ...further } : fields)
    .end(isKnown || request.method === 'HEAD' ? undefined : bytes);
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
  const digest = hash('sha256', `${SERIALIZER} ${tag} ${target}`, 'base64url');
  return `"${digest.slice(0, 27)}-${coding}"`;
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
