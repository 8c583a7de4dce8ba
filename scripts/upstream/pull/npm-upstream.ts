import { createHash } from 'node:crypto';
import { copyFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, makeFolder } from '../../system.ts';
import { withLock as withLease } from '../../dist/lock.ts';
import type { RawGameDefinition } from '../../read/definition.ts';
import { parseJson } from '../../read/json.ts';
import { matchPattern } from '../../read/patterns.ts';
import type { FoundBuild, UpstreamOptions } from '../../read/game.ts';
import { readPathsOf } from '../add/present-files.ts';
import { runApart } from '../add/run-apart.ts';
import type { UpstreamBuild } from './group-builds.ts';
import {
  type FindRegistry,
  fetchPackument,
  fetchTarball,
  findRegistry,
  type Packument,
  refuseChanged,
} from './npm-registry.ts';
import { findVersions, type PackageBuild, splitVersion } from './npm-builds.ts';
import { limitsOfSource } from '../add/limits.ts';
import type { RawSource, RawSplit } from './source-definition.ts';
import { valueAt } from './split-file.ts';
import type { SplitFiles, SplitTask } from './split-worker.ts';
import type { Silence } from './silence.ts';
import { UNPACK_LIMITS, unpack } from './unpack.ts';
import type { GameUpstream, UseDump } from './upstream.ts';
import { placeFiles } from './upstream-files.ts';

/** The folder in which a tarball has its files. */
const PACKED_IN = 'package/';

/** The builds that versions of a package of the npm registry are. No script of a package runs. */
export class NpmUpstream implements GameUpstream {
  readonly #folder: string;
  readonly #raw: RawGameDefinition;
  readonly #source: RawSource;
  readonly #packument: Packument;
  readonly #now: string;
  /** The files of the version that was unpacked last, by their paths in the folder of a build. */
  #files: { version: string; files: ReadonlyMap<string, string> } | undefined;
  builds: readonly PackageBuild[] = [];
  problems: readonly string[] = [];

  private constructor(
    folder: string,
    raw: RawGameDefinition,
    source: RawSource,
    packument: Packument,
    now: string,
  ) {
    this.#folder = folder;
    this.#raw = raw;
    this.#source = source;
    this.#packument = packument;
    this.#now = now;
  }

  /**
   * Fetches what the registry says about the package of a game, and calls `use` with the builds that its versions are.
   *
   * @param present the builds of the game
   * @param now ms since 1970
   * @throws CommandError if the registry cannot be asked, or has other content for a version that a build was made from
   */
  static async use<T>(
    raw: RawGameDefinition,
    source: RawSource,
    present: readonly FoundBuild[],
    { cache }: Pick<UpstreamOptions, 'cache'>,
    now: number,
    use: (upstream: NpmUpstream) => Promise<T>,
    find: FindRegistry = findRegistry,
  ): Promise<T> {
    const { npm: name = '' } = source;
    const key = createHash('sha256').update(`npm ${name}`).digest('hex').slice(0, 24);
    const folder = path.resolve(cache, key);
    await makeFolder(folder);
    const refuse = () =>
      new CommandError(`another gamedata pull is fetching to ${cache}/${key}: wait until it ends`);
    const work = async () => {
      const at = new Date(now).toISOString();
      const packument = await fetchPackument(name, folder, at, find, limitsOfSource(source).maxMs);
      refuseChanged(packument, present);
      const upstream = new NpmUpstream(folder, raw, source, packument, at);
      await upstream.#findBuilds();
      return await use(upstream);
    };
    const clear = async () => {
      for (const name of ['unpacked', 'parts', 'dump'])
        await rm(path.join(folder, name), { recursive: true, force: true });
    };
    return await withLease(path.join(folder, '.lock'), () => clear().then(work).finally(clear), { refuse });
  }

  get silence(): Silence {
    const isNamed = this.builds.length + this.problems.length > 0;
    const fault = 'no version of the package names a build: check "versions" of "source" in game.json';
    return { faults: isNamed ? [] : [fault], elsewhere: 0 };
  }

  async withDump<T>({ build }: UpstreamBuild, use: UseDump<T>): Promise<T | undefined> {
    const npmBuild = this.builds.find((each) => each.build === build);
    if (npmBuild === undefined) return undefined;
    const files = await this.#prepare(npmBuild.version);
    const isOfBuild = this.#chooseFiles(npmBuild.groups);
    const { isRead } = readPathsOf(this.#raw);
    const dump = path.join(this.#folder, 'dump');
    await rm(dump, { recursive: true, force: true });
    let copied = 0;
    for (const [target, from] of files) {
      if (!isOfBuild(target) || !isRead(target)) continue;
      await makeFolder(path.dirname(path.join(dump, target)));
      await copyFile(from, path.join(dump, target));
      copied++;
    }
    return copied === 0 ? undefined : await use(dump, undefined);
  }

  async #findBuilds(): Promise<void> {
    const { versions, split } = this.#source;
    const { latest, name } = this.#packument;
    const named = versions === undefined ? undefined : findVersions(this.#packument, versions);
    if (split !== undefined && (latest === undefined || !this.#packument.versions.has(latest)))
      throw new CommandError(`the registry has no newest version of ${name} with a SHA-512`);
    const parts = split && (await this.#splitNewest(latest ?? '', split));
    const builds = [named, parts].flatMap((found) => found?.builds ?? []);
    this.builds = builds.sort((a, b) => Date.parse(a.released_at) - Date.parse(b.released_at));
    this.problems = [named, parts].flatMap((found) => found?.problems ?? []);
  }

  async #splitNewest(version: string, split: RawSplit): Promise<ReturnType<typeof splitVersion>> {
    const file = (await this.#unpack(version, (file) => file === split.file)).get(split.file);
    if (file === undefined) throw this.#lacks(version, split.file, 'split');
    const parsed = parseJson(await readFile(file, 'utf8'), split.file);
    const rows = 'value' in parsed ? valueAt(parsed.value, split.at ?? '') : undefined;
    if (rows === undefined) throw this.#lacks(version, `${split.file} ${split.at ?? ''}`, 'split');
    return splitVersion(this.#packument, version, rows, split);
  }

  /** Makes the error about what a version no longer has. */
  #lacks(version: string, file: string, member: 'split' | 'parts'): CommandError {
    return new CommandError(
      `${this.#packument.name} ${version} has no ${file}, which "${member}" in "source" names: upstream has another shape now; look at the package, and correct "${member}" in game.json`,
    );
  }

  /** Returns which files a build has: all that are not of a group, and those of its groups. */
  #chooseFiles(groups: ReadonlySet<string> | undefined): (file: string) => boolean {
    if (groups === undefined) return () => true;
    const parts = Object.values(this.#source.parts ?? {}).flatMap((targets) => Object.entries(targets));
    const grouped = parts.flatMap(([target, { each }]) => (each === undefined ? [] : matchPattern(target)));
    return (file) => !grouped.some((isOf) => isOf(file)) || groups.has(path.posix.parse(file).name);
  }

  /** Unpacks files of a version. Returns where each is, by its path in the package. */
  async #unpack(version: string, wanted: (file: string) => boolean): Promise<Map<string, string>> {
    const limits = limitsOfSource(this.#source);
    const tarball = await fetchTarball(this.#packument, version, this.#folder, this.#now, limits);
    const folder = path.join(this.#folder, 'unpacked');
    await rm(folder, { recursive: true, force: true });
    const files = await unpack(tarball, folder, {
      wanted: (file) => wanted(withoutFolder(file)),
      limits: { ...UNPACK_LIMITS, bytes: limits.read },
    });
    return new Map([...files].map(([file, from]) => [withoutFolder(file), from]));
  }

  /** The files of a version, by their paths in the folder of a build. */
  async #prepare(version: string): Promise<ReadonlyMap<string, string>> {
    if (this.#files?.version === version) return this.#files.files;
    const { parts = {} } = this.#source;
    const place = placeFiles(this.#raw);
    const isLarge = (file: string) => Object.hasOwn(parts, file);
    const packed = await this.#unpack(version, (file) => isLarge(file) || place(file) !== undefined);
    const files = await this.#divide(packed, version);
    for (const [file, from] of packed) {
      const target = isLarge(file) ? undefined : place(file);
      if (target !== undefined) files.set(target, from);
    }
    this.#files = { version, files };
    return files;
  }

  /** Divides the large files of a version in a process of its own. */
  async #divide(packed: ReadonlyMap<string, string>, version: string): Promise<Map<string, string>> {
    const { parts = {} } = this.#source;
    const folder = path.join(this.#folder, 'parts');
    await rm(folder, { recursive: true, force: true });
    const files = new Map<string, string>();
    const { name } = this.#packument;
    for (const [file, targets] of Object.entries(parts)) {
      const from = packed.get(file);
      if (from === undefined) throw this.#lacks(version, file, 'parts');
      const task: SplitTask = { from, file, name: `${name} ${version}`, parts: targets, folder };
      const worker = new URL('./split-worker.js', import.meta.url);
      const done = await runApart<SplitFiles>(worker, task, `${name} ${version}: ${file} cannot be divided`);
      for (const target of done.files) files.set(target, path.join(folder, target));
    }
    return files;
  }
}

function withoutFolder(file: string): string {
  return file.startsWith(PACKED_IN) ? file.slice(PACKED_IN.length) : file.slice(file.indexOf('/') + 1);
}
