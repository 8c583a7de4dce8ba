import { countOf } from '../../text.ts';
import type { NamedCommit, UpstreamBuild } from './group-builds.ts';
import type { Commit, Mirror } from './mirror.ts';
import type { RawSource } from './source-definition.ts';

/** What upstream has that makes no build, although no step fails. */
export interface Silence {
  /** Why new builds are not found: what a person has to correct in `source`. */
  faults: readonly string[];
  /** How many commits after the newest build change nothing of the game. */
  elsewhere: number;
}

const SHORT_HASH = 10;
const MIN_BUILDS = 4;
/** So many intervals between builds say what is usual. */
const MAX_INTERVALS = 10;
const DAY_MS = 86_400_000;
/** Upstreams with several builds a day may rest for so long. */
const MIN_QUIET_MS = 7 * DAY_MS;

/**
 * Finds what would otherwise be silent: paths that are gone, and commits that change something of the game and name no build.
 *
 * @param folders the files and folders outside of which no file is part of a build; empty for any
 * @param named the commits that name builds, oldest first
 */
export async function findSilence(
  mirror: Mirror,
  source: RawSource,
  folders: readonly string[],
  named: readonly NamedCommit[],
): Promise<Silence> {
  if (source.build !== 'date' && source.build.tag !== undefined) {
    const newest = named.at(-1);
    if (newest === undefined)
      return { faults: ['no tag names a build: check "build" of "source" in game.json'], elsewhere: 0 };
    return { faults: await findMissing(mirror, newest, source, folders), elsewhere: 0 };
  }
  const all = await mirror.listCommits();
  const newest = all.at(-1);
  const isOfFolders = source.build !== 'date' && source.build.folder !== undefined;
  const missing =
    newest === undefined
      ? []
      : isOfFolders
        ? await findMissingFolder(mirror, newest, named)
        : await findMissing(mirror, newest, source, folders);
  const unnamed = 'no commit names a build: check "build", "branch" and "paths" of "source" in game.json';
  if (missing.length > 0 || named.length === 0)
    return { faults: [...missing, ...(named.length === 0 ? [unnamed] : [])], elsewhere: 0 };
  const commits = new Set(named.map(({ commit }) => commit));
  const later = all.slice(all.findLastIndex(({ commit }) => commits.has(commit)) + 1);
  const changing = isOfFolders
    ? []
    : folders.length === 0
      ? later
      : (await mirror.listCommits(folders)).filter(({ commit }) =>
          later.some((each) => each.commit === commit),
        );
  return { faults: describeUnnamed(changing), elsewhere: later.length - changing.length };
}

/**
 * Finds builds that two folders of the newest commit name, of which none can be taken.
 *
 * @param named the commits that name builds, oldest first
 * @returns the names of these builds, with what is wrong
 */
export async function findTwins(mirror: Mirror, named: readonly NamedCommit[]): Promise<Map<string, string>> {
  const folders = new Map<string, Set<string>>();
  for (const { build, folder } of named)
    if (folder !== undefined) folders.set(build, (folders.get(build) ?? new Set()).add(folder));
  const doubtful = [...folders].filter(([, of]) => of.size > 1);
  const newest = doubtful.length === 0 ? undefined : (await mirror.listCommits()).at(-1);
  if (newest === undefined) return new Map();
  // A folder that upstream has renamed is only one.
  const absent = await mirror.findAbsent(
    newest.commit,
    doubtful.flatMap(([, of]) => [...of]),
  );
  const gone = new Set(absent);
  return new Map(
    doubtful.flatMap(([build, of]) => {
      const present = [...of].filter((folder) => !gone.has(folder));
      const fault = `the folders ${present.join(' and ')} are both called build ${build} by "build" of "source" in game.json: give its pattern a group that tells them apart, or let it match one of them; until then none is taken`;
      return present.length < 2 ? [] : [[build, fault] as const];
    }),
  );
}

/** Says which of the paths that a repository should have are not in a commit. */
export async function findMissingPaths(
  mirror: Mirror,
  { commit, subject }: Commit,
  paths: readonly string[],
  why: string,
): Promise<string[]> {
  const wanted = paths.map((each) => each.replace(/\/+$/, '')).filter((each) => each !== '' && each !== '.');
  const missing = await mirror.findAbsent(commit, wanted);
  if (missing.length === 0) return [];
  return [
    `the newest commit ${commit.slice(0, SHORT_HASH)} ("${subject}") has no ${missing.join(', ')}, ${why} in game.json: upstream has moved or removed it, so no new build is found until "source" is corrected`,
  ];
}

/** Of folders that are builds, the newest one has to stay. */
async function findMissingFolder(
  mirror: Mirror,
  newest: Commit,
  named: readonly NamedCommit[],
): Promise<string[]> {
  const folder = named.at(-1)?.folder;
  return folder === undefined
    ? []
    : await findMissingPaths(mirror, newest, [folder], 'a build by "build" of "source"');
}

async function findMissing(
  mirror: Mirror,
  newest: Commit,
  { build, released_at, paths }: RawSource,
  folders: readonly string[],
): Promise<string[]> {
  const read = [build, released_at].flatMap((reading) =>
    typeof reading === 'object' ? (reading.file ?? []) : [],
  );
  const unread = await findMissingPaths(mirror, newest, read, 'which "source" reads');
  if (unread.length > 0) return unread;
  if (paths) return await findMissingPaths(mirror, newest, folders, 'which "paths" of "source" names');
  // A table can be gone for a good reason, and its check says so. All of them are not.
  const gone = await findMissingPaths(mirror, newest, folders, 'where the tables are');
  const some =
    folders.length === 0 || (await mirror.findAbsent(newest.commit, folders)).length < folders.length;
  return some ? [] : gone;
}

function describeUnnamed(changing: readonly Commit[]): string[] {
  const first = changing[0];
  if (first === undefined) return [];
  return [
    `${countOf(changing.length, 'commit')} since the newest build ${changing.length === 1 ? 'changes' : 'change'} files of the game and ${changing.length === 1 ? 'names' : 'name'} no build, such as ${first.commit.slice(0, SHORT_HASH)} ("${first.subject}"): check "build" of "source" in game.json`,
  ];
}

/**
 * Says that upstream has had no build for more than twice the usual time, and what to do; undefined if that is not so.
 *
 * @param builds in the order of their release
 * @param elsewhere as in `Silence`
 * @param now ms since 1970
 */
export function describeQuiet(
  builds: readonly Pick<UpstreamBuild, 'build' | 'released_at'>[],
  elsewhere: number,
  now: number,
): string | undefined {
  const newest = builds.at(-1);
  if (newest === undefined || builds.length < MIN_BUILDS) return undefined;
  const times = builds.map(({ released_at }) => Date.parse(released_at)).slice(-MAX_INTERVALS - 1);
  const intervals = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const usual = intervals.sort((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0;
  const waited = now - Date.parse(newest.released_at);
  if (waited <= Math.max(2 * usual, MIN_QUIET_MS)) return undefined;
  const days = (ms: number) => countOf(Math.round(ms / DAY_MS), 'day');
  const since = `no build since ${newest.build}, ${days(waited)} ago, where ${usual < DAY_MS ? 'less than a day is' : `${days(usual)} are`} usual`;
  const ended = 'if the game has ended, name the one that continues it ("successor" in game.json)';
  return elsewhere > 0
    ? `${since}; ${countOf(elsewhere, 'commit')} since then ${elsewhere === 1 ? 'changes' : 'change'} other files of the repository: if upstream has moved them, correct "source" in game.json; ${ended}`
    : `${since}, and nothing else is new upstream: if it goes on in another place, correct "source" in game.json; ${ended}`;
}
