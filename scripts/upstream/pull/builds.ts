import { BUILD_NAME } from '../../format/dist-format.ts';
import type { FoundBuild } from '../../read/game.ts';
import type { PackageOrigin, RawGameDefinition } from '../../read/game-schema.ts';
import { parseJson } from '../../read/json.ts';
import { captureBy, readInstant } from '../../read/schema.ts';
import { countOf, groupBy } from '../../text.ts';
import type { Origins } from '../add/add-build.ts';
import { valueAtPointer } from '../add/trim.ts';
import { type RawReading, type RawSource, SETTLE_MINUTES } from '../source.ts';
import type { GameState } from './state.ts';

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
  /** The last of all commits that name it. */
  newestCommit: string;
  /** The release time in the last commit. */
  corrected_at?: string | undefined;
  /** Its position in upstream's commits, whatever their dates; without commits, in the order of release. */
  order: number;
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
  /** Explains what happened to files that a build no longer has: a link, a submodule, or another case of the name. */
  explainLost?(build: UpstreamBuild, files: readonly string[]): Promise<string[]>;
  /** Downloads the files of builds, so that `withDump` needs no network. */
  fetchFiles?(builds: readonly UpstreamBuild[]): Promise<void>;
  /** Returns a file with the licence that upstream has removed since the first of the commits; undefined if there is none. */
  findLostLicence?(commits: readonly string[]): Promise<string | undefined>;
  /** Whether a commit is still on the branch. */
  hasCommit?(commit: string): boolean;
}

export const DAY_MS = 86_400_000;
/** How many characters of a commit are shown. */
export const SHORT_HASH = 10;

/** Converts a date to ISO 8601 in UTC; undefined if it is not a date. */
export function readDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return readInstant(/^\d{9,10}$/.test(text) ? new Date(Number(text) * 1000).toISOString() : text);
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
  const value = 'value' in parsed ? valueAtPointer(parsed.value, at) : undefined;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return pattern === undefined ? String(value) : captureBy(pattern)(String(value));
}

/** Makes a build of a source without commits. */
export function makeBuild(build: string, released_at: string, commit: string, subject: string) {
  return { build, released_at, commit, newestCommit: commit, subject, settledAt: 0, order: 0 };
}

/** A commit that names a build. */
export interface NamedCommit extends Pick<UpstreamBuild, 'build' | 'commit' | 'subject'> {
  at: number;
  /** ISO 8601 in UTC; undefined if the date of the build's first commit counts. */
  released_at: string | undefined;
}

const isoSeconds = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');

/**
 * Groups commits by build. Of the commits of a build, the last within the settling time counts; that time begins with the first commit.
 *
 * @param commits oldest first
 * @returns the builds in the order of their release
 */
export function groupBuilds(commits: readonly NamedCommit[], settleMinutes: number): UpstreamBuild[] {
  const builds = groupBy(commits, ({ build }) => build).map((group): UpstreamBuild => {
    const [first] = group;
    const settledAt = first.at + settleMinutes * 60_000;
    const { at: _, ...named } = group.findLast(({ at }) => at <= settledAt) ?? first;
    const newest = group.at(-1) ?? first;
    return {
      ...named,
      settledAt,
      newestCommit: newest.commit,
      order: commits.indexOf(first),
      released_at: named.released_at ?? isoSeconds(first.at),
      corrected_at: newest.released_at,
    };
  });
  builds.sort((a, b) => releaseOf(a) - releaseOf(b));
  // Builds of the same second stay in the order of upstream.
  for (const [index, build] of builds.entries()) {
    const before = Date.parse(builds[index - 1]?.released_at ?? '');
    if (releaseOf(build) <= before) build.released_at = isoSeconds(before + 1000);
  }
  return builds;
}

/** The release of a build, in ms since 1970. */
export const releaseOf = ({ released_at }: { released_at: string }) => Date.parse(released_at);

/** The release of the newest build that visitors see. */
export function newestSeen(builds: readonly { released_at: string }[]): number {
  return Math.max(...builds.map(releaseOf).filter((at) => at <= Date.now()));
}

/** A release further ahead than this, and than any that the game ever announced, probably has a wrong date. */
const MAX_AHEAD_MS = 60 * DAY_MS;

/** The builds of upstream to add, and why others are not added. */
export type Choice = ReturnType<typeof chooseBuilds>;

/**
 * Chooses the builds of upstream to add. They are added in order: an incomplete one delays those after it.
 *
 * @returns the builds to add, oldest first; those that are `waiting` until their settling time ends, and those after them; those `older` than the
 * newest build that visitors see, and not in the game; and those dated so `far` ahead, by more than `furthest` ms, that the date is probably wrong
 */
export function chooseBuilds(
  all: readonly UpstreamBuild[],
  { builds: own, source }: Pick<PulledGame, 'builds' | 'source'>,
  state: Pick<GameState, 'find' | 'content'>,
) {
  const now = Date.now();
  const present = new Set(own.map(({ build }) => build));
  // A build that nobody has seen excludes none.
  const newest = newestSeen(own);
  const settle = (source.settle_minutes ?? SETTLE_MINUTES) * 60_000;
  const leads = all
    .filter(({ build, settledAt }) => present.has(build) && settledAt > 0)
    .map((build) => releaseOf(build) - build.settledAt + settle);
  const furthest = Math.max(MAX_AHEAD_MS, ...leads.map((lead) => 1.5 * lead));
  const isAhead = (build: UpstreamBuild) => releaseOf(build) - now > furthest;
  // A server of files may give the same content a new date.
  const isOnlyFiles = source.git === undefined && source.npm === undefined;
  const same = isOnlyFiles ? state.content.seen?.[own.at(-1)?.build ?? ''] : undefined;
  const missing = all
    .filter(({ build, commit }) => !present.has(build) && state.find(build)?.skip !== true && commit !== same)
    // Upstream's corrected date counts if nobody has seen the build.
    .map((build) =>
      build.corrected_at !== undefined && isAhead(build)
        ? { ...build, released_at: build.corrected_at, commit: build.newestCommit }
        : build,
    );
  const far = missing.filter((build) => isAhead(build) && state.find(build.build)?.take !== true);
  const fresh = missing.filter((build) => !far.includes(build) && releaseOf(build) > newest);
  const unsettled = fresh.findIndex(({ settledAt }) => settledAt > now);
  const ready = unsettled === -1 ? fresh.length : unsettled;
  const older = missing.filter((build) => releaseOf(build) <= newest);
  return { chosen: fresh.slice(0, ready), waiting: fresh.slice(ready), older, far, furthest };
}

export const days = (ms: number) => countOf(Math.round(ms / DAY_MS), 'day');

const MIN_BUILDS = 4;
/** How many intervals between builds decide the usual one. Upstreams with several builds a day may pause for a week. */
const MAX_INTERVALS = 10;
const MIN_QUIET_MS = 7 * DAY_MS;

/** Reports that upstream has had no build for more than twice the usual time, with advice; undefined otherwise. */
export function describeQuiet(builds: readonly UpstreamBuild[]): string | undefined {
  const newest = builds.at(-1);
  if (newest === undefined || builds.length < MIN_BUILDS) return undefined;
  const times = builds.map(releaseOf).slice(-MAX_INTERVALS - 1);
  const intervals = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const usual = intervals.sort((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0;
  const waited = Date.now() - releaseOf(newest);
  if (waited <= Math.max(2 * usual, MIN_QUIET_MS)) return undefined;
  const often = usual < DAY_MS ? 'less than a day' : days(usual);
  return `no build since ${newest.build}, ${days(waited)} ago; usual is ${often}. If upstream has moved, correct "source" in game.json. If the game has ended, name the one that continues it as "successor" in game.json`;
}
