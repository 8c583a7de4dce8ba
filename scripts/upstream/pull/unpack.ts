import { once } from 'node:events';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { fromFdPromise } from 'yauzl';
import { CommandError, errorOf } from '../../system.ts';

/** The limits of unpacking: far above any known game. */
export const UNPACK_LIMITS = {
  /** All requested files together. */
  bytes: 512 * 1024 * 1024,
  /** All files and folders, including those that are not requested. */
  files: 100_000,
  /** The maximum ratio of unpacked to packed size; small results may exceed it. */
  ratio: 100,
};

/** Files that are not requested are read too, to find the next ones in a tar archive. */
const READ_PER_WANTED = 4;
const SMALL_BYTES = 64 * 1024 * 1024;
/** The file type in the attributes of a zip from a system with symbolic links. */
const FILE_TYPE = 0o170000;
const LINK = 0o120000;

/** Receives the contents of an archive, within its limits. */
interface Taker {
  countEntries(count: number): void;
  countRead(bytes: number): void;
  wanted(file: string): boolean;
  /** Opens a file for writing. Returns a function that receives its content; undefined ends it. */
  open(file: string): (chunk: Buffer | undefined) => void;
}

/**
 * Unpacks a zip or tar archive, which may be gzipped, in pieces: a larger archive needs no more memory. Links and folders are left out.
 *
 * @param folder receives the files under generated names; it must not exist
 * @param wanted returns whether to unpack a file, by its path in the archive, which may lead out of it
 * @returns the place of each file, by its path in the archive
 * @throws CommandError if it is not such an archive, damaged, or exceeds a limit; then the folder has some of the files
 */
export async function unpack(
  archive: string,
  folder: string,
  { wanted, limits = UNPACK_LIMITS }: { wanted: (file: string) => boolean; limits?: typeof UNPACK_LIMITS },
): Promise<Map<string, string>> {
  await mkdir(folder);
  const { size } = await stat(archive);
  const readable = Math.min(READ_PER_WANTED * limits.bytes, Math.max(SMALL_BYTES, limits.ratio * size));
  const files = new Map<string, string>();
  const counts = { entries: 0, read: 0, bytes: 0 };
  const refuseAbove = (bytes: number, most: number) => {
    if (bytes <= most) return;
    throw new CommandError(
      `the archive in "source" has more than ${most} bytes when it is unpacked: map fewer of its files, or allow more ("read_mb" in "limits" of "source")`,
    );
  };
  const taker: Taker = {
    wanted,
    countEntries(count) {
      counts.entries += count;
      if (counts.entries > limits.files)
        throw new CommandError(`the archive in "source" has more than ${limits.files} files`);
    },
    countRead(bytes) {
      counts.read += bytes;
      refuseAbove(counts.read, readable);
    },
    open(file) {
      // A path that occurs twice is one file, whose last content counts.
      const full = files.get(file) ?? path.join(folder, String(files.size));
      const descriptor = openSync(full, 'w');
      files.set(file, full);
      return (chunk) => {
        if (chunk === undefined) return closeSync(descriptor);
        counts.bytes += chunk.length;
        refuseAbove(counts.bytes, limits.bytes);
        for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
      };
    },
  };
  const handle = await open(archive);
  try {
    const start = (await handle.read(Buffer.alloc(4), 0, 4, 0)).buffer;
    if (start.toString('latin1') === 'PK\x03\x04') await unzip(handle.fd, taker);
    else await untar(archive, start.toString('hex', 0, 2) === '1f8b', taker);
  } catch (error) {
    // Errors of the system describe themselves; those of zlib have a number too.
    if (error instanceof CommandError || (error instanceof Error && 'syscall' in error)) throw error;
    throw new CommandError(
      `the archive in "source" cannot be unpacked: ${errorOf(error).message}; expected zip, tar or tar.gz`,
    );
  } finally {
    await handle.close();
  }
  return files;
}

async function unzip(descriptor: number, taker: Taker): Promise<void> {
  // With `decodeStrings`, a path that leads out of the archive would make the whole archive unreadable.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  const zip = await fromFdPromise(descriptor, options);
  taker.countEntries(zip.entryCount);
  for await (const entry of zip.eachEntry()) {
    const file = entry.fileName.toString();
    const isLink = ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
    if (file.endsWith('/') || isLink || !taker.wanted(file)) continue;
    const take = taker.open(file);
    try {
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        taker.countRead(chunk.length);
        take(chunk);
      }
    } finally {
      take(undefined);
    }
  }
}

async function untar(archive: string, isGzip: boolean, taker: Taker): Promise<void> {
  let failure: unknown;
  const attempt = (work: () => void): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      failure ??= error;
      return false;
    }
  };
  const parser = new Parser({
    onReadEntry(entry: ReadEntry) {
      const isFile = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile';
      const isTaken = attempt(() => {
        taker.countEntries(1);
        if (!isFile || !taker.wanted(entry.path)) return void entry.resume();
        const take = taker.open(entry.path);
        entry.on('end', () => attempt(() => take(undefined)));
        entry.on('data', (chunk: Buffer) => attempt(() => take(chunk)));
      });
      if (!isTaken) entry.resume();
    },
    // Of its warnings, this one means wrong files.
    onwarn: (code, message) => {
      if (/^TAR_(BAD_ARCHIVE|ENTRY_INVALID|ABORT)$/.test(code)) failure ??= new Error(String(message));
    },
  });
  const read = createReadStream(archive);
  const plain = isGzip ? read.pipe(createGunzip()) : read;
  read.on('error', (error) => plain.destroy(error));
  let isTar = false;
  for await (const chunk of plain) {
    taker.countRead(chunk.length);
    // The parser would also unpack doubly compressed data, without these limits.
    isTar ||= isTarStart(chunk as Buffer);
    if (!isTar) throw new Error('it is another kind of file');
    if (!parser.write(chunk) && failure === undefined) await once(parser, 'drain');
    if (failure !== undefined) break;
  }
  if (!isTar) throw new Error('it is empty');
  if (failure === undefined) parser.end();
  if (failure !== undefined) throw failure;
}

/** Whether an archive begins like tar. The name of a file inside gzip can be made to look like tar too. */
function isTarStart(chunk: Buffer): boolean {
  const isCompressed = /^(?:1f8b|28b52ffd)/.test(chunk.toString('hex', 0, 4));
  return !isCompressed && chunk.toString('latin1', 257, 262) === 'ustar';
}
