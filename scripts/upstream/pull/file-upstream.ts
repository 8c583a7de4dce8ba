import { createHash } from 'node:crypto';
import { copyFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from '../../dist/lock.ts';
import type { UpstreamOptions } from '../../read/game.ts';
import type { RawGameDefinition } from '../../read/game-schema.ts';
import { CommandError, makeFolder, replaceFile } from '../../system.ts';
import { hashFile, placeFiles } from '../add/files.ts';
import { filesThatName, limitsOfSource, type RawReading, type RawSource } from '../source.ts';
import {
  findProblem,
  type GameUpstream,
  makeBuild,
  readDate,
  readValue,
  type UpstreamBuild,
} from './builds.ts';
import { connectTo, fetchFile, type KnownFile } from './fetch.ts';
import { unpack } from './unpack.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Calls `use` with a folder of the cache that only one process uses at a time. @param key identifies the folder's content */
export async function withCacheFolder<T>(
  cache: string,
  key: string,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const name = sha256(key).slice(0, 24);
  const folder = path.resolve(cache, name);
  await makeFolder(folder);
  const clear = async () => {
    for (const each of ['unpacked', 'parts', 'dump'])
      await rm(path.join(folder, each), { recursive: true, force: true });
  };
  const refuse = () =>
    new CommandError(`another gamedata pull is fetching to ${cache}/${name}: wait until it ends`);
  const work = () =>
    clear()
      .then(() => use(folder))
      .finally(clear);
  return await withLock(path.join(folder, '.lock'), work, { refuse });
}

/** Calls `use` with a folder with copies of files; undefined if there are none. @param files by their paths in the folder */
export async function withCopies<T>(
  folder: string,
  files: readonly (readonly [target: string, from: string])[],
  use: (dump: string) => Promise<T>,
): Promise<T | undefined> {
  if (files.length === 0) return undefined;
  const dump = path.join(folder, 'dump');
  try {
    for (const [target, from] of files) {
      await makeFolder(path.dirname(path.join(dump, target)));
      await copyFile(from, path.join(dump, target));
    }
    return await use(dump);
  } finally {
    await rm(dump, { recursive: true, force: true });
  }
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
  const addresses = Object.keys(files);
  const place = placeFiles(raw);
  const wanted = (file: string) => filesThatName(source).includes(file) || place(file) !== undefined;
  return await withCacheFolder(cache, JSON.stringify([...addresses].sort()), async (folder) => {
    const known = await fetchAll(folder, addresses, allowLocal, source);
    const downloaded = (address: string) => path.join(folder, sha256(address));
    const limits = { wanted, maxBytes: limitsOfSource(source).read };
    const found = archive
      ? await unpack(downloaded(archive), path.join(folder, 'unpacked'), limits)
      : new Map(Object.entries(files).map(([address, target]) => [target, downloaded(address)]));
    const { builds, problems } = await describeBuild(source, known, found);
    const isNamed = builds.length + problems.length > 0;
    const placed = [...found].flatMap(([file, from]): [string, string][] => {
      const target = place(file);
      return target === undefined ? [] : [[target, from]];
    });
    return await use({
      ...{ builds, problems },
      faults: isNamed ? [] : ['no file names a build: check "build" of "source" in game.json'],
      withDump: (_build, take) => withCopies(folder, placed, (dump) => take(dump, undefined)),
    });
  });
}

async function fetchAll(
  folder: string,
  addresses: readonly string[],
  allowLocal: boolean,
  source: RawSource,
): Promise<KnownFile[]> {
  const file = path.join(folder, 'fetched.json');
  const { read: maxBytes, maxMs } = limitsOfSource(source);
  // Without this file, all files are downloaded again.
  const before: Record<string, KnownFile> = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}));
  const known: KnownFile[] = [];
  const end = performance.now() + maxMs;
  for (const address of addresses) {
    const connection = await connectTo(address, allowLocal);
    const target = path.join(folder, sha256(address));
    const last = before[address];
    const isThere = last && (await hashFile(target).catch(() => undefined)) === last.sha256;
    const left = { maxBytes, maxMs: Math.max(1, Math.round(end - performance.now())) };
    const fetched = await fetchFile(connection, target, isThere ? last : undefined, left);
    known.push(fetched);
    before[address] = fetched;
    await replaceFile(file, Buffer.from(JSON.stringify(before)));
  }
  return known;
}

async function describeBuild(
  { build, released_at, archive, files = {} }: RawSource,
  known: readonly KnownFile[],
  found: ReadonlyMap<string, string>,
): Promise<{ builds: UpstreamBuild[]; problems: string[] }> {
  // The last change of the files according to their servers, otherwise the first download of this content.
  const times = known.map(({ modified, fetched_at }) => Date.parse(modified ?? '') || Date.parse(fetched_at));
  const changed = new Date(Math.max(0, ...times)).toISOString().replace(/\.\d+Z$/, 'Z');
  const readText = async (reading: RawReading) => {
    const from = found.get(reading.file ?? '');
    return from && readValue(await readFile(from, 'utf8'), reading);
  };
  if (build !== 'date' && build.file === undefined)
    throw new CommandError(
      '"build" in "source" is about commits: for files at addresses, use "date" or {"file": …, "at": …}',
    );
  const name = build === 'date' ? changed.slice(0, 10) : await readText(build);
  if (name === undefined) return { builds: [], problems: [] };
  const date = released_at ? readDate(await readText(released_at)) : changed;
  const problem = findProblem(name, date === undefined);
  const subject = archive ?? Object.keys(files)[0] ?? '';
  if (problem !== undefined) return { builds: [], problems: [`${subject} ${problem}`] };
  const commit = sha256(known.map((each) => each.sha256).join());
  return { builds: [makeBuild(name, date ?? '', commit, subject)], problems: [] };
}
