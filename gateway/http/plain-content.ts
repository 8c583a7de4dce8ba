import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { FileRef } from '../../scripts/format/dist-format.ts';

/** Longer contents are decompressed for each request; shorter ones are kept, up to a number of bytes together. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const KEPT_BYTES = 64 * 1024 * 1024;
/** How many bytes are sent at once. */
const CHUNK_BYTES = 256 * 1024;

/** What compressed files contain, for clients that take no compressed bytes: few do, so that dist/ has no plain files. */
export class PlainContent {
  readonly #maxKept: number;
  readonly #contents = new LRUCache<string, Promise<Buffer>>({ maxSize: KEPT_BYTES });

  /** @param maxKept longer contents are not kept, in bytes */
  constructor(maxKept = MAX_KEPT_BYTES) {
    this.#maxKept = maxKept;
  }

  /**
   * Reads a part of what a gzip file contains.
   *
   * @param content the size and SHA-256 of all that the file contains
   * @param end inclusive
   */
  async *read(
    file: FileHandle,
    content: Pick<FileRef, 'bytes' | 'sha256'>,
    { start, end }: { start: number; end: number },
  ): AsyncGenerator<Buffer> {
    if (content.bytes > this.#maxKept) {
      yield* decompress(file, start, end);
      return;
    }
    const bytes = await this.#keep(file, content);
    for (let at = start; at <= end; at += CHUNK_BYTES)
      yield bytes.subarray(at, Math.min(at + CHUNK_BYTES, end + 1));
  }

  #keep(file: FileHandle, { sha256, bytes: size }: Pick<FileRef, 'bytes' | 'sha256'>): Promise<Buffer> {
    const hit = this.#contents.get(sha256);
    if (hit !== undefined) return hit;
    const making = buffer(chunksOf(file)).then((stored) =>
      promisify(gunzip)(stored, { maxOutputLength: size }),
    );
    this.#contents.set(sha256, making, { size });
    making.catch(() => this.#contents.delete(sha256));
    return making;
  }
}

/** Reads a file from its start, without a stream of the file: that would close it. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Decompresses a file up to the end of a part, without keeping more of it in memory than is being sent. */
async function* decompress(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
  const stored = Readable.from(chunksOf(file)).on('error', (error) => plain.destroy(error));
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
