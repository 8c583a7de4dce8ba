import { createHmac, randomBytes } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { readVersion } from '../../../scripts/lib/version.ts';
import type { GameEvent } from './event.ts';
import type { Outcome } from './outcome.ts';
import { type AddressPolicy, guardLookup, readWebhookUrl } from './public-address.ts';

/** How long a post may take, from the name lookup to the end of the response. */
const MAX_POST_MS = 15_000;
/** How much of a response is read; only its status counts. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** How long one address of a host is tried before the next one. */
const NEXT_ADDRESS_MS = 2000;
/** How many posts to one host may be under way: half of all, so that a host that hangs leaves room for others. */
const MAX_POSTS_PER_HOST = 640;
// Connections are not reused, so that the address is checked for each post.
const CONNECTIONS = {
  keepAlive: false,
  autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  maxSockets: MAX_POSTS_PER_HOST,
};
const AGENTS = { http: new http.Agent(CONNECTIONS), https: new https.Agent(CONNECTIONS) };
/** One text for all failures without a response: the differences would show account holders the network of the gateway. */
const NO_RESPONSE = 'there was no response: the address cannot be reached, or webhooks may not be sent to it';
const SECRET_BYTES = 32;
const SECRET_MARK = 'whsec_';
const USER_AGENT = `game-data-read-api/${readVersion()}`;

/** Makes a secret that signs posts, in the form of Standard Webhooks. */
export function createWebhookSecret(): string {
  return SECRET_MARK + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Makes the header fields of Standard Webhooks (https://www.standardwebhooks.com), version 1: HMAC-SHA256 of id, time and body, once with
 * each secret.
 *
 * @param id the same for each attempt
 * @param now ms since 1970
 */
function signWebhook(
  secrets: readonly string[],
  id: string,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_MARK.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Where an event is posted to. */
export interface PostTarget {
  url: string;
  /** The valid secrets, the newest first. */
  secrets: readonly string[];
}

/**
 * Posts an event. A redirect is not followed, and counts as a failure.
 */
export async function postEvent(
  { url: text, secrets }: PostTarget,
  event: GameEvent,
  { policy, now, signal, timeoutMs = MAX_POST_MS }: PostOptions,
): Promise<Outcome> {
  const body = JSON.stringify(event);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': USER_AGENT,
    ...signWebhook(secrets, event.id, body, now),
  };
  try {
    return readResponse(
      await post(readWebhookUrl(text, policy), headers, body, { policy, signal, timeoutMs }),
      now,
    );
  } catch (error) {
    if (signal.aborted) return { kind: 'interrupted' };
    return { kind: 'failed', detail: NO_RESPONSE, cause: (error as Error).message };
  }
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

/** Resolves with the head of the response, even if the body is too long or incomplete. */
function post(
  url: URL,
  headers: Record<string, string | number>,
  body: string,
  { policy, signal, timeoutMs }: { policy: AddressPolicy; signal: AbortSignal; timeoutMs: number },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const [{ request: open }, agent] =
      url.protocol === 'https:' ? [https, AGENTS.https] : [http, AGENTS.http];
    const request = open(url, {
      method: 'POST',
      headers,
      signal,
      agent,
      lookup: guardLookup(url, policy),
    });
    let timer: NodeJS.Timeout | undefined;
    // The time begins with the connection: before, the post may wait for others to the same host.
    request.once('socket', () => {
      const late = `there was no response within ${timeoutMs / 1000} seconds`;
      timer = setTimeout(() => request.destroy(new Error(late)), timeoutMs);
    });
    let hasResponse = false;
    request.once('close', () => {
      clearTimeout(timer);
      // Node emits neither an error nor a response for a 101. After an error this has no effect.
      if (!hasResponse) reject(new Error('the connection closed without a response'));
    });
    request.once('error', reject);
    request.once('response', (response) => {
      hasResponse = true;
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > MAX_RESPONSE_BYTES) response.destroy();
      });
      response.once('error', () => {});
      response.once('close', () => resolve(response));
    });
    request.end(body);
  });
}

function readResponse({ statusCode = 0, headers }: IncomingMessage, now: number): Outcome {
  const status = statusCode;
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
