import { BUILD_NAME, isObject, type Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import type { FoundBuild } from '../../read/game.ts';
import type { PackageOrigin, RawGameDefinition } from '../../read/game-schema.ts';
import { parseJson } from '../../read/json.ts';
import { captureBy, readInstant } from '../../read/schema.ts';
import type { Origins } from '../add/add-build.ts';
import type { RawReading, RawSource } from '../source.ts';

/** A game with a source, before the pull. */
export interface PulledGame {
  slug: string;
  folder: string;
  raw: RawGameDefinition;
  source: RawSource;
  /** Oldest first. */
  builds: FoundBuild[];
}

/** A build of upstream. */
export interface UpstreamBuild {
  build: string;
  /** ISO 8601 in UTC. */
  released_at: string;
  /** The version of its files: the last commit within the settling time, or a hash of the files. */
  commit: string;
  subject: string;
  /** When the settling time ends, in ms since 1970. */
  settledAt: number;
  /** The number of later commits that name the same build. */
  corrections: number;
  /** The last of all commits that name it. */
  newestCommit: string;
  /** The release time in the last commit, if that is a different one. */
  corrected_at?: string;
  /** Its position in upstream's commits, whatever their dates. */
  order?: number;
  /** The folder of the repository with its files, if it is named by a folder. */
  folder?: string;
  package?: PackageOrigin;
}

/** The downloaded state of a game's upstream. Each kind of source has a function that makes it. */
export interface GameUpstream {
  /** Its builds, in the order of their release. */
  readonly builds: readonly UpstreamBuild[];
  /** Problems of commits or files that should name a build and do not. */
  readonly problems: readonly string[];
  /** Why new builds are not found: what a person must correct in `source`. */
  readonly faults: readonly string[];
  /** How many commits after the newest build change nothing of the game. */
  readonly elsewhere: number;
  /**
   * Calls `use` with a folder that has the files of a build like a dump, and with their addresses that stay valid; undefined if only the newest files
   * exist. The folder is removed afterwards.
   *
   * @returns undefined if the build has no file that the game reads
   */
  withDump<T>(
    build: UpstreamBuild,
    use: (folder: string, origins: Origins | undefined) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Finds files of a build that no table reads and the previous build lacks, next to those that are read. @param isFirst whether the game has no
   * build
   */
  findMissed?(build: UpstreamBuild, isFirst: boolean): Promise<string[]>;
  /** Explains what happened to files that a build no longer has: a link, a submodule, or another case of the name. */
  explainLost?(build: UpstreamBuild, files: readonly string[]): Promise<string[]>;
  /** Downloads the files of builds, so that `withDump` needs no network. */
  fetchFiles?(builds: readonly UpstreamBuild[]): Promise<void>;
  /** Returns a file with the licence that some of the commits have and the newest lacks; undefined if there is none. */
  findLostLicence?(commits: readonly string[]): Promise<string | undefined>;
  /** Whether a commit is still on the branch. */
  hasCommit?(commit: string): Promise<boolean>;
}

const SECONDS = /^\d{9,10}$/;

/** Converts a date to ISO 8601 in UTC; undefined if it is not a date. */
export function readDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return readInstant(SECONDS.test(text) ? new Date(Number(text) * 1000).toISOString() : text);
}

const validName = new RegExp(BUILD_NAME);

/** Returns the problem with the name or date of a build; undefined if there is none. */
export function findProblem(name: string, isUndated: boolean): string | undefined {
  if (!validName.test(name))
    return `names the build "${name}"; expected at most 64 letters, digits, ".", "_", "~" and "-": change "build" in "source"`;
  return isUndated
    ? `has no date of build ${name}; expected an ISO 8601 date or seconds since 1970: change "released_at" in "source"`
    : undefined;
}

/** Returns the text or number in a JSON file that a reading selects; undefined if there is none. */
export function readValue(text: string, { file = '', at = '', pattern }: RawReading): string | undefined {
  const parsed = parseJson(text, file);
  let value: Json | undefined = 'value' in parsed ? parsed.value : undefined;
  for (const step of pointerSteps(at)) {
    const members: object = isObject(value) || Array.isArray(value) ? value : {};
    value = Object.hasOwn(members, step) ? (members as Record<string, Json>)[step] : undefined;
  }
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return pattern === undefined ? String(value) : captureBy(pattern)(String(value));
}

/** A commit that names a build. */
export interface NamedCommit {
  commit: string;
  at: number;
  subject: string;
  build: string;
  /** ISO 8601 in UTC; undefined if the date of the build's first commit counts. */
  released_at: string | undefined;
  folder?: string | undefined;
}

/**
 * Groups commits by build. Of the commits of a build, the last within the settling time counts; that time begins with the first commit.
 *
 * @param commits oldest first
 * @returns the builds in the order of their release
 */
export function groupBuilds(commits: readonly NamedCommit[], settleMinutes: number): UpstreamBuild[] {
  const groups = new Map<string, [NamedCommit, ...NamedCommit[]]>();
  for (const commit of commits) {
    const group = groups.get(commit.build);
    if (group) group.push(commit);
    else groups.set(commit.build, [commit]);
  }
  const builds = [...groups.values()].map((group): UpstreamBuild => {
    const [first] = group;
    const settledAt = first.at + settleMinutes * 60_000;
    const counting = group.filter(({ at }) => at <= settledAt);
    const last = counting.at(-1) ?? first;
    const newest = group.at(-1) ?? last;
    const released_at = last.released_at ?? new Date(first.at).toISOString().replace('.000Z', 'Z');
    const { build, commit, subject, folder } = last;
    const corrected_at = newest.released_at;
    return {
      ...{ build, released_at, commit, subject, settledAt, order: commits.indexOf(first) },
      corrections: group.length - counting.length,
      newestCommit: newest.commit,
      ...(corrected_at !== undefined && corrected_at !== released_at && { corrected_at }),
      ...(folder !== undefined && { folder }),
    };
  });
  builds.sort((a, b) => Date.parse(a.released_at) - Date.parse(b.released_at));
  // Builds of the same second stay in the order of upstream.
  for (const [index, build] of builds.entries()) {
    const before = Date.parse(builds[index - 1]?.released_at ?? '');
    if (Date.parse(build.released_at) <= before)
      build.released_at = new Date(before + 1000).toISOString().replace('.000Z', 'Z');
  }
  return builds;
}

const MIN_BUILDS = 4;
/** How many intervals between builds decide the usual one. Upstreams with several builds a day may pause for a week. */
const MAX_INTERVALS = 10;
const DAY_MS = 86_400_000;
const MIN_QUIET_MS = 7 * DAY_MS;

/**
 * Reports that upstream has had no build for more than twice the usual time, with advice; undefined otherwise.
 *
 * @param now ms since 1970
 */
export function describeQuiet(
  {
    builds,
    elsewhere,
  }: { builds: readonly Pick<UpstreamBuild, 'build' | 'released_at'>[]; elsewhere: number },
  now: number,
): string | undefined {
  const newest = builds.at(-1);
  if (newest === undefined || builds.length < MIN_BUILDS) return undefined;
  const times = builds.map(({ released_at }) => Date.parse(released_at)).slice(-MAX_INTERVALS - 1);
  const intervals = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const usual = intervals.sort((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0;
  const waited = now - Date.parse(newest.released_at);
  if (waited <= Math.max(2 * usual, MIN_QUIET_MS)) return undefined;
  const days = (ms: number) => `${Math.round(ms / DAY_MS)} day${Math.round(ms / DAY_MS) === 1 ? '' : 's'}`;
  const since = `no build since ${newest.build}, ${days(waited)} ago, where ${usual < DAY_MS ? 'less than a day is' : `${days(usual)} are`} usual`;
  const ended = 'if the game has ended, name the one that continues it ("successor" in game.json)';
  return elsewhere > 0
    ? `${since}; ${elsewhere} commit${elsewhere === 1 ? '' : 's'} since then ${elsewhere === 1 ? 'changes' : 'change'} other files of the repository: if upstream has moved them, correct "source" in game.json; ${ended}`
    : `${since}, and nothing else is new upstream: if it goes on in another place, correct "source" in game.json; ${ended}`;
}
