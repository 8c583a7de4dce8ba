import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { FileRef } from '../../scripts/format/dist-format.ts';
import { HttpProblem } from '../http/problem.ts';
import { type ByteRange, readRange } from './byte-range.ts';
import { type ContentCoding, negotiateCoding } from './content-coding.ts';
import { matchesEtag } from './etag.ts';
import { COMMON_HEADERS, JSON_TYPE } from './respond.ts';

/** How much is read of a file at once: each turn costs, and a slow reader holds this much. */
const READ_BYTES = 256 * 1024;

/** A 200 that is a JSON file, or a 206 that is a part of it. */
export interface FileResult {
  /** The build that the file is of. */
  build: string;
  /** Under which name it is to be saved. */
  filename: string;
  /** The same content in each coding. */
  files: Readonly<Record<ContentCoding, FileRef>>;
  /** Opens one of the files; rejects where it cannot be read. */
  open(ref: FileRef): Promise<FileHandle>;
}

/**
 * Sends a file from disk in the coding that the client takes best, whole or the part that it asks for, or a 304 where it has these bytes.
 * Of several ranges at once, and of what is no range of bytes, the whole file is the answer (RFC 9110, 14.2).
 *
 * @throws HttpProblem `range-not-satisfiable`
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { build, filename, files, open }: FileResult,
): Promise<void> {
  const coding = negotiateCoding(request.headers['accept-encoding'] as string | undefined);
  const ref = files[coding];
  const etag = `"${ref.sha256.slice(0, 32)}-${coding}"`;
  const headers: Record<string, string | number> = {
    ...COMMON_HEADERS,
    'Game-Build': build,
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    Vary: 'X-API-Key, Accept-Encoding',
  };
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const range = chooseRange(request, etag, ref.bytes);
  const { start, end } = range ?? { start: 0, end: ref.bytes - 1 };
  const file = await open(ref);
  try {
    response.writeHead(range ? 206 : 200, {
      ...headers,
      'Accept-Ranges': 'bytes',
      'Content-Type': JSON_TYPE,
      'Content-Disposition': `attachment; filename="${filename}"`,
      ...(coding !== 'identity' && { 'Content-Encoding': coding }),
      ...(range && { 'Content-Range': `bytes ${start}-${end}/${ref.bytes}` }),
      'Content-Length': end - start + 1,
      'Repr-Digest': `sha-256=:${Buffer.from(ref.sha256, 'hex').toString('base64')}:`,
    });
    // A pipeline into a response that was closed before may never end.
    if (request.method === 'HEAD' || response.destroyed) response.end();
    else
      await pipeline(
        file.createReadStream({ start, end, autoClose: false, highWaterMark: READ_BYTES }),
        response,
      );
  } finally {
    await file.close();
  }
}

/** The part of a file that a request asks for; undefined for all of it (RFC 9110, 13.1.5). */
function chooseRange(
  { method, headers }: IncomingMessage,
  etag: string,
  size: number,
): ByteRange | undefined {
  const ifRange = headers['if-range'];
  if (method !== 'GET' || headers.range === undefined) return undefined;
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const range = readRange(headers.range, size);
  if (range !== 'unsatisfiable') return range;
  throw new HttpProblem(
    'range-not-satisfiable',
    `the file has ${size} bytes, expected a range that begins before its end`,
    {},
    { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' },
  );
}
