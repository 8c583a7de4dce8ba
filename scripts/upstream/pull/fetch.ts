import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isPublicAddress } from '../../notices/public-address.ts';
import { CommandError, readVersion } from '../../system.ts';

/** How to connect to an upstream address. */
export interface Connection {
  /** The address in the normalised form that was checked. */
  address: string;
  /** The protocols that git may use, separated by colons. */
  protocols: string;
  /** Settings of git, as `name=value`. */
  settings: string[];
  /** The IP addresses that were checked; undefined if any is allowed. */
  addresses: string[] | undefined;
  /** How long a download may take, in ms. */
  maxMs?: number;
}

/** A download that takes longer is given up: other games wait for it. */
export const MAX_FETCH_MS = 900_000;

/** The members that name addresses, with their files. */
const NAMED_IN = { source: 'game.json', from: 'build.json' } as const;

export interface ConnectOptions {
  /** The member with the address, for error messages. */
  member?: keyof typeof NAMED_IN;
  /** Resolves host names to IP addresses; the system's resolver by default. */
  resolve?: (host: string) => Promise<string[]>;
}

/**
 * Decides how to connect to an address from game.json or build.json.
 *
 * @param allowLocal whether it may be in a private network or on this machine
 * @throws CommandError if the address is not allowed
 */
export async function connectTo(
  address: string,
  allowLocal: boolean,
  { member = 'source', resolve = resolveHost }: ConnectOptions = {},
): Promise<Connection> {
  const url = new URL(address);
  // The same host; but git would look for the pinned addresses under the name without the dot.
  url.hostname = url.hostname.replace(/\.$/, '');
  const { href } = url;
  if (allowLocal)
    return { address: href, protocols: url.protocol.slice(0, -1), settings: [], addresses: undefined };
  const refuse = (reason: string) =>
    new CommandError(
      `the address ${address} in "${member}" ${reason}: if you trust this ${NAMED_IN[member]}, pass --allow-local`,
    );
  if (url.protocol !== 'https:') throw refuse('does not begin with https://');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isName = isIP(host) === 0;
  const addresses = isName ? await resolve(host) : [host];
  if (addresses.length === 0)
    throw new CommandError(
      `the host name ${host} in "${member}" of ${NAMED_IN[member]} cannot be resolved: check it, and the network`,
    );
  const inside = addresses.find((each) => !isPublicAddress(each));
  if (inside !== undefined) throw refuse(`leads to ${inside}, which is not on the public Internet`);
  // git would resolve the name again, perhaps to another address.
  const pinned = addresses.map((each) => (isIP(each) === 6 ? `[${each}]` : each)).join(',');
  const pin = `http.curloptResolve=${host}:${url.port || '443'}:${pinned}`;
  return { address: href, protocols: 'https', settings: isName ? [pin] : [], addresses };
}

async function resolveHost(host: string): Promise<string[]> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.map(({ address }) => address);
}

/** The failure of a host that must not be asked again before `until`, in ms since 1970. */
function busyHost(address: string, status: number, until: number): CommandError {
  const message = `${address} cannot be fetched: the host asks to wait (status ${status}), and is asked again after ${new Date(until).toISOString()}: pull less often (--every) if this lasts`;
  return Object.assign(new CommandError(message, 1, 'busy'), { until });
}

const DAY_MS = 86_400_000;

/** Reads until when a host asks to wait, at most a day; without a time, until the next round. In ms since 1970. */
function readRetryAfter(text = ''): number {
  const now = Date.now();
  const asked = /^\d+$/.test(text) ? now + Number(text) * 1000 : Date.parse(text) || now;
  return Math.min(asked, now + DAY_MS);
}

/** A file that was downloaded before: what its server said about it, and its SHA-256. */
export interface KnownFile {
  etag?: string;
  /** As the server wrote it. */
  modified?: string;
  sha256: string;
  /** When this content was first downloaded, ISO 8601 in UTC. */
  fetched_at: string;
}

/** No file of a dump is larger. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** A server that sends nothing for this long is given up. */
const IDLE_MS = 60_000;

/**
 * Downloads a file unless its server says that it has not changed. Redirects are not followed. The file appears complete.
 *
 * @param fetched describes the file at `target`; undefined if it must be downloaded
 * @param now ISO 8601 in UTC
 * @throws CommandError if it cannot be downloaded, is too large or takes too long
 */
export async function fetchFile(
  { address, addresses }: Connection,
  target: string,
  fetched: KnownFile | undefined,
  {
    now,
    maxBytes = MAX_FILE_BYTES,
    maxMs = MAX_FETCH_MS,
  }: { now: string; maxBytes?: number; maxMs?: number },
): Promise<KnownFile> {
  const signal = AbortSignal.timeout(maxMs);
  const fail = (error: Error) => {
    if (error instanceof CommandError) throw error;
    const why = signal.aborted ? `it took longer than ${maxMs / 1000} s` : error.message;
    throw new CommandError(
      `${address} cannot be fetched: ${why}; check "source" and the network, and run gamedata pull again`,
    );
  };
  const headers = {
    'User-Agent': `game-data-read-api/${readVersion()}`,
    ...(fetched?.etag !== undefined && { 'If-None-Match': fetched.etag }),
    ...(fetched?.modified !== undefined && { 'If-Modified-Since': fetched.modified }),
  };
  const get = address.startsWith('https:') ? https.get : http.get;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const only = addresses && { lookup: onlyTo(addresses) };
    // Connections are not reused, so that each goes to the checked addresses.
    const request = get(address, { headers, signal, agent: false, timeout: IDLE_MS, ...only }, resolve);
    request.on('timeout', () => request.destroy(new Error(`nothing was received for ${IDLE_MS / 1000} s`)));
    request.on('error', reject);
  }).catch(fail);
  const { statusCode = 0, headers: received } = response;
  if (statusCode === 304 && fetched) {
    response.resume();
    return fetched;
  }
  if (statusCode !== 200) {
    response.destroy();
    const { location = '', 'retry-after': wait } = received;
    if (statusCode === 429 || statusCode === 503) throw busyHost(address, statusCode, readRetryAfter(wait));
    const moved = URL.canParse(location, address) ? ` to ${new URL(location, address).href}` : '';
    const hint = `, and redirects are not followed: it moved${moved}; if you trust that, change the address`;
    return fail(
      new Error(`the response has status ${statusCode}${statusCode >= 300 && statusCode < 400 ? hint : ''}`),
    );
  }
  const sha256 = await save(response, target, maxBytes).catch(fail);
  return {
    ...(received.etag !== undefined && { etag: received.etag }),
    ...(received['last-modified'] !== undefined && { modified: received['last-modified'] }),
    sha256,
    fetched_at: fetched?.sha256 === sha256 ? fetched.fetched_at : now,
  };
}

/** Returns a `lookup` function that knows only these addresses. */
function onlyTo(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = entries;
    if (options.all) callback(null, entries);
    else if (first) callback(null, first.address, first.family);
  };
}

/** Saves a response to a file. @returns its SHA-256 */
async function save(response: IncomingMessage, target: string, maxBytes: number): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      const tooLarge = `a file in "source" has more than ${maxBytes} bytes: allow more ("read_mb" in "limits" of "source")`;
      done(bytes > maxBytes ? new CommandError(tooLarge) : null, chunk);
    },
  });
  const temporary = `${target}.part`;
  try {
    await pipeline(response, measure, createWriteStream(temporary));
    if (!response.complete) throw new Error('the response is incomplete');
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
  return hash.digest('hex');
}
