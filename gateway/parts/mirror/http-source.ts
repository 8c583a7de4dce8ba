import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { DistError } from '../../core/catalog/dist-folder.ts';
import { type DistSource, SourceFileError } from './dist-source.ts';

/** How long a server may be silent. */
const SILENCE_MS = 20_000;
/** Statuses of a file that does not exist, or that the server does not show. */
const HIDDEN = new Set([403, 404, 410]);

/**
 * Opens a dist/ on a web server. A user name and password in the address are sent to it (RFC 7617). It does not use `fetch`, which would
 * decompress the files that are stored compressed.
 *
 * @param address `https://…`, of the folder
 * @throws DistError when it is not an address
 */
export function httpSource(address: string): DistSource {
  if (!URL.canParse(address))
    throw new DistError('--dist is not an address; expected one such as https://example.org/dist');
  const base = new URL(address);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const shown = new URL(base);
  shown.username = '';
  shown.password = '';
  const name = shown.href.replace(/\/$/, '');
  return {
    name,
    async read(file, limit, signal) {
      const refuse = (reason: string, isMissing: boolean) =>
        new SourceFileError(`${name}/${file} cannot be fetched: ${reason}`, isMissing);
      try {
        const response = await ask(new URL(file, base), signal);
        const { statusCode = 0 } = response;
        if (statusCode !== 200) {
          response.resume();
          throw refuse(`the server responds ${statusCode}, expected 200`, HIDDEN.has(statusCode));
        }
        const body = await readBody(response, limit);
        if (body === undefined) throw refuse(`it has more than ${limit} bytes`, false);
        return body;
      } catch (error) {
        if (error instanceof SourceFileError) throw error;
        throw new DistError(
          `${name}/${file} cannot be fetched: ${(error as Error).message || 'no connection'}`,
        );
      }
    },
  };
}

function ask(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? getHttps : getHttp;
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: SILENCE_MS, signal }, resolve);
    // Node emits neither an error nor a response for a 101. After either of them this has no effect.
    request.on('close', () => reject(new Error('the connection closed without a response')));
    request.on('timeout', () =>
      request.destroy(new Error(`no response within ${SILENCE_MS / 1000} seconds`)),
    );
    request.on('error', reject);
  });
}

/** @returns undefined if it is longer than allowed */
async function readBody(response: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limit) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
