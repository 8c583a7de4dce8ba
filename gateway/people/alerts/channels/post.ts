import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { errorOf } from '../../../../scripts/lib/system-error.ts';
import { readVersion } from '../../../../scripts/lib/version.ts';
import type { Outcome } from '../outcome.ts';
import { type AddressPolicy, guardLookup, readWebhookUrl } from './public-address.ts';

/** How long a post may take, from the name lookup to the end of the response. */
const MAX_POST_MS = 15_000;
/** How much of a response is read, and how much of it is kept. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 4096;
/** How long one address of a host is tried before the next one. */
const NEXT_ADDRESS_MS = 2000;
/** How many posts to one host may be under way: half of all, so that a host that hangs leaves room for others. */
const MAX_POSTS_PER_HOST = 800;
/** How long a connection waits for the next post to its host. Many servers close theirs after five seconds. */
const MAX_IDLE_MS = 4000;
/** How many connections wait, to all hosts together, for http and for https. */
const MAX_IDLE = 500;
// The address of a connection was checked when it was made, and does not change while it is reused.
const CONNECTIONS = {
  keepAlive: true,
  timeout: MAX_IDLE_MS,
  autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  maxSockets: MAX_POSTS_PER_HOST,
};
const AGENTS = {
  http: limitIdle(new http.Agent(CONNECTIONS)),
  https: limitIdle(new https.Agent(CONNECTIONS)),
};
/** One text for all failures without a response: the differences would show account holders the network of the gateway. */
const NO_RESPONSE = 'there was no response: the address cannot be reached, or webhooks may not be sent to it';
const USER_AGENT = `game-data-read-api/${readVersion()}`;

/** What is posted, as JSON. */
export interface Posting {
  url: string;
  body: string;
  headers?: Record<string, string>;
}

/** Options of a post. */
export interface PostOptions {
  policy: AddressPolicy;
  /** ms since 1970. */
  now: number;
  /** Aborts the post. */
  signal: AbortSignal;
  /** How long the post may take. */
  timeoutMs?: number;
}

/** The response to a post. */
export interface PostResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first 4 KiB of the body. */
  body: string;
}

/**
 * Posts JSON. A redirect is not followed.
 *
 * @param readResponse returns the outcome that a response means; undefined if its status says it all
 */
export async function postJson(
  { url, body, headers = {} }: Posting,
  { policy, now, signal, timeoutMs = MAX_POST_MS }: PostOptions,
  readResponse: (response: PostResponse) => Outcome | undefined = () => undefined,
): Promise<Outcome> {
  const all = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': USER_AGENT,
    ...headers,
  };
  try {
    const response = await post(readWebhookUrl(url, policy), all, body, { policy, signal, timeoutMs });
    return readResponse(response) ?? outcomeOf(response, now);
  } catch (error) {
    if (signal.aborted) return { kind: 'interrupted' };
    return { kind: 'failed', detail: NO_RESPONSE, cause: errorOf(error).message };
  }
}

/** How a post connects. */
interface Connecting {
  policy: AddressPolicy;
  signal: AbortSignal;
  timeoutMs: number;
  /** Whether it has a connection of its own. */
  isAlone?: boolean;
}

/** Resolves with the response, even if its body is too long or incomplete. */
function post(
  url: URL,
  headers: Record<string, string | number>,
  body: string,
  options: Connecting,
): Promise<PostResponse> {
  const { policy, signal, timeoutMs, isAlone } = options;
  return new Promise((resolve, reject) => {
    const [{ request: open }, agent] =
      url.protocol === 'https:' ? [https, AGENTS.https] : [http, AGENTS.http];
    const request = open(url, {
      method: 'POST',
      headers,
      signal,
      agent: isAlone ? false : agent,
      lookup: guardLookup(url, policy),
    });
    let timer: NodeJS.Timeout | undefined;
    let begun = 0;
    // The time begins with the connection: before, the post may wait for others to the same host.
    request.once('socket', () => {
      begun = performance.now();
      const late = `there was no response within ${timeoutMs / 1000} seconds`;
      timer = setTimeout(() => request.destroy(new Error(late)), timeoutMs);
    });
    let hasResponse = false;
    request.once('close', () => {
      clearTimeout(timer);
      // Node emits neither an error nor a response for a 101. After an error this has no effect.
      if (!hasResponse) reject(new Error('the connection closed without a response'));
    });
    request.once('error', (error) => {
      // Servers close connections that wait too long, perhaps just now.
      const wasClosed =
        request.reusedSocket && !hasResponse && 'code' in error && error.code === 'ECONNRESET';
      const left = Math.ceil(timeoutMs - (performance.now() - begun));
      if (wasClosed && left > 0)
        resolve(post(url, headers, body, { ...options, timeoutMs: left, isAlone: true }));
      else reject(error);
    });
    request.once('response', (response) => {
      hasResponse = true;
      readBody(response, resolve);
    });
    request.end(body);
  });
}

/** Has an agent close connections that would wait if too many wait already: its own limit is for each host. */
function limitIdle<T extends http.Agent>(agent: T): T {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => countIdle(agent) < MAX_IDLE && keep(socket);
  return agent;
}

function countIdle({ freeSockets }: http.Agent): number {
  return Object.values(freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0);
}

function readBody(response: IncomingMessage, resolve: (response: PostResponse) => void): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    if (bytes < MAX_KEPT_BYTES) parts.push(part.subarray(0, MAX_KEPT_BYTES - bytes));
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES) response.destroy();
  });
  response.once('error', () => {});
  response.once('close', () => {
    const { statusCode: status = 0, headers } = response;
    resolve({ status, headers, body: Buffer.concat(parts).toString() });
  });
}

function outcomeOf({ status, headers }: PostResponse, now: number): Outcome {
  const detail = `the response had status ${status}`;
  if (status >= 200 && status < 300) return { kind: 'delivered', detail, status };
  if (status === 410)
    return { kind: 'gone', detail: `${detail}, which means that the webhook was removed`, status };
  const retryAfter = readRetryAfter(headers['retry-after'], now);
  return { kind: 'failed', detail, status, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Parses Retry-After (RFC 9110, 10.2.3) to ms from now. */
function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return wait > 0 ? wait : undefined;
}
