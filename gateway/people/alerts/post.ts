// Posts to addresses that account holders choose freely. A strict gateway connects only to the public Internet, by https.
import { Resolver } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../../scripts/notices/public-address.ts';
import { errorOf, readVersion } from '../../../scripts/system.ts';
import { InputError } from '../../http/problem.ts';
import type { MailFailure } from '../mailer.ts';

/** Why an alert was not sent. */
export interface DeliveryFailure {
  /** `unavailable`: try again; `refused`: this event cannot be sent; `gone`: no further event can be sent either. */
  failure: MailFailure['failure'] | 'gone';
  error: string;
  /** Only for the log: it may reveal the gateway's network. */
  cause?: string;
  /** The shortest pause before the next attempt, in ms. */
  retryAfter?: number;
}

/** The addresses that webhooks may have. */
export interface AddressPolicy {
  /** True allows only https to the public Internet; false allows any address. */
  isStrict: boolean;
  /** Resolves a host name to IP addresses; for tests. */
  resolve?: (host: string) => Promise<string[]>;
}

/** The error for an address that webhooks may not have. */
export function badAddress(reason: string): InputError {
  return new InputError(`webhooks cannot be sent to this address: ${reason}`);
}

const notPublic = (address: string) => badAddress(`${address} is not on the public Internet`);

const MAX_URL_CHARS = 2048;
/** In ms. */
const DNS = { timeout: 3000, tries: 2 };
/** How long a post may take, from the name lookup to the end of the response. */
const MAX_POST_MS = 15_000;
const DAY_MS = 86_400_000;
const MAX_RESPONSE_CHARS = 64 * 1024;
/** One text for all failures without a response: different ones would reveal the gateway's network to account holders. */
const NO_RESPONSE = 'there was no response: the address cannot be reached, or webhooks may not be sent to it';
const USER_AGENT = `game-data-read-api/${readVersion()}`;

/** Parses and checks the URL of a webhook. A host name in it is resolved and checked when it is used. @throws InputError */
export function readWebhookUrl(text: string, { isStrict }: AddressPolicy): URL {
  const url = text.length <= MAX_URL_CHARS && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > MAX_URL_CHARS)
    throw badAddress('it is not a web address; expected one such as https://example.org/hooks/1');
  if (isStrict && url.protocol === 'http:') throw badAddress('it does not begin with https://');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isStrict && isIP(host) !== 0 && !isPublicAddress(host)) throw notPublic(host);
  return url;
}

/** Returns a `lookup` function that resolves a host to its public addresses: a name that was checked earlier may have another address now. */
function lookupPublic(resolve: (host: string) => Promise<string[]>): LookupFunction {
  return (host, _, callback) => {
    const use = (addresses: string[]) => {
      const found = addresses.filter(isPublicAddress);
      const [address] = addresses;
      if (found.length === 0) throw address ? notPublic(address) : badAddress(`${host} cannot be resolved`);
      callback(
        null,
        found.map((address) => ({ address, family: isIP(address) })),
      );
    };
    resolve(host)
      .then(use)
      .catch((error: Error) => callback(error, ''));
  };
}

/** Avoids the system's resolver, whose few threads slow names would occupy. */
async function resolveHost(host: string): Promise<string[]> {
  const resolver = new Resolver(DNS);
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

/** A JSON body and its header fields. */
export interface Posting {
  url: string;
  body: string;
  headers?: Record<string, string>;
}

interface PostOptions {
  policy: AddressPolicy;
  /** ms since 1970. */
  now: number;
  signal: AbortSignal;
  /** Matches the status and body of responses after which the post is not repeated; the group `gone` means that the webhook was removed. */
  final?: RegExp | undefined;
  /** How long the post may take. */
  timeoutMs?: number;
}

/** Posts JSON on a new connection. Redirects are not followed. @returns undefined if the receiver has accepted it */
export async function postJson(posting: Posting, options: PostOptions): Promise<DeliveryFailure | undefined> {
  const { now, final = /^(?<gone>410) / } = options;
  try {
    const { status, headers, body } = await post(posting, options);
    if (status >= 200 && status < 300) return undefined;
    const error = `the response had status ${status}`;
    const match = final.exec(`${status} ${body}`);
    if (match?.groups?.gone)
      return { failure: 'gone', error: `${error}, which means that the webhook was removed` };
    if (match) return { failure: 'refused', error };
    return { failure: 'unavailable', error, retryAfter: readRetryAfter(headers['retry-after'] ?? '', now) };
  } catch (error) {
    return { failure: 'unavailable', error: NO_RESPONSE, cause: errorOf(error).message };
  }
}

async function post({ url: address, body, headers }: Posting, options: PostOptions) {
  const { policy, signal, timeoutMs = MAX_POST_MS } = options;
  const url = readWebhookUrl(address, policy);
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'User-Agent': USER_AGENT,
      ...headers,
    },
    signal,
    agent: false,
    ...(policy.isStrict && { lookup: lookupPublic(policy.resolve ?? resolveHost) }),
  });
  // Not AbortSignal.any with a timeout: in Node.js 20, it is lost when memory is collected.
  const late = new Error(`there was no response within ${timeoutMs / 1000} seconds`);
  const timer = setTimeout(() => request.destroy(late), timeoutMs);
  request.once('close', () => clearTimeout(timer));
  return await new Promise<Awaited<ReturnType<typeof readResponse>>>((resolve, reject) => {
    request.once('response', (response) => resolve(readResponse(response)));
    request.on('error', reject);
    // Node emits neither an error nor a response for a 101. After either of them this has no effect.
    request.once('close', () => reject(new Error('the connection closed without a response')));
    request.end(body);
  });
}

/** Reads a response, of which the body may be too long or incomplete. */
async function readResponse(response: IncomingMessage) {
  const { statusCode: status = 0, headers } = response;
  let body = '';
  try {
    for await (const part of response.setEncoding('utf8')) {
      body += part;
      if (body.length > MAX_RESPONSE_CHARS) break;
    }
  } catch {
    // The status is known.
  }
  return { status, headers, body };
}

/** Parses Retry-After (RFC 9110, 10.2.3) to ms from now, at most a day; 0 for other texts. */
function readRetryAfter(text: string, now: number): number {
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return wait > 0 ? Math.min(wait, DAY_MS) : 0;
}
