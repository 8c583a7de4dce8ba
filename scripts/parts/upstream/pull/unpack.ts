import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { parseTar } from 'nanotar';
import { CommandError } from '../../../core/lib/command-error.ts';

/** All files of an archive together have at most so many bytes. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;
const MAX_FILES = 100_000;

/** A file of an archive. */
export interface PackedFile {
  /** Its path in the archive; it may lead out of it. */
  path: string;
  content: Uint8Array;
}

/**
 * Unpacks a zip or tar archive, also a tar archive that is compressed with gzip. Links and folders are left out.
 *
 * @param wanted says which files are unpacked, by path
 * @throws CommandError if it is no such archive, damaged or too large
 */
export function unpack(
  bytes: Buffer,
  wanted: (path: string) => boolean,
  maxBytes = MAX_UNPACKED_BYTES,
): PackedFile[] {
  try {
    return isZip(bytes) ? unzip(bytes, wanted, maxBytes) : untar(bytes, wanted, maxBytes);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { message, code } = error as Error & { code?: unknown };
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new CommandError(
      `the archive in "source" cannot be unpacked: ${message}; expected zip, tar or tar.gz`,
    );
  }
}

function isZip(bytes: Buffer): boolean {
  return bytes.length > 4 && bytes.readUInt32LE(0) === 0x04034b50;
}

function isGzip(bytes: Buffer): boolean {
  return bytes.length > 2 && bytes.readUInt16BE(0) === 0x1f8b;
}

function unzip(bytes: Buffer, wanted: (path: string) => boolean, maxBytes: number): PackedFile[] {
  let total = 0;
  let files = 0;
  // A compressed file gets as much memory as it says that it needs. A file that is stored as it is has its size in the archive.
  const unpacked = unzipSync(bytes, {
    filter: ({ name, size, originalSize }) => {
      if (++files > MAX_FILES) throw tooMany();
      if (name.endsWith('/') || !wanted(name)) return false;
      total += Math.max(size, originalSize);
      if (total > maxBytes) throw tooLarge(maxBytes);
      return true;
    },
  });
  return Object.entries(unpacked).map(([path, content]) => ({ path, content }));
}

function untar(bytes: Buffer, wanted: (path: string) => boolean, maxBytes: number): PackedFile[] {
  const plain = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes;
  if (plain.length < 512 || plain.toString('latin1', 257, 262) !== 'ustar')
    throw new Error('it is another kind of file');
  const files = parseTar(toOwnMemory(plain));
  if (files.length > MAX_FILES) throw tooMany();
  return files.flatMap(({ name, type, data }) =>
    data === undefined || !(type === 'file' || type === undefined) || !wanted(name)
      ? []
      : { path: name, content: data },
  );
}

/** Returns bytes that share their memory with no others: `parseTar` reads all of that memory. */
function toOwnMemory(bytes: Buffer): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

function tooMany(): CommandError {
  return new CommandError(`the archive in "source" has more than ${MAX_FILES} files`);
}

function tooLarge(maxBytes: number): CommandError {
  return new CommandError(`the archive in "source" has more than ${maxBytes} bytes when it is unpacked`);
}
