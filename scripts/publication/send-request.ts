import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

/** How long a server may be silent. */
const SILENCE_MS = 20_000;

/** What is sent beside the address. */
export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
  signal?: AbortSignal;
}

/** The server was silent, or closed the connection. */
export class NoResponseError extends Error {}

/**
 * Sends a request. It does not use `fetch`, which would decompress the files that are stored compressed.
 *
 * @throws an error that says why there was no response
 */
export function sendRequest(url: URL, { body, ...options }: Sent = {}): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, { timeout: SILENCE_MS, ...options }, resolve);
    // Node emits neither an error nor a response for a 101. After either of them this has no effect.
    request.on('close', () => reject(new NoResponseError('the connection closed without a response')));
    request.on('timeout', () =>
      request.destroy(new NoResponseError(`no response within ${SILENCE_MS / 1000} seconds`)),
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Reads the body of a response. @returns undefined if it has more bytes than allowed */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer | undefined> {
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
