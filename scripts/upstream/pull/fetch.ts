import { createHash, hash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { waitForLock } from '../../dist/lock.ts';
import { isPublicAddress } from '../../notices/public-address.ts';
import { CommandError, errorOf, makeFolder, readVersion, replaceFile } from '../../system.ts';
import { hashFile } from '../add/files.ts';

/** How to connect to an upstream address. */
export interface Connection {
  /** The address in the normalised form that was checked. */
  address: string;
  /** Settings of git, as `name=value`. */
  settings: string[];
  /** The IP addresses that were checked; undefined if any is allowed. */
  addresses: string[] | undefined;
  /** How long a download may take, in ms. */
  maxMs?: number;
}

/**
 * Decides how to connect to an address from game.json or build.json.
 *
 * @param allowLocal whether it may be in a private network or on this machine
 * @param place where the address is, for error messages
 * @param resolve resolves host names to IP addresses
 * @throws CommandError if the address is not allowed
 */
export async function connectTo(
  address: string,
  allowLocal: boolean,
  place = '"source" of game.json',
  resolve = async (host: string) =>
    (await lookup(host, { all: true }).catch(() => [])).map((each) => each.address),
): Promise<Connection> {
  if (!URL.canParse(address)) throw new CommandError(`${address} in ${place} is not an address: correct it`);
  const url = new URL(address);
  // The same host; but git would look for the pinned addresses under the name without the dot.
  url.hostname = url.hostname.replace(/\.$/, '');
  const { href } = url;
  if (allowLocal) return { address: href, settings: [], addresses: undefined };
  const refuse = (reason: string) =>
    new CommandError(
      `the address ${address} in ${place} ${reason}: if you trust this file, pass --allow-local`,
    );
  if (url.protocol !== 'https:') throw refuse('does not begin with https://');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isName = isIP(host) === 0;
  const addresses = isName ? await resolve(host) : [host];
  if (addresses.length === 0)
    throw new CommandError(`the host name ${host} in ${place} cannot be resolved: check it, and the network`);
  const inside = addresses.find((each) => !isPublicAddress(each));
  if (inside !== undefined) throw refuse(`leads to ${inside}, which is not on the public Internet`);
  // git would resolve the name again, perhaps to another address.
  const pinned = addresses.map((each) => (isIP(each) === 6 ? `[${each}]` : each)).join(',');
  const pin = `http.curloptResolve=${host}:${url.port || '443'}:${pinned}`;
  return { address: href, settings: isName ? [pin] : [], addresses };
}

/** What to do about a response's status, or about what git says. */
export function adviceFor(status: string): string {
  if (/^40[13]$|could not read Username/.test(status))
    return 'it is private now, or gone: look for it there, and if you may read it, see "What is fetched" in docs/maintainers/patch-day.md';
  if (status.includes('find remote ref'))
    return 'the branch is gone or has another name, or the repository is empty: correct "branch" in "source" of game.json, or add it';
  if (status === '429' || status === '503')
    return 'the host asks to wait, and the next round asks again: pull less often (--every) if this lasts';
  if (/^30[12378]$/.test(status))
    return 'it moved, and redirects are not followed: look where it is now, and if you trust that, change the address in "source" of game.json';
  return 'check the address and the network, and run it again';
}

/** A file that was downloaded: what its server said about it, and its SHA-256. */
export interface FetchedFile {
  etag?: string;
  /** As the server wrote it. */
  modified?: string;
  sha256: string;
  /** When this content was first downloaded, ISO 8601 in UTC. */
  fetched_at: string;
}

/**
 * Downloads a file unless its server says that it has not changed since the last download, which is described beside it. Redirects are not followed.
 * The file appears complete.
 *
 * @throws CommandError if it cannot be downloaded, is too large or takes too long
 */
export async function fetchFile(
  connection: Connection,
  target: string,
  { maxBytes, maxMs }: { maxBytes: number; maxMs: number },
): Promise<FetchedFile> {
  const description = `${target}.json`;
  const last: FetchedFile | undefined = await readFile(description, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  const known = last && (await hashFile(target).catch(() => undefined)) === last.sha256 ? last : undefined;
  const signal = AbortSignal.timeout(maxMs);
  let status = 0;
  try {
    const response = await request(connection, signal, {
      'User-Agent': `game-data-read-api/${readVersion()}`,
      ...(known?.etag && { 'If-None-Match': known.etag }),
      ...(known?.modified && { 'If-Modified-Since': known.modified }),
    });
    const { etag, 'last-modified': modified } = response.headers;
    status = response.statusCode ?? 0;
    if (status !== 200) response.destroy();
    if (status === 304 && known) return known;
    if (status !== 200) throw new Error(`the response has status ${status}`);
    const sha256 = await save(response, connection.address, target, maxBytes);
    const fetched_at = known?.sha256 === sha256 ? known.fetched_at : new Date(Date.now()).toISOString();
    const fetched = { ...(etag && { etag }), ...(modified && { modified }), sha256, fetched_at };
    await replaceFile(description, Buffer.from(JSON.stringify(fetched)));
    return fetched;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const why = signal.aborted ? `it took longer than ${maxMs / 1000} s` : errorOf(error).message;
    throw new CommandError(`${connection.address} cannot be fetched: ${why}; ${adviceFor(String(status))}`);
  }
}

function request({ address, addresses }: Connection, signal: AbortSignal, headers: http.OutgoingHttpHeaders) {
  const checked = addresses?.map((each) => ({ address: each, family: isIP(each) }));
  const onlyThese: LookupFunction = (_host, _options, callback) => callback(null, checked ?? []);
  const get = address.startsWith('https:') ? https.get : http.get;
  // Connections are not reused, so that each goes to the checked addresses.
  const options = { headers, signal, agent: false, ...(checked && { lookup: onlyThese }) };
  return new Promise<IncomingMessage>((resolve, reject) => {
    get(address, options, resolve).on('error', reject);
  });
}

/** Saves a response to a file. @returns its SHA-256 */
async function save(response: IncomingMessage, address: string, target: string, maxBytes: number) {
  const sha256 = createHash('sha256');
  const part = `${target}.part`;
  let bytes = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new CommandError(
          `${address} has more than ${maxBytes} bytes: if a file may be so large, allow more ("read_mb" in "limits" of "source")`,
        );
      sha256.update(chunk);
      yield chunk;
    }
  };
  await pipeline(response, count, createWriteStream(part))
    .then(() => rename(part, target))
    .finally(() => rm(part, { force: true }));
  return sha256.digest('hex');
}

/** The last work in each folder of the cache. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Works in a folder of the cache that only one game uses at a time: those of this process take turns, however long that takes.
 *
 * @param key identifies the content of the folder
 * @param what is fetched, for the message
 * @throws CommandError if another process uses it for longer than `maxMs`
 */
export async function withCacheFolder<T>(
  { cache, key, what }: { cache: string; key: string; what: string },
  use: (folder: string) => Promise<T>,
  maxMs?: number,
): Promise<T> {
  const folder = path.resolve(cache, hash('sha256', key).slice(0, 24));
  await makeFolder(folder);
  const busy = `another gamedata is fetching ${what} to ${folder}: wait until it ends`;
  const lock = () => waitForLock(path.join(folder, '.lock'), () => use(folder), { busy, maxMs });
  const own = (turns.get(folder) ?? Promise.resolve()).then(lock);
  const ended = own.catch(() => {});
  turns.set(folder, ended);
  return await own;
}
