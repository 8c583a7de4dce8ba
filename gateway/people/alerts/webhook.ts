import { createHmac, randomBytes } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { readVersion } from '../../../scripts/lib/version.ts';
import type { GameEvent } from './event.ts';
import type { Outcome } from './outcome.ts';
import { type AddressPolicy, guardLookup, readWebhookUrl } from './public-address.ts';
import type { Webhook } from './subscription.ts';

/** How long a post may take, from the name's look-up to the end of the answer, in ms. */
const LONGEST_POST_MS = 15_000;
/** How much of an answer is read; only its status counts. */
const LARGEST_ANSWER = 64 * 1024;
/** How long one address of a host is tried before the next, in ms. */
const NEXT_ADDRESS_MS = 2000;
// Connections are not kept: each is to an address that was checked for it.
const CONNECTIONS = { keepAlive: false, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS };
const AGENTS = { http: new http.Agent(CONNECTIONS), https: new https.Agent(CONNECTIONS) };
const SECRET_BYTES = 32;
const SECRET_MARK = 'whsec_';
const USER_AGENT = `game-data-read-api/${readVersion()}`;

/** Makes a secret that signs what is posted, in the form of Standard Webhooks. */
export function createWebhookSecret(): string {
  return SECRET_MARK + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The header fields of Standard Webhooks (https://www.standardwebhooks.com), version 1: HMAC-SHA256 of id, time and body.
 *
 * @param id the same in each attempt
 * @param now ms since 1970
 */
function signWebhook(secret: string, id: string, body: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.slice(SECRET_MARK.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/**
 * Posts an event. Redirects are not followed, and count as failures.
 *
 * @param signal breaks it off
 */
export async function postEvent(
  { url: text, secret }: Webhook,
  event: GameEvent,
  { policy, now, signal, longest = LONGEST_POST_MS }: PostOptions,
): Promise<Outcome> {
  const body = JSON.stringify(event);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': USER_AGENT,
    ...signWebhook(secret, event.id, body, now),
  };
  try {
    return readResponse(
      await post(readWebhookUrl(text, policy), headers, body, { policy, signal, longest }),
      now,
    );
  } catch (error) {
    if (signal.aborted) return { kind: 'interrupted' };
    return { kind: 'failed', detail: (error as Error).message };
  }
}

/** How a post is made. */
export interface PostOptions {
  policy: AddressPolicy;
  /** ms since 1970. */
  now: number;
  signal: AbortSignal;
  /** How long it may take, in ms. */
  longest?: number;
}

/** @returns the head of the answer; a body that does not end takes nothing back of it */
function post(
  url: URL,
  headers: Record<string, string | number>,
  body: string,
  { policy, signal, longest }: { policy: AddressPolicy; signal: AbortSignal; longest: number },
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
    const timer = setTimeout(
      () => request.destroy(new Error(`there was no answer within ${longest / 1000} seconds`)),
      longest,
    );
    request.once('close', () => clearTimeout(timer));
    request.once('error', reject);
    request.once('response', (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > LARGEST_ANSWER) response.destroy();
      });
      response.once('error', () => {});
      response.once('close', () => resolve(response));
    });
    request.end(body);
  });
}

function readResponse({ statusCode = 0, headers }: IncomingMessage, now: number): Outcome {
  const detail = `it answered ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered', detail };
  if (statusCode === 410) return { kind: 'gone', detail: `${detail}: it wants no more` };
  const retryAfter = readRetryAfter(headers['retry-after'], now);
  return { kind: 'failed', detail, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Reads Retry-After (RFC 9110, 10.2.3) as a time from now, in ms. */
function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return wait > 0 ? wait : undefined;
}
