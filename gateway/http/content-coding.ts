import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** The content coding of a response. */
export type ContentCoding = 'identity' | 'gzip' | 'br';

const OFFERED: ContentCoding[] = ['br', 'gzip', 'identity'];
/** Compression hardly makes shorter responses smaller. */
const MIN_BYTES = 1024;
/** How bodies up to a length are compressed: the levels of gzip and brotli. */
interface Effort {
  maxBytes: number;
  gzip: number;
  brotli: number;
  /** How much room for output is allocated at a time. */
  chunkSize: number;
}

/** In the thread that responds: up to this length it takes less time than waiting for another. Node.js has less than 4 KiB of memory ready. */
const AT_ONCE: Effort = { maxBytes: 64 * 1024, gzip: 3, brotli: 1, chunkSize: 4095 };
/** In other threads; docs/speed.md compares the levels. */
const LONG: Effort = { maxBytes: 1024 * 1024, gzip: 6, brotli: 4, chunkSize: 16 * 1024 };
/** Compressed less well, as the processor time of a request is bounded. Each chunk is a round trip to the other thread. */
const LARGE: Effort = { maxBytes: Number.POSITIVE_INFINITY, gzip: 1, brotli: 1, chunkSize: 256 * 1024 };
/** Clients send some ten characters. A longer header counts as none: it can take milliseconds to read. */
const MAX_HEADER_LENGTH = 500;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
const negotiated = new LRUCache<string, ContentCoding>({ max: 200 });

/** Chooses the coding by an Accept-Encoding header (RFC 9110, 12.5.3), which Node joins if it is repeated; br before gzip when both have the same weight. */
export function negotiateCoding(acceptEncoding: string | string[] | undefined): ContentCoding {
  if (typeof acceptEncoding !== 'string' || acceptEncoding.length > MAX_HEADER_LENGTH) return 'identity';
  let coding = negotiated.get(acceptEncoding);
  if (coding === undefined) {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
    coding = (negotiator.encoding(OFFERED, { preferred: ['br', 'gzip'] }) ?? 'identity') as ContentCoding;
    negotiated.set(acceptEncoding, coding);
  }
  return coding;
}

/** Encodes bytes; synchronously unless they are long. Short ones are not encoded. */
export function encodeContent(bytes: Buffer, coding: ContentCoding): Coded | Promise<Coded> {
  if (coding === 'identity' || bytes.length < MIN_BYTES) return { bytes, coding: 'identity' };
  if (bytes.length > AT_ONCE.maxBytes) return compressLong(bytes, coding);
  const coded =
    coding === 'gzip'
      ? gzipSync(bytes, toGzip(AT_ONCE))
      : brotliCompressSync(bytes, toBrotli(AT_ONCE, bytes));
  return { bytes: coded, coding };
}

/** Bytes and their content coding. */
interface Coded {
  bytes: Buffer;
  coding: ContentCoding;
}

async function compressLong(bytes: Buffer, coding: 'gzip' | 'br'): Promise<Coded> {
  const effort = bytes.length > LONG.maxBytes ? LARGE : LONG;
  if (coding === 'gzip') return { bytes: await gzipAsync(bytes, toGzip(effort)), coding };
  return { bytes: await brotliAsync(bytes, toBrotli(effort, bytes)), coding };
}

function toGzip({ gzip: level, chunkSize }: Effort): ZlibOptions {
  return { level, chunkSize };
}

function toBrotli({ brotli, chunkSize }: Effort, { length }: Buffer): BrotliOptions {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotli, [constants.BROTLI_PARAM_SIZE_HINT]: length };
  return { params, chunkSize };
}
