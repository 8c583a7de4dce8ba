import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError, readVersion } from '../../system.ts';
import { type Connection, MAX_FETCH_MS } from './address.ts';

/** What is known of a file that was fetched before: what its server said of it, and its SHA-256. */
export interface KnownFile {
  etag?: string;
  /** As the server wrote it. */
  modified?: string;
  sha256: string;
  /** When this content was fetched first, ISO 8601 in UTC. */
  fetched_at: string;
}

/** No file of a dump is larger. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** A server that sends nothing for so long is given up. */
const IDLE_MS = 60_000;
const USER_AGENT = `game-data-read-api/${readVersion()}`;

/**
 * Fetches a file, unless its server says that it has not changed. A redirect is not followed.
 *
 * @param fetched what is known of the file at `target`; undefined if it has to be fetched
 * @param now ISO 8601 in UTC
 * @param maxMs how long it may take
 * @throws CommandError if it cannot be fetched, is too large or takes too long
 */
export async function fetchFile(
  connection: Connection,
  target: string,
  fetched: KnownFile | undefined,
  {
    now,
    maxBytes = MAX_FILE_BYTES,
    maxMs = MAX_FETCH_MS,
  }: { now: string; maxBytes?: number; maxMs?: number },
): Promise<KnownFile> {
  const { address } = connection;
  const signal = AbortSignal.timeout(maxMs);
  const fail = (why: string) =>
    new CommandError(
      `${address} cannot be fetched: ${signal.aborted ? `it took longer than ${maxMs / 1000} s` : why}; check "source" and the network, and run gamedata pull again`,
    );
  const response = await ask(connection, fetched, signal).catch((error: Error) => {
    throw fail(error.message);
  });
  const { statusCode = 0, headers } = response;
  if (statusCode === 304 && fetched) {
    response.resume();
    return fetched;
  }
  if (statusCode !== 200) {
    response.destroy();
    const hint = statusCode >= 300 && statusCode < 400 ? ', and redirects are not followed' : '';
    throw fail(`the response has status ${statusCode}${hint}`);
  }
  const sha256 = await save(response, target, maxBytes).catch((error: Error) => {
    throw error instanceof CommandError ? error : fail(error.message);
  });
  return {
    ...(headers.etag !== undefined && { etag: headers.etag }),
    ...(headers['last-modified'] !== undefined && { modified: headers['last-modified'] }),
    sha256,
    fetched_at: fetched?.sha256 === sha256 ? fetched.fetched_at : now,
  };
}

function ask(
  { address, addresses }: Connection,
  fetched: KnownFile | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = {
    'User-Agent': USER_AGENT,
    ...(fetched?.etag !== undefined && { 'If-None-Match': fetched.etag }),
    ...(fetched?.modified !== undefined && { 'If-Modified-Since': fetched.modified }),
  };
  const get = address.startsWith('https:') ? https.get : http.get;
  return new Promise((resolve, reject) => {
    const lookup = addresses && { lookup: onlyTo(addresses) };
    // Connections are not reused, so that each goes to the addresses that were checked.
    const request = get(address, { headers, signal, agent: false, timeout: IDLE_MS, ...lookup }, resolve);
    request.on('timeout', () => request.destroy(new Error(`nothing was received for ${IDLE_MS / 1000} s`)));
    request.on('error', reject);
  });
}

/** Makes the `lookup` of a connection that knows only these addresses. */
function onlyTo(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = entries;
    if (options.all) callback(null, entries);
    else if (first) callback(null, first.address, first.family);
  };
}

/** Saves a response to a file, which appears as a whole. Returns its SHA-256. */
async function save(response: IncomingMessage, target: string, maxBytes: number): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(
        bytes > maxBytes
          ? new CommandError(
              `a file in "source" has more than ${maxBytes} bytes: allow more ("read_mb" in "limits" of "source")`,
            )
          : null,
        chunk,
      );
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
