import { hash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, createReadStream, writeFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Parser, type ReadEntry } from 'tar';
import type { UpstreamOptions } from '../../read/game.ts';
import type { RawGameDefinition } from '../../read/game-schema.ts';
import { CommandError, errorOf, isSystemError, makeFolder } from '../../system.ts';
import { placeFiles } from '../add/files.ts';
import { filesThatName, limitsOfSource, type RawReading, type RawSource } from '../source.ts';
import {
  findProblem,
  type GameUpstream,
  makeBuild,
  readDate,
  readValue,
  type UpstreamBuild,
} from './builds.ts';
import { connectTo, type FetchedFile, fetchFile, withCacheFolder } from './fetch.ts';

/** The builds of files that were downloaded. */
export interface FileUpstream extends Pick<GameUpstream, 'builds' | 'problems' | 'faults'> {
  /** The files of a build, by their paths in the build's folder. */
  filesOf(build: UpstreamBuild): Promise<ReadonlyMap<string, string>>;
}

/** Calls `use` with what `find` finds, in a folder of the cache that only one process uses at a time. @param key identifies its content */
export async function useCacheFolder<T>(
  cache: string,
  key: string,
  find: (folder: string) => Promise<FileUpstream>,
  use: (upstream: GameUpstream) => Promise<T>,
): Promise<T> {
  const clear = async (folder: string) => {
    for (const each of ['unpacked', 'parts', 'dump'])
      await rm(path.join(folder, each), { recursive: true, force: true });
  };
  const work = async (folder: string) => {
    await clear(folder);
    const { filesOf, ...found } = await find(folder);
    const dump = path.join(folder, 'dump');
    return await use({
      ...found,
      async withDump(build, take) {
        const files = await filesOf(build);
        if (files.size === 0) return undefined;
        await rm(dump, { recursive: true, force: true });
        for (const [target, from] of files) {
          await makeFolder(path.dirname(path.join(dump, target)));
          await copyFile(from, path.join(dump, target));
        }
        return await take(dump, undefined);
      },
    });
  };
  const finish = (folder: string) => work(folder).finally(() => clear(folder));
  return await withCacheFolder({ cache, key, what: 'files' }, finish);
}

/**
 * Downloads the changed files of a game, or an archive, and calls `use` with the single build that they are.
 *
 * @throws CommandError if one cannot be downloaded, or an address is not allowed
 */
export async function useFiles<T>(
  raw: RawGameDefinition,
  source: RawSource,
  { cache, allowLocal }: UpstreamOptions,
  use: (upstream: GameUpstream) => Promise<T>,
): Promise<T> {
  const { archive, files = { [archive ?? '']: '' } } = source;
  const addresses = Object.keys(files).sort();
  const place = placeFiles(raw);
  const find = async (folder: string): Promise<FileUpstream> => {
    const downloaded = (address: string) => path.join(folder, hash('sha256', address));
    const { read: maxBytes, maxMs } = limitsOfSource(source);
    const end = performance.now() + maxMs;
    const fetched: FetchedFile[] = [];
    for (const address of addresses) {
      const left = { maxBytes, maxMs: Math.max(1, Math.round(end - performance.now())) };
      fetched.push(await fetchFile(await connectTo(address, allowLocal), downloaded(address), left));
    }
    const wanted = (file: string) => filesThatName(source).includes(file) || place(file) !== undefined;
    const found = archive
      ? await unpack(downloaded(archive), path.join(folder, 'unpacked'), { wanted, maxBytes })
      : new Map(Object.entries(files).map(([address, target]) => [target, downloaded(address)]));
    const placed = [...found].flatMap(([file, from]) => {
      const target = place(file);
      return target === undefined ? [] : [[target, from] as const];
    });
    return { ...(await describeBuild(source, fetched, found)), filesOf: async () => new Map(placed) };
  };
  return await useCacheFolder(cache, JSON.stringify(addresses), find, use);
}

async function describeBuild(
  { build, released_at, archive, files = {} }: RawSource,
  fetched: readonly FetchedFile[],
  found: ReadonlyMap<string, string>,
): Promise<Pick<FileUpstream, 'builds' | 'problems' | 'faults'>> {
  const none = { builds: [], problems: [], faults: [] };
  // The last change of the files according to their servers, otherwise the first download of this content.
  const timeOf = ({ modified = '', fetched_at }: FetchedFile) =>
    Date.parse(modified) || Date.parse(fetched_at);
  const changed = new Date(Math.max(0, ...fetched.map(timeOf))).toISOString().replace(/\.\d+Z$/, 'Z');
  const readText = async (reading: RawReading) => {
    const from = found.get(reading.file ?? '');
    return from && readValue(await readFile(from, 'utf8'), reading);
  };
  if (build !== 'date' && build.file === undefined)
    throw new CommandError(
      '"build" in "source" is about commits: for files at addresses, use "date" or {"file": …, "at": …}',
    );
  const name = build === 'date' ? changed.slice(0, 10) : await readText(build);
  if (name === undefined)
    return { ...none, faults: ['no file names a build: check "build" of "source" in game.json'] };
  const date = released_at ? readDate(await readText(released_at)) : changed;
  const problem = findProblem(name, date === undefined);
  const subject = archive ?? Object.keys(files)[0] ?? '';
  if (problem !== undefined) return { ...none, problems: [`${subject} ${problem}`] };
  const content = hash('sha256', fetched.map(({ sha256 }) => sha256).join());
  return { ...none, builds: [makeBuild(name, date ?? '', content, subject)] };
}

/** The maximum number of files and folders, including those that are not wanted. */
const MAX_FILES = 100_000;
/** Files that are not wanted are read too, to find the next ones. */
const READ_PER_WANTED = 4;
/** The maximum ratio of unpacked to packed size; small results may exceed it. */
const MAX_RATIO = 100;
const SMALL_BYTES = 64 * 1024 * 1024;
const FILE_TYPES: readonly string[] = ['File', 'OldFile', 'ContiguousFile'];

/**
 * Unpacks a tar.gz in pieces: a larger one needs no more memory. Links and folders are left out.
 *
 * @param folder receives the files under generated names; it must not exist
 * @param limits which files to unpack, by their paths in the archive, which may lead out of it, and the maximum size of these together
 * @returns the place of each file, by its path in the archive
 * @throws CommandError if it is not such an archive, damaged, or exceeds a limit; then the folder has some of the files
 */
export async function unpack(
  archive: string,
  folder: string,
  { wanted, maxBytes }: { wanted: (file: string) => boolean; maxBytes: number },
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
  const left = { files: MAX_FILES, read: READ_PER_WANTED * maxBytes, written: maxBytes };
  const take = (entry: ReadEntry) => {
    // `tar -C dump .` begins each path so.
    const file = entry.path.replace(/^(\.\/)+/, '');
    const isWanted = FILE_TYPES.includes(entry.type) && wanted(file);
    left.files--;
    left.read -= entry.size;
    if (isWanted) left.written -= entry.size;
    if (left.files < 0) throw new CommandError(`the archive has more than ${MAX_FILES} files`);
    if (left.read < 0 || left.written < 0)
      throw new CommandError(
        `the archive has more than ${maxBytes} bytes when it is unpacked: map fewer of its files, or allow more ("read_mb" in "limits" of "source")`,
      );
    if (!isWanted) return;
    // A path that occurs twice is one file, whose last content counts.
    const full = files.get(file) ?? path.join(folder, String(files.size));
    files.set(file, full);
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
    throw new CommandError(`the archive cannot be unpacked: ${errorOf(error).message}; expected tar.gz`);
  }
  return files;
}
