import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { FileRef } from '../../scripts/format/dist-format.ts';
import { type Headers, HttpProblem } from './problem.ts';
import { COMMON_HEADERS, type ContentCoding, JSON_TYPE, matchesEtag, negotiateCoding } from './respond.ts';

/** Reads in large pieces, because each read costs time; not larger, because a slow client holds one piece in memory. */
const CHUNK_BYTES = 256 * 1024;
const READING = { autoClose: false, highWaterMark: CHUNK_BYTES };

/**
 * Decompresses a file up to the end of a part, for the few clients that accept no compression: dist/ has no uncompressed files. It keeps only the
 * bytes that are being sent in memory.
 */
async function* decompress(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
  const stored = file.createReadStream({ ...READING, start: 0 }).on('error', (error) => plain.destroy(error));
  stored.pipe(plain);
  let at = 0;
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      const part = chunk.subarray(Math.max(0, start - at), end + 1 - at);
      if (part.length > 0) yield part;
      at += chunk.length;
      if (at > end) return;
    }
  } finally {
    stored.destroy();
  }
}

/** A route's result that is a file, sent whole (200) or in part (206). Of JSON, only the compressed forms are on disk. */
export interface FileResult {
  /** The build that the file belongs to. */
  build: string;
  /** The name under which clients save it. */
  filename: string;
  /** The same content in each coding; a single file is always sent unchanged. */
  files: Readonly<Record<ContentCoding, FileRef>> | FileRef;
  /** The media type, when it is not JSON. */
  type?: string;
  /** Opens one of the files, whole or for a part; rejects when it cannot be read. */
  open(ref: FileRef, isPart: boolean): Promise<FileHandle>;
}

/** Chooses the file in the coding that the client prefers. */
function choose({ headers }: IncomingMessage, { files }: FileResult) {
  const isSingle = 'file' in files;
  const coding = isSingle ? 'identity' : negotiateCoding(headers['accept-encoding']);
  const ref = isSingle ? files : files[coding];
  return { coding, ref, etag: `"${ref.sha256.slice(0, 32)}-${coding}"` };
}

/** Returns whether the client already has the bytes of a file, so that its response is a 304. */
export function hasFile(request: IncomingMessage, result: FileResult): boolean {
  return matchesEtag(request.headers['if-none-match'], choose(request, result).etag);
}

/**
 * Sends a file in the coding that the client prefers: whole, the requested part, or a 304 if the client already has the bytes. A request for several
 * ranges, or with an invalid Range, gets the whole file (RFC 9110, 14.2).
 *
 * @param further header fields of this request's response only
 * @throws HttpProblem `range-not-satisfiable`
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  result: FileResult,
  further: Headers = {},
): Promise<void> {
  const { build, filename, files, type = JSON_TYPE, open } = result;
  const { coding, ref, etag } = choose(request, result);
  const headers: Record<string, string | number> = {
    ...COMMON_HEADERS,
    ...further,
    'Game-Build': build,
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    Vary: 'X-API-Key, Accept-Encoding',
  };
  if (hasFile(request, result)) {
    response.writeHead(304, headers).end();
    return;
  }
  const range = chooseRange(request, etag, ref.bytes);
  const { start, end } = range ?? { start: 0, end: ref.bytes - 1 };
  const unpacked = 'file' in files || coding !== 'identity' ? undefined : files.gzip;
  let file: FileHandle | undefined;
  try {
    // A HEAD neither reads nor counts the file.
    if (request.method === 'GET') file = await open(unpacked ?? ref, range !== undefined);
    response.writeHead(range ? 206 : 200, {
      ...headers,
      'Accept-Ranges': 'bytes',
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${filename}"`,
      ...(coding !== 'identity' && { 'Content-Encoding': coding }),
      ...(range && { 'Content-Range': `bytes ${start}-${end}/${ref.bytes}` }),
      'Content-Length': end - start + 1,
      'Repr-Digest': `sha-256=:${Buffer.from(ref.sha256, 'hex').toString('base64')}:`,
    });
    // A pipeline into a closed response may never end.
    if (file === undefined || response.destroyed) response.end();
    else if (unpacked) await pipeline(decompress(file, start, end), response);
    else await pipeline(file.createReadStream({ ...READING, start, end }), response);
  } finally {
    await file?.close();
  }
}

/**
 * Reads the positions of the first and last byte from the Range header field (RFC 9110, 13.1.5, 14.1.2 and 14.2). range-parser and header-range-parser are not used, because
 * they refuse two forms that the RFC allows: `bytes=-999` of a shorter file means all of it, and `bytes=5-1` is ignored.
 *
 * @param size of the whole file, in bytes
 * @returns undefined when the response is the whole file: for several ranges, and for a value that is not a byte range
 * @throws HttpProblem `range-not-satisfiable`
 */
function chooseRange(
  { method, headers }: IncomingMessage,
  etag: string,
  size: number,
): { start: number; end: number } | undefined {
  const isMeant = method === 'GET' && (headers['if-range'] ?? etag) === etag;
  const field = isMeant ? (headers.range ?? '') : '';
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(field) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(first) > Number(last)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start <= end) return { start, end };
  throw new HttpProblem(
    'range-not-satisfiable',
    `the file has ${size} bytes, expected a range that starts before its end`,
    {},
    { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' },
  );
}
