// Posts to addresses that account holders choose freely. Connections are made only to addresses that the operator allows.
import { Resolver } from 'node:dns/promises';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isPublicAddress } from '../../../scripts/notices/public-address.ts';
import { errorOf, readVersion } from '../../../scripts/system.ts';
import { InputError } from '../../http/problem.ts';

/** The outcome of an attempt to send an event. */
export type DeliveryOutcome =
  | { kind: 'delivered'; status?: number }
  /** Try again, but not before `retryAfter` ms. `cause` is only for the log: it may reveal the gateway's network. */
  | { kind: 'failed'; detail: string; status?: number; cause?: string; retryAfter?: number }
  /** Do not try again. `refused`: this event cannot be sent; `gone`: no further event can be sent either. */
  | { kind: 'refused' | 'gone'; detail: string; status?: number }
  /** Aborted by the gateway; not counted as an attempt. */
  | { kind: 'interrupted' };

/** The addresses that webhooks may have. */
export interface AddressPolicy {
  /** True allows only https to the public Internet; false allows https to any address, and http to this machine. */
  isStrict: boolean;
  /** Resolves a host name to IP addresses. */
  resolve?: (host: string) => Promise<string[]>;
}

/** The error for an address that webhooks may not have. */
export function badAddress(reason: string): InputError {
  return new InputError(`webhooks cannot be sent to this address: ${reason}`);
}

const MAX_URL_CHARS = 2048;
const DNS_MS = 3000;
const DNS_TRIES = 2;
/** How long a post may take, from the name lookup to the end of the response. */
const MAX_POST_MS = 15_000;
/** How much of a response is read, and how much of it is kept. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 4096;
/** One text for all failures without a response: different ones would reveal the gateway's network to account holders. */
const NO_RESPONSE = 'there was no response: the address cannot be reached, or webhooks may not be sent to it';
const USER_AGENT = `game-data-read-api/${readVersion()}`;

/**
 * Parses and checks the URL of a webhook. A host name in it is resolved and checked later, by `guardLookup`.
 *
 * @throws InputError
 */
export function readWebhookUrl(text: string, policy: AddressPolicy): URL {
  const url = text.length <= MAX_URL_CHARS && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw badAddress('it is not a web address; expected one such as https://example.org/hooks/1');
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw badAddress('it has a user name, a password or a fragment; put a token into its path or query');
  if (url.protocol === 'http:' && policy.isStrict) throw badAddress('it does not begin with https://');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isName = isIP(host) === 0;
  if (isName ? url.protocol === 'http:' && host !== 'localhost' : !isAllowed(host, url, policy))
    throw refuse(host, url, policy);
  return url;
}

/**
 * Returns a `lookup` function for connections to a URL. It resolves the host and returns only addresses that the policy allows, since a name that was
 * checked earlier may have another address now. It avoids the system's resolver, whose few threads slow names would occupy.
 */
function guardLookup(url: URL, policy: AddressPolicy): LookupFunction {
  const { resolve = resolveHost } = policy;
  return (host, options, callback) => {
    const use = (addresses: string[]) => {
      const allowed = addresses.filter((address) => isAllowed(address, url, policy));
      const [first = '', ...others] = allowed;
      if (first === '') throw refuse(addresses[0] ?? host, url, policy);
      const found = [first, ...others].map((address) => ({ address, family: isIP(address) }));
      if (options.all) callback(null, found);
      else callback(null, first, isIP(first));
    };
    resolve(host)
      .then(use)
      .catch((error: Error) => callback(error, '', 0));
  };
}

function isAllowed(address: string, { protocol }: URL, { isStrict }: AddressPolicy): boolean {
  if (isStrict) return isPublicAddress(address);
  return protocol === 'https:' || ipaddr.process(address).range() === 'loopback';
}

function refuse(address: string, { protocol }: URL, { isStrict }: AddressPolicy): InputError {
  const isHttp = !isStrict && protocol === 'http:';
  return badAddress(
    `${address} is not ${isHttp ? 'this machine, so it needs https' : 'on the public Internet'}`,
  );
}

async function resolveHost(host: string): Promise<string[]> {
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: DNS_MS, tries: DNS_TRIES });
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length === 0) throw badAddress(`the host name ${host} cannot be resolved`);
  return addresses;
}

/** A JSON body and its header fields. */
export interface Posting {
  url: string;
  body: string;
  headers?: Record<string, string>;
}

export interface PostOptions {
  policy: AddressPolicy;
  /** ms since 1970. */
  now: number;
  signal: AbortSignal;
  /** How long the post may take. */
  timeoutMs?: number;
}

export interface PostResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The first 4 KiB of the body. */
  body: string;
}

/**
 * Posts JSON on a new connection. Redirects are not followed.
 *
 * @param readResponse returns the outcome that a response means; undefined if its status is enough
 */
export async function postJson(
  posting: Posting,
  options: PostOptions,
  readResponse: (response: PostResponse) => DeliveryOutcome | undefined = () => undefined,
): Promise<DeliveryOutcome> {
  try {
    const response = await post(posting, options);
    return readResponse(response) ?? outcomeOf(response, options.now);
  } catch (error) {
    if (options.signal.aborted) return { kind: 'interrupted' };
    return { kind: 'failed', detail: NO_RESPONSE, cause: errorOf(error).message };
  }
}

async function post({ url: address, body, headers }: Posting, options: PostOptions): Promise<PostResponse> {
  const { policy, signal, timeoutMs = MAX_POST_MS } = options;
  const url = readWebhookUrl(address, policy);
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    headers: {
      ...{ 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
      ...{ 'User-Agent': USER_AGENT, ...headers },
    },
    ...{ signal, agent: false, lookup: guardLookup(url, policy) },
  });
  // Not AbortSignal.any with a timeout: in Node.js 20, it is lost when memory is collected.
  const late = new Error(`there was no response within ${timeoutMs / 1000} seconds`);
  const timer = setTimeout(() => request.destroy(late), timeoutMs);
  request.once('close', () => clearTimeout(timer));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
    // Node emits neither an error nor a response for a 101. After either of them this has no effect.
    request.once('close', () => reject(new Error('the connection closed without a response')));
    request.end(body);
  });
  const { statusCode: status = 0, headers: received } = response;
  return { status, headers: received, body: await readStart(response) };
}

/** Reads the start of a body that may be too long or incomplete. */
async function readStart(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response) {
      if (bytes < MAX_KEPT_BYTES) parts.push(part);
      bytes += part.length;
      if (bytes > MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The status is known, and is enough to know what the receiver did.
  }
  return Buffer.concat(parts).toString('utf8', 0, MAX_KEPT_BYTES);
}

function outcomeOf({ status, headers }: PostResponse, now: number): DeliveryOutcome {
  const detail = `the response had status ${status}`;
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
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
