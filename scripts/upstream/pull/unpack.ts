import { once } from 'node:events';
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { CommandError, errorOf, isSystemError } from '../../system.ts';

/** The maximum number of files and folders, including those that are not wanted. */
const MAX_FILES = 100_000;
/** The maximum ratio of unpacked to packed size; small results may exceed it. */
const MAX_RATIO = 100;
const SMALL_BYTES = 64 * 1024 * 1024;
/** Files that are not wanted are read too, to find the next ones. */
const READ_PER_WANTED = 4;
const FILE_TYPES: readonly string[] = ['File', 'OldFile', 'ContiguousFile'];

interface UnpackOptions {
  /** Whether to unpack a file, by its path in the archive, which may lead out of it. */
  wanted: (file: string) => boolean;
  /** The maximum size of the wanted files together. */
  maxBytes: number;
  maxFiles?: number;
}

/**
 * Unpacks a tar.gz in pieces: a larger one needs no more memory. Links and folders are left out.
 *
 * @param folder receives the files under generated names; it must not exist
 * @returns the place of each file, by its path in the archive
 * @throws CommandError if it is not such an archive, damaged, or exceeds a limit; then the folder has some of the files
 */
export async function unpack(
  archive: string,
  folder: string,
  { wanted, maxBytes, maxFiles = MAX_FILES }: UnpackOptions,
): Promise<Map<string, string>> {
  await mkdir(folder);
  const { size } = await stat(archive);
  const files = new Map<string, string>();
  const readable = Math.min(READ_PER_WANTED * maxBytes, Math.max(SMALL_BYTES, MAX_RATIO * size));
  const left = { entries: maxFiles, read: readable, written: maxBytes };
  const count = (what: keyof typeof left, number: number) => {
    left[what] -= number;
    if (left[what] >= 0) return;
    const advice = 'map fewer of its files, or allow more ("read_mb" in "limits" of "source")';
    const limit =
      what === 'entries' ? `${maxFiles} files` : `${maxBytes} bytes when it is unpacked: ${advice}`;
    throw new CommandError(`the archive in "source" has more than ${limit}`);
  };
  /** Writes an entry's content to its file. */
  const take = (entry: ReadEntry) => {
    count('entries', 1);
    if (!FILE_TYPES.includes(entry.type) || !wanted(entry.path)) return;
    // A path that occurs twice is one file, whose last content counts.
    const full = files.get(entry.path) ?? path.join(folder, String(files.size));
    const descriptor = openSync(full, 'w');
    files.set(entry.path, full);
    entry.on('end', () => attempt(() => closeSync(descriptor)));
    entry.on('data', (chunk: Buffer) =>
      attempt(() => {
        count('written', chunk.length);
        for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
      }),
    );
  };
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
      attempt(() => take(entry));
      entry.resume();
    },
    // Of its warnings, these mean wrong files.
    onwarn: (code, message) => {
      if (/^TAR_(BAD_ARCHIVE|ENTRY_INVALID|ABORT)$/.test(code)) failure ??= new Error(String(message));
    },
  });
  const read = createReadStream(archive);
  const plain = read.pipe(createGunzip());
  read.on('error', (error) => plain.destroy(error));
  let isTar = false;
  try {
    for await (const chunk of plain) {
      count('read', chunk.length);
      // The parser would also unpack doubly compressed data, without these limits.
      isTar ||= isTarStart(chunk as Buffer);
      if (!isTar) throw new Error('it is another kind of file');
      if (!parser.write(chunk) && failure === undefined) await once(parser, 'drain');
      if (failure !== undefined) break;
    }
    if (!isTar) throw new Error('it is empty');
    if (failure === undefined) parser.end();
    if (failure !== undefined) throw failure;
  } catch (error) {
    if (error instanceof CommandError || isSystemError(error)) throw error;
    throw new CommandError(
      `the archive in "source" cannot be unpacked: ${errorOf(error).message}; expected tar.gz`,
    );
  }
  return files;
}

/** Whether an archive begins like tar. The name of a file inside gzip can be made to look like tar too. */
function isTarStart(chunk: Buffer): boolean {
  const isCompressed = /^(?:1f8b|28b52ffd)/.test(chunk.toString('hex', 0, 4));
  return !isCompressed && chunk.toString('latin1', 257, 262) === 'ustar';
}
