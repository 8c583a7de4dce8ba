import { closeSync, copyFileSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { OpenBlob } from '../../check/git.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { findNewlyMissed, type Listing } from '../add/missed-files.ts';
import type { RawGameDefinition } from '../../read/definition.ts';
import type { UpstreamOptions } from '../../read/game.ts';
import { limitsOfSource } from '../add/limits.ts';
import { type RawSource, sourceOf } from './source-definition.ts';
import { connectTo } from './address.ts';
import { groupBuilds, type UpstreamBuild } from './group-builds.ts';
import { Mirror, type TreeFile } from './mirror.ts';
import { OtherRepository } from './other-repository.ts';
import { readCommits } from './read-commits.ts';
import { findSilence, findTwins, type Silence } from './silence.ts';
import { listPlaced, moveFiles, placeAll, placeFiles, upstreamFolders } from './upstream-files.ts';

const SETTLE_MINUTES = 60;
/** So many files are named in a message. */
const MAX_NAMED = 5;

/** Where a file of a dump can be fetched at any time. */
interface FileOrigin {
  /** The address of the repository. */
  git: string;
  commit: string;
  /** Its path in the repository. */
  path: string;
}

/** Where the files of a dump come from, by their paths in it. */
type Origins = ReadonlyMap<string, FileOrigin>;

/** Receives the folder of a dump, and where its files come from; undefined where only the newest files are. */
export type UseDump<T> = (folder: string, origins: Origins | undefined) => Promise<T>;

/** What upstream has of a game, as it was fetched. */
export interface GameUpstream {
  /** The builds that it names, in the order of their release. */
  readonly builds: readonly UpstreamBuild[];
  /** What is wrong with what names no build although it should. */
  readonly problems: readonly string[];
  /** What makes no build although it should. */
  readonly silence: Silence;
  /** What was wrong in the cache, and is mended. */
  readonly warning?: string | undefined;
  /**
   * Calls `use` with a folder that has the files of a build as a dump has them; the folder is removed afterwards.
   *
   * @returns undefined if the build has no file that the game reads
   */
  withDump<T>(build: UpstreamBuild, use: UseDump<T>): Promise<T | undefined>;
  /**
   * Finds the files of a build beside those that the game reads, which no table takes and the build before it lacks, by their paths in its folder.
   * Only a repository lists files that the game does not read.
   *
   * @param isFirst whether the game has no build yet: then all such files are found
   */
  findMissed?(build: UpstreamBuild, isFirst: boolean): Promise<string[]>;
  /** Says what became of files that a build does not have any more: a link, or another case of the name. Only a repository knows. */
  explainLost?(build: UpstreamBuild, files: readonly string[]): Promise<string[]>;
  /** Fetches the files of builds, so that `withDump` needs no network. */
  fetchFiles?(builds: readonly UpstreamBuild[]): Promise<void>;
  /** Whether a commit is still one of the branch. */
  hasCommit?(commit: string): Promise<boolean>;
}

/** The upstream repositories of a game, as they were fetched. */
export class Upstream implements GameUpstream {
  readonly #mirror: Mirror;
  readonly #raw: RawGameDefinition;
  readonly #git: string;
  readonly #others: readonly OtherRepository[];
  readonly builds: readonly UpstreamBuild[];
  readonly problems: readonly string[];
  readonly silence: Silence;

  private constructor(
    mirror: Mirror,
    raw: RawGameDefinition,
    others: readonly OtherRepository[],
    contents: { builds: UpstreamBuild[]; problems: string[]; silence: Silence },
  ) {
    this.#mirror = mirror;
    this.#raw = raw;
    this.#git = raw.source?.git ?? '';
    this.#others = others;
    this.builds = contents.builds;
    this.problems = contents.problems;
    this.silence = contents.silence;
  }

  /**
   * Fetches the upstream repositories of a game, and calls `use` with them.
   *
   * @throws CommandError if one cannot be fetched, or its address is not allowed
   */
  static async use<T>(
    raw: RawGameDefinition,
    source: RawSource,
    options: UpstreamOptions,
    use: (upstream: Upstream) => Promise<T>,
  ): Promise<T> {
    const { git = '', others = [] } = source;
    const { maxMs } = limitsOfSource(source);
    const connection = { ...(await connectTo(git, options.allowLocal)), maxMs };
    return await Mirror.use(options.cache, connection, async (mirror) => {
      if (source.build !== 'date' && source.build.tag !== undefined) await mirror.fetchTags();
      else await mirror.fetchBranch(source.branch);
      const folders = upstreamFolders(raw);
      const { commits, problems } = await readCommits(mirror, source, folders);
      const twins = await findTwins(mirror, commits);
      const certain = commits.filter(({ build }) => !twins.has(build));
      const builds = groupBuilds(certain, source.settle_minutes ?? SETTLE_MINUTES);
      const { faults, elsewhere } = await findSilence(mirror, source, folders, commits);
      return await OtherRepository.useAll(raw, others, { ...options, maxMs }, [git], async (opened) => {
        const ofOthers = await Promise.all(opened.map((other) => other.findFaults()));
        const silence = { faults: [...twins.values(), ...faults, ...ofOthers.flat()], elsewhere };
        return await use(new Upstream(mirror, raw, opened, { builds, problems, silence }));
      });
    });
  }

  async withDump<T>(
    { build, commit, folder: inside }: UpstreamBuild,
    use: UseDump<T>,
  ): Promise<T | undefined> {
    const folder = this.#mirror.dump;
    const files = await this.#mirror.listFiles(commit, ...(inside === undefined ? [] : [inside]));
    const placed = placeAll(files, placeFiles(this.#raw), inside);
    if (placed.length === 0) return undefined;
    const clear = () => rm(folder, { recursive: true, force: true });
    await clear();
    await mkdir(folder);
    try {
      const origins = new Map<string, FileOrigin>();
      const { read } = limitsOfSource(sourceOf(this.#raw) ?? {});
      await copyFrom(this.#mirror, { build, read, git: this.#git, commit, found: placed }, folder, origins);
      const time = await this.#mirror.timeOf(commit);
      for (const other of this.#others) {
        const files = await other.findAt(time);
        if (files) await copyFrom(other.mirror, { build, read, ...files }, folder, origins);
      }
      return await use(folder, origins);
    } finally {
      await clear();
    }
  }

  async fetchFiles(builds: readonly UpstreamBuild[]): Promise<void> {
    const place = placeFiles(this.#raw);
    for (const { newestCommit, commit, folder: inside } of builds)
      for (const each of new Set([commit, newestCommit])) {
        const files = await this.#mirror.listFiles(each, ...(inside === undefined ? [] : [inside]));
        await this.#mirror.fetchBlobs(placeAll(files, place, inside).map(({ blob }) => blob));
      }
  }

  async hasCommit(commit: string): Promise<boolean> {
    return await this.#mirror.hasCommit(commit);
  }

  async explainLost({ commit, folder: inside }: UpstreamBuild, files: readonly string[]): Promise<string[]> {
    if (files.length === 0) return [];
    const move = moveFiles(sourceOf(this.#raw)?.paths);
    const start = inside === undefined ? 0 : inside.length + 1;
    const placed = (paths: readonly string[]) => paths.flatMap((file) => move(file.slice(start)) ?? []);
    const links = new Set(placed(await this.#mirror.listLinks(commit)));
    const present = placed((await this.#mirror.listFiles(commit)).map((file) => file.path));
    return files.flatMap((file) => {
      const same = present.find((each) => each.toLowerCase() === file.toLowerCase());
      if (links.has(file)) return [`${file} is a link upstream now, and links are never followed`];
      return same === undefined
        ? []
        : [
            `${file} is called ${same} upstream now: only the case of its name changed; name it so in "tables"`,
          ];
    });
  }

  async findMissed(build: UpstreamBuild, isFirst: boolean): Promise<string[]> {
    const at = this.builds.findIndex((each) => each.build === build.build);
    const before = isFirst ? undefined : this.builds[at - 1];
    return findNewlyMissed(await this.#list(build), before && (await this.#list(before)));
  }

  /** Lists the files of a build, also those that the game does not read. */
  async #list({ commit, folder: inside }: UpstreamBuild): Promise<Listing> {
    const files = await this.#mirror.listFiles(commit, ...(inside === undefined ? [] : [inside]));
    const own = listPlaced(files, this.#raw, { paths: sourceOf(this.#raw)?.paths, inside });
    const time = await this.#mirror.timeOf(commit);
    const ofOthers = await Promise.all(this.#others.map((other) => other.listAt(time)));
    const all = [own, ...ofOthers];
    return { read: all.flatMap(({ read }) => read), leftOut: all.flatMap(({ leftOut }) => leftOut) };
  }
}

/** A file of a commit, with its path in the folder of a build. */
type PlacedFile = TreeFile & { target: string };

/** Copies files of a commit to the folder of a dump. */
async function copyFrom(
  mirror: Mirror,
  {
    build,
    read,
    git,
    commit,
    found,
  }: { build: string; read: number; git: string; commit: string; found: readonly PlacedFile[] },
  folder: string,
  origins: Map<string, FileOrigin>,
): Promise<void> {
  const targets = new Map<string, string[]>();
  for (const { blob, target, path: file } of found) {
    const origin = origins.get(target);
    if (origin)
      throw new CommandError(
        `"paths" in "source" of game.json place two files at ${target}: ${origin.path} of ${origin.git} and ${file} of ${git}`,
      );
    origins.set(target, { git, commit, path: file });
    targets.set(blob, [...(targets.get(blob) ?? []), target]);
  }
  const open: OpenBlob = (blob) =>
    writeFiles((targets.get(blob) ?? []).map((target) => path.join(folder, target)));
  await mirror.readBlobs([...targets.keys()], open, read).catch(async (error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    const missing = new Set(await mirror.findMissing([...targets.keys()]));
    const files = found.filter(({ blob }) => missing.has(blob)).map((file) => file.path);
    if (files.length === 0) throw error;
    throw new CommandError(
      `build ${build}: ${countOf(files.length, 'file')} of commit ${commit} cannot be had (${files.slice(0, MAX_NAMED).join(', ')}${files.length > MAX_NAMED ? ', …' : ''}): ${error.message}`,
    );
  });
}

/** Writes the same content to files, piece by piece, so that a large one needs no memory. */
function writeFiles([file = '', ...copies]: readonly string[]): ReturnType<OpenBlob> {
  mkdirSync(path.dirname(file), { recursive: true });
  closeSync(openSync(file, 'w'));
  return (piece) => {
    if (piece !== undefined) {
      // Opened for each piece: a download that breaks off must not leave it open.
      const descriptor = openSync(file, 'a');
      try {
        for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at);
      } finally {
        closeSync(descriptor);
      }
      return;
    }
    for (const copy of copies) {
      mkdirSync(path.dirname(copy), { recursive: true });
      copyFileSync(file, copy);
    }
  };
}
