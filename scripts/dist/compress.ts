import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, gzip, type ZlibOptions } from 'node:zlib';

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

// Higher levels take much longer and compress only a little better: docs/speed.md has the figures.

/** How files are compressed with gzip. */
export const GZIP_OPTIONS: ZlibOptions = { level: 6 };

/** How a file of this many bytes is compressed with brotli. */
export function brotliOptions(bytes: number): BrotliOptions {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS - 2,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
}

/** Compresses bytes with gzip. */
export const compressGzip = (bytes: Uint8Array): Promise<Buffer> => gzipAsync(bytes, GZIP_OPTIONS);

/** Compresses bytes with brotli. */
export const compressBrotli = (bytes: Uint8Array): Promise<Buffer> =>
  brotliAsync(bytes, brotliOptions(bytes.length));

/** Compresses the bytes of a file with both. */
export async function compress(bytes: Uint8Array): Promise<{ gzip: Buffer; brotli: Buffer }> {
  const [gzipped, brotli] = await Promise.all([compressGzip(bytes), compressBrotli(bytes)]);
  return { gzip: gzipped, brotli };
}
