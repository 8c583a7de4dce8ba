import { once } from 'node:events';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { fromFdPromise } from 'yauzl';
import { CommandError, errorOf } from '../../system.ts';

/** The maximum number of files and folders, including those that are not wanted. */
const MAX_FILES = 100_000;
/** The maximum ratio of unpacked to packed size; small results may exceed it. */
const MAX_RATIO = 100;
const SMALL_BYTES = 64 * 1024 * 1024;
/** Files that are not wanted are read too, to find the next ones in a tar archive. */
const READ_PER_WANTED = 4;
/** The file type in the attributes of a zip from a system with symbolic links. */
const FILE_TYPE = 0o170000;
const LINK = 0o120000;

interface UnpackOptions {
  /** Whether to unpack a file, by its path in the archive, which may lead out of it. */
  wanted: (file: string) => boolean;
  /** The maximum size of the wanted files together. */
  maxBytes: number;
  maxFiles?: number;
}

/**
 * Unpacks a zip or tar archive, which may be gzipped, in pieces: a larger archive needs no more memory. Links and folders are left out.
 *
 * @param folder receives the files under generated names; it must not exist
 * @returns the place of each file, by its path in the archive
 * @throws CommandError if it is not such an archive, damaged, or exceeds a limit; then the folder has some of the files
 */
export async function unpack(
  archive: string,
  folder: string,
  options: UnpackOptions,
): Promise<Map<string, string>> {
  await mkdir(folder);
  const taker = new Taker(folder, (await stat(archive)).size, options);
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
  return taker.files;
}

/** Receives the contents of an archive, within its limits. */
class Taker {
  readonly files = new Map<string, string>();
  readonly wanted: UnpackOptions['wanted'];
  readonly #folder: string;
  /** How many entries and bytes may still be read, and bytes be written. */
  readonly #left: { entries: number; read: number; written: number };
  readonly #options: UnpackOptions;

  constructor(folder: string, size: number, options: UnpackOptions) {
    const { wanted, maxBytes, maxFiles = MAX_FILES } = options;
    this.wanted = wanted;
    this.#folder = folder;
    this.#options = options;
    const read = Math.min(READ_PER_WANTED * maxBytes, Math.max(SMALL_BYTES, MAX_RATIO * size));
    this.#left = { entries: maxFiles, read, written: maxBytes };
  }

  count(what: 'entries' | 'read' | 'written', count: number): void {
    this.#left[what] -= count;
    if (this.#left[what] >= 0) return;
    const { maxBytes, maxFiles = MAX_FILES } = this.#options;
    throw new CommandError(
      what === 'entries'
        ? `the archive in "source" has more than ${maxFiles} files`
        : `the archive in "source" has more than ${maxBytes} bytes when it is unpacked: map fewer of its files, or allow more ("read_mb" in "limits" of "source")`,
    );
  }

  /** Opens a file for writing. Returns a function that receives its content; undefined ends it. */
  open(file: string): (chunk: Buffer | undefined) => void {
    // A path that occurs twice is one file, whose last content counts.
    const full = this.files.get(file) ?? path.join(this.#folder, String(this.files.size));
    const descriptor = openSync(full, 'w');
    this.files.set(file, full);
    return (chunk) => {
      if (chunk === undefined) return closeSync(descriptor);
      this.count('written', chunk.length);
      for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
    };
  }
}

async function unzip(descriptor: number, taker: Taker): Promise<void> {
  // With `decodeStrings`, a path that leads out of the archive would make the whole archive unreadable.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  const zip = await fromFdPromise(descriptor, options);
  taker.count('entries', zip.entryCount);
  for await (const entry of zip.eachEntry()) {
    const file = entry.fileName.toString();
    const isLink = ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
    if (file.endsWith('/') || isLink || !taker.wanted(file)) continue;
    const take = taker.open(file);
    try {
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        taker.count('read', chunk.length);
        take(chunk);
      }
    } finally {
      take(undefined);
    }
  }
}

async function untar(archive: string, isGzip: boolean, taker: Taker): Promise<void> {
  let failure: unknown;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      failure ??= error;
    }
  };
  const parser = new Parser({
    onReadEntry(entry: ReadEntry) {
      const isFile = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile';
      attempt(() => {
        taker.count('entries', 1);
        if (!isFile || !taker.wanted(entry.path)) return;
        const take = taker.open(entry.path);
        entry.on('end', () => attempt(() => take(undefined)));
        entry.on('data', (chunk: Buffer) => attempt(() => take(chunk)));
      });
      entry.resume();
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
    taker.count('read', chunk.length);
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
