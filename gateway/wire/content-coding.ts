import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { detach } from '../bytes/draft.ts';

/** The content coding of a response. */
export type ContentCoding = 'identity' | 'gzip' | 'br';

const OFFERED: ContentCoding[] = ['br', 'gzip', 'identity'];
/** Compression hardly makes shorter responses smaller. */
const MIN_BYTES = 1024;
/** Larger responses are compressed less well: the processor time of a request is bounded. */
const LARGE_BYTES = 1024 * 1024;
const LARGE_CHUNK_BYTES = 256 * 1024;
const GZIP_LEVEL = 6;
const LARGE_GZIP_LEVEL = 1;
const BROTLI_QUALITY = 4;
const LARGE_BROTLI_QUALITY = 2;
/** Clients send some ten characters. A longer header counts as none: it can take milliseconds to read. */
const MAX_HEADER_LENGTH = 500;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
const negotiated = new LRUCache<string, ContentCoding>({ max: 200 });

/** Chooses the coding by an Accept-Encoding header (RFC 9110, 12.5.3); br before gzip when both have the same weight. */
export function negotiateCoding(acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined || acceptEncoding.length > MAX_HEADER_LENGTH) return 'identity';
  let coding = negotiated.get(acceptEncoding);
  if (coding === undefined) {
    const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
    coding = (negotiator.encoding(OFFERED, { preferred: ['br', 'gzip'] }) ?? 'identity') as ContentCoding;
    negotiated.set(acceptEncoding, coding);
  }
  return coding;
}

/** Encodes bytes. Short ones are not encoded; without encoding the result is synchronous. */
export function encodeContent(bytes: Buffer, coding: ContentCoding): Coded | Promise<Coded> {
  if (coding === 'identity' || bytes.length < MIN_BYTES) return { bytes, coding: 'identity' };
  return compress(detach(bytes), coding);
}

/** Bytes and their content coding. */
interface Coded {
  bytes: Buffer;
  coding: ContentCoding;
}

async function compress(bytes: Buffer, coding: 'gzip' | 'br'): Promise<Coded> {
  const isLarge = bytes.length > LARGE_BYTES;
  // Each chunk of output is a round trip to another thread.
  const chunkSize = isLarge ? LARGE_CHUNK_BYTES : undefined;
  if (coding === 'gzip') {
    const level = isLarge ? LARGE_GZIP_LEVEL : GZIP_LEVEL;
    return { bytes: await gzipAsync(bytes, { level, chunkSize }), coding };
  }
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: isLarge ? LARGE_BROTLI_QUALITY : BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return { bytes: await brotliAsync(bytes, { params, chunkSize }), coding };
}
