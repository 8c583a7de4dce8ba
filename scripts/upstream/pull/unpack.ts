import { once } from 'node:events';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { type Entry, fromFd, type ZipFile } from 'yauzl';
import { CommandError, errorOf } from '../../system.ts';

/** How much an archive may become. */
export interface UnpackLimits {
  /** All wanted files together. */
  bytes: number;
  /** All files and folders, also those that are not wanted. */
  files: number;
  /** How many times its size an archive may have when all of it is unpacked; archives that become small may exceed it. */
  ratio: number;
}

/** Much more than an archive of any known game needs. */
export const UNPACK_LIMITS: UnpackLimits = { bytes: 512 * 1024 * 1024, files: 100_000, ratio: 100 };

/** What is not wanted is read too, to find what comes after it in a tar archive. */
const READ_PER_WANTED = 4;
/** An archive that becomes no larger than this is harmless. */
const SMALL_BYTES = 64 * 1024 * 1024;

/** Which files of an archive are unpacked, and what they are limited to. */
export interface UnpackOptions {
  /** Says which files are unpacked, by their paths in the archive, which may lead out of it. */
  wanted: (file: string) => boolean;
  limits?: UnpackLimits;
}

/**
 * Unpacks a zip or tar archive, also a tar archive that is compressed with gzip, piece by piece: it needs no more memory for a larger archive. Links and
 * folders are left out.
 *
 * @param archive the file
 * @param folder gets the files, under names without folders; it must not exist
 * @returns where each file is, by its path in the archive
 * @throws CommandError if it is no such archive, damaged, or exceeds a limit; then the folder has some of the files
 */
export async function unpack(
  archive: string,
  folder: string,
  { wanted, limits = UNPACK_LIMITS }: UnpackOptions,
): Promise<Map<string, string>> {
  await mkdir(folder);
  const { size } = await stat(archive);
  const unpacked = new Unpacked(folder, wanted, limits, size);
  try {
    const start = await readStart(archive);
    if (start.toString('latin1', 0, 4) === 'PK\x03\x04') await unzip(archive, unpacked);
    else await untar(archive, start.toString('hex', 0, 2) === '1f8b', unpacked);
  } catch (error) {
    if (error instanceof CommandError || isOfFiles(error)) throw error;
    throw new CommandError(
      `the archive in "source" cannot be unpacked: ${errorOf(error).message}; expected zip, tar or tar.gz`,
    );
  }
  return unpacked.files;
}

/** Whether the system refused to read or write. Errors of zlib have a number too. */
function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

async function readStart(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The files of an archive that were unpacked, which keeps the limits. */
class Unpacked {
  readonly files = new Map<string, string>();
  readonly #folder: string;
  readonly #wanted: (file: string) => boolean;
  readonly #limits: UnpackLimits;
  /** How many bytes may be read of the archive when it is not compressed. */
  readonly #readable: number;
  #entries = 0;
  #read = 0;
  #bytes = 0;

  constructor(folder: string, wanted: (file: string) => boolean, limits: UnpackLimits, size: number) {
    this.#folder = folder;
    this.#wanted = wanted;
    this.#limits = limits;
    this.#readable = Math.min(READ_PER_WANTED * limits.bytes, Math.max(SMALL_BYTES, limits.ratio * size));
  }

  /** Counts what an archive has. @throws CommandError if there are too many */
  countEntries(count: number): void {
    this.#entries += count;
    const { files } = this.#limits;
    if (this.#entries > files) throw new CommandError(`the archive in "source" has more than ${files} files`);
  }

  /** Counts what was read of the archive. @throws CommandError if it is too much */
  countRead(bytes: number): void {
    this.#read += bytes;
    if (this.#read > this.#readable) throw tooLarge(this.#readable);
  }

  isWanted(file: string): boolean {
    return this.#wanted(file);
  }

  /** Opens a file to write it. Returns what takes its content; undefined ends it. */
  open(file: string): (chunk: Buffer | undefined) => void {
    const full = path.join(this.#folder, String(this.files.size));
    // The same path twice is one file, and its last content counts.
    const descriptor = openSync(this.files.get(file) ?? full, 'w');
    if (!this.files.has(file)) this.files.set(file, full);
    return (chunk) => {
      if (chunk === undefined) return closeSync(descriptor);
      this.#bytes += chunk.length;
      if (this.#bytes > this.#limits.bytes) throw tooLarge(this.#limits.bytes);
      for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
    };
  }
}

function tooLarge(bytes: number): CommandError {
  return new CommandError(
    `the archive in "source" has more than ${bytes} bytes when it is unpacked: map fewer of its files, or allow more ("read_mb" in "limits" of "source")`,
  );
}

async function unzip(archive: string, unpacked: Unpacked): Promise<void> {
  const handle = await open(archive);
  try {
    const zip = await openZip(handle.fd);
    unpacked.countEntries(zip.entryCount);
    for (let entry = await nextEntry(zip); entry; entry = await nextEntry(zip)) {
      const file = entry.fileName.toString();
      if (file.endsWith('/') || isLink(entry) || !unpacked.isWanted(file)) continue;
      const take = unpacked.open(file);
      try {
        for await (const chunk of await readEntry(zip, entry)) {
          unpacked.countRead(chunk.length);
          take(chunk);
        }
      } finally {
        take(undefined);
      }
    }
  } finally {
    await handle.close();
  }
}

function openZip(descriptor: number): Promise<ZipFile> {
  // With `decodeStrings`, a path that leads out of the archive would make all of it unreadable.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false } as const;
  return new Promise((resolve, reject) => {
    fromFd(descriptor, options, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

function nextEntry(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    zip.removeAllListeners();
    zip.once('entry', resolve);
    zip.once('end', () => resolve(undefined));
    zip.once('error', reject);
    zip.readEntry();
  });
}

function readEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
}

const FILE_TYPE = 0o170000;
const LINK = 0o120000;

/** Whether a system with such files made the entry as a symbolic link. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & FILE_TYPE) === LINK;
}

async function untar(archive: string, isGzip: boolean, unpacked: Unpacked): Promise<void> {
  let failure: unknown;
  const parser = new Parser({
    onReadEntry: (entry) => {
      try {
        takeEntry(entry, unpacked, (error) => (failure ??= error));
      } catch (error) {
        failure ??= error;
        entry.resume();
      }
    },
    // Of what it only warns about, this is what makes files wrong.
    onwarn: (code, message) => {
      if (/^TAR_(BAD_ARCHIVE|ENTRY_INVALID|ABORT)$/.test(code)) failure ??= new Error(String(message));
    },
  });
  const read = createReadStream(archive);
  const plain = isGzip ? read.pipe(createGunzip()) : read;
  read.on('error', (error) => plain.destroy(error));
  let isTar = false;
  for await (const chunk of plain) {
    unpacked.countRead(chunk.length);
    // The parser would also unpack what is compressed twice, without these limits.
    isTar ||= isTarStart(chunk as Buffer);
    if (!isTar) throw new Error('it is another kind of file');
    if (!parser.write(chunk) && failure === undefined) await once(parser, 'drain');
    if (failure !== undefined) break;
  }
  if (!isTar) throw new Error('it is empty');
  if (failure === undefined) parser.end();
  if (failure !== undefined) throw failure;
}

/** Whether an archive begins as tar. The name of a file inside gzip can be made to look like tar too. */
function isTarStart(chunk: Buffer): boolean {
  const isCompressed = /^(?:1f8b|28b52ffd)/.test(chunk.toString('hex', 0, 4));
  return !isCompressed && chunk.toString('latin1', 257, 262) === 'ustar';
}

function takeEntry(entry: ReadEntry, unpacked: Unpacked, fail: (error: unknown) => void): void {
  unpacked.countEntries(1);
  const isFile = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile';
  if (!isFile || !unpacked.isWanted(entry.path)) return void entry.resume();
  const take = unpacked.open(entry.path);
  const attempt = (chunk: Buffer | undefined) => {
    try {
      take(chunk);
    } catch (error) {
      fail(error);
    }
  };
  entry.on('end', () => attempt(undefined));
  entry.on('data', attempt);
}
