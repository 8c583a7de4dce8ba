import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { TERMS } from '../about.ts';
import { type ContentCoding, encodeContent, negotiateCoding } from './content-coding.ts';
import type { HttpProblem } from './problem.ts';

/** Part of every ETag: another number here, and no cached answer counts any more. Raise it when the form of answers changes. */
const SERIALIZER = 1;

/** A 200 in the making. The body is only put together when somebody needs it. */
export interface Answer {
  /** Stands for all content that the body is made of; with the address it tells answers apart. */
  tag: string;
  /** The build, where the answer belongs to one game. */
  build?: string;
  body(): Body;
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
export type AnswerCache = LRUCache<string, SentBody>;

/** What an entry of the cache costs beside its bytes, about. */
const ENTRY_OVERHEAD = 200;

/** @param maxSize in bytes */
export function createAnswerCache(maxSize: number): AnswerCache {
  return new LRUCache({
    maxSize,
    sizeCalculation: ({ bytes }, etag) => bytes.length + etag.length + ENTRY_OVERHEAD,
  });
}

const EXPOSED = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Game-Build, Repr-Digest';
const TERMS_LINK = `<${TERMS}>; rel="terms-of-service"`;

/** On every answer: browsers of any origin may read it, and it says under which terms. */
export const COMMON_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
  'X-Content-Type-Options': 'nosniff',
  Link: TERMS_LINK,
};

/** Sends a 200, or a 304 where the client has these very bytes. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  cache: AnswerCache,
): Promise<void> {
  const coding = negotiateCoding(request.headers['accept-encoding'] as string | undefined);
  const etag = makeEtag(answer.tag, request.url as string, coding);
  const headers: Record<string, string | number> = {
    ...COMMON_HEADERS,
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    Vary: 'X-API-Key, Accept-Encoding',
  };
  if (answer.build !== undefined) headers['Game-Build'] = answer.build;
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }

  let sent = cache.get(etag);
  if (sent === undefined) {
    const { json, links = [] } = answer.body();
    sent = { ...(await encodeContent(json, coding)), link: [TERMS_LINK, ...links].join(', ') };
    cache.set(etag, sent);
  }
  headers.Link = sent.link;
  headers['Content-Type'] = 'application/json; charset=utf-8';
  if (sent.coding !== 'identity') headers['Content-Encoding'] = sent.coding;
  headers['Content-Length'] = sent.bytes.length;
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : sent.bytes);
}

function makeEtag(tag: string, target: string, coding: string): string {
  const hash = createHash('sha256').update(`${SERIALIZER} ${tag} ${target}`).digest('base64url');
  return `"${hash.slice(0, 27)}-${coding}"`;
}

/** Whether If-None-Match (RFC 9110, 13.1.2) names the tag; compared weakly, since proxies that compress weaken tags. */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((part) => {
    const given = part.trim();
    return given === '*' || given === etag || given === `W/${etag}`;
  });
}

/** Sends an error as `application/problem+json`. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: HttpProblem): void {
  const bytes = Buffer.from(JSON.stringify(problem));
  response
    .writeHead(problem.status, {
      ...COMMON_HEADERS,
      ...problem.headers,
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'Content-Length': bytes.length,
    })
    .end(request.method === 'HEAD' ? undefined : bytes);
}
