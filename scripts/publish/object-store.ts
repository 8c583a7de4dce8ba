import { hash } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { decodeXML } from 'entities';
import { CommandError, errorOf } from '../system.ts';

const MAX_TRIES = 3;
const FIRST_WAIT_MS = 100;
/** Far above the longest list of 1,000 keys, and the longest error. */
const MAX_XML_BYTES = 4 * 1024 * 1024;
/** Far above the largest file of a dist/. */
const MAX_FILE_BYTES = 2 ** 31;

/** A file of a store, with its size in bytes. */
type StoredFile = { file: string; bytes: number };

/** A request to a store failed. */
export class StoreFailure extends CommandError {
  /** `NoSuchKey`, for example: see "Error responses" in the API reference of Amazon S3. Empty if the store did not respond. */
  readonly reason: string;

  constructor(message: string, reason = '') {
    super(message);
    this.reason = reason;
  }
}

/**
 * A place in a bucket of an S3-compatible store. Credentials and region come from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`
 * and `AWS_REGION`, which are read for each request. Its methods reject with a `CommandError`.
 */
export class ObjectStore {
  /** Its name in messages: `s3://bucket/prefix`. */
  readonly name: string;
  readonly #bucket: URL;
  /** Empty, or ends in a slash. */
  readonly #prefix: string;

  /**
   * @param address `s3://bucket/prefix`
   * @param endpoint the address of a store other than AWS
   * @throws CommandError if `address` does not have this form, or `endpoint` is no address
   */
  constructor(address: string, endpoint = `https://s3.${regionOf()}.amazonaws.com`) {
    const match = /^s3:\/\/([a-z0-9][a-z0-9.-]+)((?:\/(?!\.+(?:\/|$))[\w.~-]+)*)\/*$/.exec(address);
    if (!match)
      throw new CommandError(`${address} is not the address of a bucket, expected s3://bucket/prefix`, 2);
    if (!/^https?:/i.test(endpoint) || !URL.canParse(endpoint))
      throw new CommandError(`${endpoint} is not the address of a store, expected https://…`, 2);
    const [, bucket = '', folder = ''] = match;
    this.name = `s3://${bucket}${folder}`;
    this.#bucket = new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/`);
    this.#prefix = folder === '' ? '' : `${folder.slice(1)}/`;
  }

  /**
   * Reads a file.
   *
   * @param limit in bytes
   * @returns undefined if it does not exist
   * @throws RangeError if it is larger than the limit
   */
  async read(file: string, limit = MAX_FILE_BYTES, signal?: AbortSignal): Promise<Buffer | undefined> {
    try {
      return await this.#send(this.#addressOf(file), signal && { signal }, limit);
    } catch (error) {
      if (error instanceof StoreFailure && /^(NoSuchKey|status 404)$/.test(error.reason)) return undefined;
      throw error;
    }
  }

  /** Writes a file. The store accepts it only if its bytes match the SHA-256. `headers` are stored and sent with it. */
  async write(file: string, body: Uint8Array, headers: Record<string, string>): Promise<void> {
    const sent = {
      ...headers,
      'content-length': String(body.length),
      'x-amz-checksum-sha256': hash('sha256', body, 'base64'),
      'x-amz-content-sha256': hash('sha256', body),
    };
    await this.#send(this.#addressOf(file), { method: 'PUT', headers: sent, body });
  }

  async remove(file: string): Promise<void> {
    await this.#send(this.#addressOf(file), { method: 'DELETE' });
  }

  /** Lists its files, with ListObjectsV2. */
  async list(): Promise<StoredFile[]> {
    const files: StoredFile[] = [];
    let token = '';
    do {
      const address = new URL(this.#bucket);
      const query = { 'list-type': '2', prefix: this.#prefix, ...(token && { 'continuation-token': token }) };
      address.search = String(new URLSearchParams(query));
      const page = String(await this.#send(address));
      for (const [, entry = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const file = textOf(entry, 'Key').slice(this.#prefix.length);
        files.push({ file, bytes: Number(textOf(entry, 'Size')) });
      }
      token = textOf(page, 'NextContinuationToken');
    } while (token !== '');
    return files;
  }

  /** Signs the address of a file, for a reader without credentials, without a request. @param at when it is signed, in ms since 1970 */
  async presign(file: string, at: number, seconds: number): Promise<string> {
    const address = this.#addressOf(file);
    address.searchParams.set('X-Amz-Expires', String(seconds));
    const datetime = new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const { url } = await signerOf(address, { signQuery: true, datetime }).sign();
    return url.href;
  }

  #addressOf(file: string): URL {
    return new URL(`${this.#prefix}${file}`, this.#bucket);
  }

  /**
   * Sends a request, and again if the store is busy or does not respond: every request here may arrive twice.
   *
   * @returns the body of the response
   */
  async #send(address: URL, sent: Sent = {}, limit = MAX_XML_BYTES): Promise<Buffer> {
    const { headers } = await signerOf(address, sent).sign();
    for (let tries = 1; ; tries += 1) {
      let status = 0;
      try {
        const response = await sendRequest(address, { ...sent, headers: Object.fromEntries(headers) });
        status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) return await readBody(response, limit);
        const text = String(await readBody(response, MAX_XML_BYTES));
        const reason = textOf(text, 'Code') || `status ${status}`;
        throw new StoreFailure(`${this.name} refuses: ${textOf(text, 'Message') || reason}`, reason);
      } catch (error) {
        if (error instanceof RangeError) throw error;
        const isFinal = error instanceof StoreFailure && status < 500 && status !== 429;
        if (!isFinal && tries < MAX_TRIES && !sent.signal?.aborted)
          await wait(FIRST_WAIT_MS * 2 ** (tries - 1));
        else if (error instanceof StoreFailure) throw error;
        else throw new StoreFailure(`${this.name} cannot be reached: ${errorOf(error).message}`);
      }
    }
  }
}

/** @throws CommandError that says what to set, if there are no credentials */
function signerOf(
  url: URL,
  sent: Omit<Sent, 'body'> & { signQuery?: boolean; datetime?: string },
): AwsV4Signer {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new CommandError('there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  return new AwsV4Signer({
    ...sent,
    url: url.href,
    service: 's3',
    region: regionOf(),
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  });
}

const regionOf = () => process.env.AWS_REGION || 'us-east-1';

/** Returns the text of the first element with a name; '' if there is none. The documents of S3 are flat, without attributes. */
function textOf(xml: string, name: string): string {
  return decodeXML(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '');
}

/** How long a server may be silent. */
const SILENCE_MS = 20_000;

/** The parts of a request besides the address. */
interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
  signal?: AbortSignal;
}

/**
 * Sends a request. Not with `fetch`, which would decompress files that are stored compressed.
 *
 * @throws an error that says why there was no response
 */
export function sendRequest(url: URL, { body, ...options }: Sent): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, { timeout: SILENCE_MS, ...options }, resolve);
    const silence = new Error(`no response within ${SILENCE_MS / 1000} seconds`);
    request.on('timeout', () => request.destroy(silence));
    // Node emits neither an error nor a response for a 101. After either of them this has no effect.
    request.on('close', () => reject(new Error('the connection closed without a response')));
    request.on('error', reject);
    request.end(body);
  });
}

/** @throws RangeError if the body is larger than the limit */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limit) throw new RangeError(`it has more than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
