import type { RawGameDefinition } from '../../read/definition.ts';
import type { Listing } from '../add/missed-files.ts';
import type { UpstreamOptions } from '../../read/game.ts';
import type { RawOtherSource } from './source-definition.ts';
import { connectTo } from './address.ts';
import { type Commit, Mirror, type TreeFile } from './mirror.ts';
import { findMissingPaths } from './silence.ts';
import { listPlaced, placeAll, placeFiles } from './upstream-files.ts';

/** The files of a commit that belong to a build, with their paths in its folder. */
interface FoundFiles {
  git: string;
  commit: string;
  found: (TreeFile & { target: string })[];
}

/** A repository that names no builds: its files belong to those of another one. */
export class OtherRepository {
  readonly mirror: Mirror;
  readonly #raw: RawGameDefinition;
  readonly #source: RawOtherSource;
  /** Oldest first. */
  readonly #commits: readonly Commit[];

  private constructor(
    mirror: Mirror,
    raw: RawGameDefinition,
    source: RawOtherSource,
    commits: readonly Commit[],
  ) {
    this.mirror = mirror;
    this.#raw = raw;
    this.#source = source;
    this.#commits = commits;
  }

  /**
   * Fetches repositories one after the other, and calls `use` with all.
   *
   * @param addresses the addresses that are in use: of a second branch of one, there is a second copy
   */
  static async useAll<T>(
    raw: RawGameDefinition,
    sources: readonly RawOtherSource[],
    options: UpstreamOptions & { maxMs: number },
    addresses: readonly string[],
    use: (opened: readonly OtherRepository[]) => Promise<T>,
    opened: readonly OtherRepository[] = [],
  ): Promise<T> {
    const [source, ...rest] = sources;
    if (source === undefined) return await use(opened);
    const { git, branch } = source;
    const connection = { ...(await connectTo(git, options.allowLocal)), maxMs: options.maxMs };
    const purpose = addresses.includes(git) ? `copy ${addresses.length}` : '';
    const work = async (mirror: Mirror) => {
      await mirror.fetchBranch(branch);
      const other = new OtherRepository(mirror, raw, source, await mirror.listCommits());
      return await OtherRepository.useAll(raw, rest, options, [...addresses, git], use, [...opened, other]);
    };
    return await Mirror.use(options.cache, connection, work, purpose);
  }

  /** Says which of its paths are gone. */
  async findFaults(): Promise<string[]> {
    const newest = this.#commits.at(-1);
    const { git, paths } = this.#source;
    const why = `which "paths" of ${git} in "others" names`;
    return newest === undefined ? [] : await findMissingPaths(this.mirror, newest, Object.keys(paths), why);
  }

  /**
   * The files as they were at a time.
   *
   * @param time ms since 1970
   * @returns undefined if the repository had no commit yet
   */
  async findAt(time: number): Promise<FoundFiles | undefined> {
    const last = this.#lastAt(time);
    if (last === undefined) return undefined;
    const { git, paths } = this.#source;
    const place = placeFiles(this.#raw, paths);
    const placed = placeAll(await this.mirror.listFiles(last.commit), place);
    return { git, commit: last.commit, found: placed };
  }

  /** The paths of the files as they were at a time, also of those that the game does not read. @param time ms since 1970 */
  async listAt(time: number): Promise<Listing> {
    const last = this.#lastAt(time);
    const files = last === undefined ? [] : await this.mirror.listFiles(last.commit);
    return listPlaced(files, this.#raw, { paths: this.#source.paths });
  }

  #lastAt(time: number): Commit | undefined {
    return this.#commits.findLast(({ at }) => at <= time);
  }
}
