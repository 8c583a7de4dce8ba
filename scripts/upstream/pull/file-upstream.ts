import { createHash } from 'node:crypto';
import { copyFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, makeFolder } from '../../system.ts';
import { withLock as withLease } from '../../dist/lock.ts';
import type { RawGameDefinition } from '../../read/definition.ts';
import type { UpstreamOptions } from '../../read/game.ts';
import { limitsOfSource } from '../add/limits.ts';
import { type RawSource, sourceOf } from './source-definition.ts';
import { captureBy } from '../../read/schema.ts';
import { connectTo } from './address.ts';
import { hashFile } from '../add/plan-addition.ts';
import { fetchFile, type KnownFile } from './fetch-file.ts';
import { FetchedState } from './fetched-state.ts';
import type { UpstreamBuild } from './group-builds.ts';
import { findProblem, readDate, readValue } from './read-commits.ts';
import type { Silence } from './silence.ts';
import { UNPACK_LIMITS, unpack } from './unpack.ts';
import type { GameUpstream, UseDump } from './upstream.ts';
import { placeFiles } from './upstream-files.ts';

/** A file that was fetched, by the path that it has upstream. */
type Fetched = Map<string, string>;

/** The one build that files at addresses, or an archive, are now. */
export class FileUpstream implements GameUpstream {
  readonly #folder: string;
  readonly #raw: RawGameDefinition;
  readonly #files: Fetched;
  readonly builds: readonly UpstreamBuild[];
  readonly problems: readonly string[];
  readonly warning: string | undefined;
  readonly silence: Silence;

  private constructor(
    folder: string,
    raw: RawGameDefinition,
    files: Fetched,
    contents: { builds: UpstreamBuild[]; problems: string[]; warning: string | undefined },
  ) {
    this.#folder = folder;
    this.#raw = raw;
    this.#files = files;
    this.builds = contents.builds;
    this.problems = contents.problems;
    this.warning = contents.warning;
    const isNamed = contents.builds.length + contents.problems.length > 0;
    const fault = 'no file names a build: check "build" of "source" in game.json';
    this.silence = { faults: isNamed ? [] : [fault], elsewhere: 0 };
  }

  /**
   * Fetches the files of a game that have changed, and calls `use` with the build that they are.
   *
   * @param now ms since 1970
   * @throws CommandError if one cannot be fetched, or an address is not allowed
   */
  static async use<T>(
    raw: RawGameDefinition,
    source: RawSource,
    { cache, allowLocal }: UpstreamOptions,
    now: number,
    use: (upstream: FileUpstream) => Promise<T>,
  ): Promise<T> {
    const { archive, files = archive === undefined ? {} : { [archive]: 'archive' } } = source;
    const identity = JSON.stringify(Object.keys(files).sort());
    const key = createHash('sha256').update(identity).digest('hex').slice(0, 24);
    const folder = path.resolve(cache, key);
    await makeFolder(folder);
    const refuse = () =>
      new CommandError(`another gamedata pull is fetching to ${cache}/${key}: wait until it ends`);
    const work = async () => {
      const at = new Date(now).toISOString();
      const limits = limitsOfSource(source);
      const { known, warning } = await fetchAll(folder, Object.keys(files), allowLocal, at, limits);
      const found =
        archive === undefined ? placeFetched(folder, files) : await unpackTo(folder, archive, raw);
      const build = await describeBuild(source, known, found);
      return await use(new FileUpstream(folder, raw, found, { ...build, warning }));
    };
    const clear = () => rm(unpackedIn(folder), { recursive: true, force: true });
    return await withLease(path.join(folder, '.lock'), () => work().finally(clear), { refuse });
  }

  async withDump<T>(_build: UpstreamBuild, use: UseDump<T>): Promise<T | undefined> {
    const place = placeFiles(this.#raw);
    const dump = path.join(this.#folder, 'dump');
    await rm(dump, { recursive: true, force: true });
    try {
      let copied = 0;
      for (const [file, from] of this.#files) {
        const target = place(file);
        if (target === undefined) continue;
        const full = path.join(dump, target);
        await makeFolder(path.dirname(full));
        await copyFile(from, full);
        copied++;
      }
      return copied === 0 ? undefined : await use(dump, undefined);
    } finally {
      await rm(dump, { recursive: true, force: true });
    }
  }
}

function unpackedIn(folder: string): string {
  return path.join(folder, 'unpacked');
}

/** The name of a fetched file in the cache. */
function nameOf(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}

async function fetchAll(
  folder: string,
  addresses: readonly string[],
  allowLocal: boolean,
  now: string,
  { read: maxBytes, maxMs }: { read: number; maxMs: number },
): Promise<{ known: KnownFile[]; warning: string | undefined }> {
  const state = await FetchedState.read(path.join(folder, 'fetched.json'));
  const files: KnownFile[] = [];
  const end = performance.now() + maxMs;
  for (const address of addresses) {
    const connection = await connectTo(address, allowLocal);
    const target = path.join(folder, nameOf(address));
    const before = state.find(address);
    const usable =
      before && (await hashFile(target).catch(() => undefined)) === before.sha256 ? before : undefined;
    const file = await fetchFile(connection, target, usable, {
      ...{ now, maxBytes },
      maxMs: Math.max(1, Math.round(end - performance.now())),
    });
    files.push(file);
    await state.note(address, file);
  }
  return { known: files, warning: state.problem };
}

function placeFetched(folder: string, files: Readonly<Record<string, string>>): Fetched {
  return new Map(
    Object.entries(files).map(([address, target]) => [target, path.join(folder, nameOf(address))]),
  );
}

/** Unpacks the files of an archive that the game reads, and those that name its build, under names without folders. */
async function unpackTo(folder: string, archive: string, raw: RawGameDefinition): Promise<Fetched> {
  const place = placeFiles(raw);
  const { build, released_at } = sourceOf(raw) ?? {};
  const read = [build, released_at].flatMap((reading) =>
    typeof reading === 'object' ? (reading.file ?? []) : [],
  );
  const target = unpackedIn(folder);
  await rm(target, { recursive: true, force: true });
  const wanted = (file: string) => read.includes(file) || place(file) !== undefined;
  return await unpack(path.join(folder, nameOf(archive)), target, {
    wanted,
    limits: { ...UNPACK_LIMITS, bytes: limitsOfSource(sourceOf(raw) ?? {}).read },
  });
}

async function describeBuild(
  { build, released_at, ...source }: RawSource,
  knownFiles: readonly KnownFile[],
  files: Fetched,
): Promise<{ builds: UpstreamBuild[]; problems: string[] }> {
  const changed = newestChange(knownFiles);
  const readText = async (reading: Exclude<RawSource['build'], 'date'>) => {
    const { file = '', at = '', pattern } = reading;
    const from = files.get(file);
    const value = from && readValue(await readFile(from, 'utf8'), file, at);
    return value === undefined || pattern === undefined ? value : captureBy(pattern)(value);
  };
  if (build !== 'date' && build.file === undefined)
    throw new CommandError(
      '"build" in "source" is about commits: for files at addresses, use "date" or {"file": …, "at": …}',
    );
  const name = build === 'date' ? changed.slice(0, 10) : await readText(build);
  if (name === undefined) return { builds: [], problems: [] };
  const date = released_at && readDate(await readText(released_at));
  const problem = findProblem(name, released_at !== undefined && date === undefined);
  const address = source.archive ?? Object.keys(source.files ?? {})[0] ?? '';
  if (problem !== undefined) return { builds: [], problems: [`${address} ${problem}`] };
  const hashes = knownFiles.map(({ sha256 }) => sha256);
  const version = createHash('sha256').update(hashes.join()).digest('hex');
  const made = { build: name, released_at: date ?? changed, commit: version, newestCommit: version };
  return { builds: [{ ...made, subject: address, settledAt: 0, corrections: 0 }], problems: [] };
}

/** When the files changed last, as their servers say; otherwise when the content was fetched first. ISO 8601 in UTC, to the second. */
function newestChange(files: readonly KnownFile[]): string {
  const times = files.map(({ modified, fetched_at }) => {
    const time = Date.parse(modified ?? '');
    return Number.isNaN(time) ? Date.parse(fetched_at) : time;
  });
  const newest = times.reduce((a, b) => Math.max(a, b), 0);
  return new Date(newest).toISOString().replace(/\.\d+Z$/, 'Z');
}
