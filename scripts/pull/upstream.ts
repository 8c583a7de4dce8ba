import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { RawGameDefinition } from '../read/definition.ts';
import type { RawSource } from '../read/source-definition.ts';
import { connectTo } from './address.ts';
import { groupBuilds, type UpstreamBuild } from './group-builds.ts';
import { Mirror } from './mirror.ts';
import { readCommits } from './read-commits.ts';
import { placeFiles, upstreamFolders } from './upstream-files.ts';

const SETTLE_MINUTES = 60;

/** How upstream repositories and files are fetched. */
export interface UpstreamOptions {
  /** The folder where copies of repositories are kept. */
  cache: string;
  /** Whether a repository may be in a private network or on this machine. */
  allowLocal: boolean;
}

/** What upstream has of a game, as it was fetched. */
export interface GameUpstream {
  /** The builds that it names, in the order of their release. */
  readonly builds: readonly UpstreamBuild[];
  /** What is wrong with what names no build although it should. */
  readonly problems: readonly string[];
  /**
   * Calls `use` with a folder that has the files of a build as a dump has them; the folder is removed afterwards.
   *
   * @returns undefined if the build has no file that the game reads
   */
  withDump<T>(build: UpstreamBuild, use: (folder: string) => Promise<T>): Promise<T | undefined>;
}

/** The upstream repository of a game, as it was fetched. */
export class Upstream implements GameUpstream {
  readonly #mirror: Mirror;
  readonly #raw: RawGameDefinition;
  readonly builds: readonly UpstreamBuild[];
  readonly problems: readonly string[];

  private constructor(
    mirror: Mirror,
    raw: RawGameDefinition,
    found: { builds: UpstreamBuild[]; problems: string[] },
  ) {
    this.#mirror = mirror;
    this.#raw = raw;
    this.builds = found.builds;
    this.problems = found.problems;
  }

  /**
   * Fetches the upstream repository of a game, and calls `use` with it.
   *
   * @throws CommandError if it cannot be fetched, or its address is not allowed
   */
  static async use<T>(
    raw: RawGameDefinition,
    source: RawSource,
    { cache, allowLocal }: UpstreamOptions,
    use: (upstream: Upstream) => Promise<T>,
  ): Promise<T> {
    const connection = await connectTo(source.git ?? '', allowLocal);
    return await Mirror.use(cache, connection, async (mirror) => {
      if (source.build !== 'date' && source.build.tag !== undefined) await mirror.fetchTags();
      else await mirror.fetchBranch(source.branch);
      const { commits, problems } = await readCommits(mirror, source, upstreamFolders(raw));
      const builds = groupBuilds(commits, source.settle_minutes ?? SETTLE_MINUTES);
      return await use(new Upstream(mirror, raw, { builds, problems }));
    });
  }

  async withDump<T>({ commit }: UpstreamBuild, use: (folder: string) => Promise<T>): Promise<T | undefined> {
    const folder = this.#mirror.dump;
    const targets = await this.#findTargets(commit);
    if (targets.size === 0) return undefined;
    const clear = () => rm(folder, { recursive: true, force: true });
    await clear();
    await mkdir(folder);
    try {
      await this.#mirror.readBlobs([...targets.keys()], (blob, content) => {
        for (const target of targets.get(blob) ?? []) writeFile(path.join(folder, target), content);
      });
      return await use(folder);
    } finally {
      await clear();
    }
  }

  /** The paths in the build's folder of each content that it needs. */
  async #findTargets(commit: string): Promise<Map<string, string[]>> {
    const place = placeFiles(this.#raw);
    const targets = new Map<string, string[]>();
    for (const { path: file, blob } of await this.#mirror.listFiles(commit)) {
      const target = place(file);
      if (target !== undefined) targets.set(blob, [...(targets.get(blob) ?? []), target]);
    }
    return targets;
  }
}

function writeFile(file: string, content: Buffer): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}
