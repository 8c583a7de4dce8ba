import { once } from 'node:events';
import { appendFileSync, createReadStream, writeFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Parser, type ReadEntry } from 'tar';
import { CommandError, errorOf, isSystemError } from '../../system.ts';

/** The maximum number of files and folders, including those that are not wanted. */
const MAX_FILES = 100_000;
/** Files that are not wanted are read too, to find the next ones. */
const READ_PER_WANTED = 4;
/** The maximum ratio of unpacked to packed size; small results may exceed it. */
const MAX_RATIO = 100;
const SMALL_BYTES = 64 * 1024 * 1024;
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
  const files = new Map<string, string>();
  let failure: unknown;
  const attempt = (work: () => void): void => {
    try {
      if (failure === undefined) work();
    } catch (error) {
      failure = error;
    }
  };
  const left = { files: maxFiles, read: READ_PER_WANTED * maxBytes, written: maxBytes };
  const take = (entry: ReadEntry) => {
    const isWanted = FILE_TYPES.includes(entry.type) && wanted(entry.path);
    left.files--;
    left.read -= entry.size;
    if (isWanted) left.written -= entry.size;
    if (left.files < 0) throw new CommandError(`the archive in "source" has more than ${maxFiles} files`);
    if (left.read < 0 || left.written < 0)
      throw new CommandError(
        `the archive in "source" has more than ${maxBytes} bytes when it is unpacked: map fewer of its files, or allow more ("read_mb" in "limits" of "source")`,
      );
    if (!isWanted) return;
    // A path that occurs twice is one file, whose last content counts.
    const full = files.get(entry.path) ?? path.join(folder, String(files.size));
    files.set(entry.path, full);
    writeFileSync(full, '');
    entry.on('data', (chunk: Buffer) => attempt(() => appendFileSync(full, chunk)));
  };
  const { size } = await stat(archive);
  const parser = new Parser({
    maxDecompressionRatio: Math.max(MAX_RATIO, SMALL_BYTES / size),
    onReadEntry(entry: ReadEntry) {
      attempt(() => take(entry));
      entry.resume();
    },
    // Of its warnings, these mean wrong files.
    onwarn: (code, message) => {
      if (/^TAR_(BAD_ARCHIVE|ENTRY_INVALID)$/.test(code)) failure ??= new Error(String(message));
    },
  });
  // Damaged gzip, or one that unpacks to far more than archives of games do.
  parser.on('error', (error) => {
    failure ??= error;
  });
  try {
    for await (const chunk of createReadStream(archive)) {
      if (!parser.write(chunk) && failure === undefined) await once(parser, 'drain');
      if (failure !== undefined) break;
    }
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
