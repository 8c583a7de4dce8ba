import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { checkGit } from '../../check/git.ts';
import type { Reference, UpstreamOptions } from '../../read/game.ts';
import type { RawGameDefinition } from '../../read/game-schema.ts';
import { captureBy } from '../../read/schema.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import {
  findMissed,
  listFew,
  moveFiles,
  type PlaceFile,
  placeFiles,
  readPathsOf,
  upstreamFolders,
} from '../add/files.ts';
import { filesThatName, limitsOfSource, type RawReading, type RawSource } from '../source.ts';
import {
  findProblem,
  type GameUpstream,
  groupBuilds,
  type NamedCommit,
  readDate,
  readValue,
  type UpstreamBuild,
} from './builds.ts';
import { connectTo } from './fetch.ts';
import { type Commit, RepositoryCopy, type TreeFile } from './mirror.ts';

const SETTLE_MINUTES = 60;
const SHORT_HASH = 10;
const LICENCE = /^(licen[cs]e|copying|unlicen[cs]e)\b/i;
/** The end of the year 9999. */
const MAX_TIME_MS = Date.UTC(10_000);
/** A file that names builds is smaller: it is read at each commit that changes it. */
const MAX_NAMING_BYTES = 16 * 1024 * 1024;

/** Games of the same repository use its copy one at a time. */
const turns = new Map<string, Promise<unknown>>();

const isOfTags = ({ build }: RawSource) => build !== 'date' && build.tag !== undefined;
const isOfFolders = ({ build }: RawSource) => build !== 'date' && build.folder !== undefined;

/**
 * Fetches the upstream repository of a game, and calls `use` with its state.
 *
 * @throws CommandError if it cannot be fetched, or its address is not allowed
 */
export async function useGit<T>(
  raw: RawGameDefinition,
  source: RawSource,
  { cache, allowLocal }: UpstreamOptions,
  use: (upstream: GameUpstream) => Promise<T>,
): Promise<T> {
  await checkGit();
  const { git = '' } = source;
  const own = (turns.get(git) ?? Promise.resolve()).then(async () => {
    const connection = { ...(await connectTo(git, allowLocal)), maxMs: limitsOfSource(source).maxMs };
    return await RepositoryCopy.use(cache, connection, async (mirror) => {
      if (isOfTags(source)) await mirror.fetchTags();
      else await mirror.fetchBranch(source.branch);
      return await use(await makeUpstream(raw, source, mirror));
    });
  });
  turns.set(
    git,
    own.catch(() => {}),
  );
  return await own;
}

async function makeUpstream(
  raw: RawGameDefinition,
  source: RawSource,
  mirror: RepositoryCopy,
): Promise<GameUpstream> {
  const { git = '' } = source;
  const folders = upstreamFolders(raw);
  const { named, problems } = await readCommits(mirror, source, folders);
  const twins = await findTwins(mirror, named);
  const certain = named.filter(({ build }) => !twins.has(build));
  const builds = groupBuilds(certain, source.settle_minutes ?? SETTLE_MINUTES);
  const { faults, elsewhere, newest } = await findSilence(mirror, source, folders, named);
  const { read } = limitsOfSource(source);
  const [place, move] = [placeFiles(raw), moveFiles(source.paths)];

  /** The files of a build with their places. @param placeFile selects and places them */
  const filesOf = async ({ commit, folder: inside }: UpstreamBuild, placeFile: PlaceFile) => {
    const start = inside === undefined ? 0 : inside.length + 1;
    const files = await mirror.listFiles(commit, ...(inside === undefined ? [] : [inside]));
    return files.flatMap((file) => {
      const target = placeFile(file.path.slice(start));
      return target === undefined ? [] : { ...file, target };
    });
  };
  return {
    builds,
    problems,
    faults: [...twins.values(), ...faults],
    elsewhere,
    async withDump(build, use) {
      const folder = mirror.dump;
      const clear = () => rm(folder, { recursive: true, force: true });
      const placed = await filesOf(build, place);
      if (placed.length === 0) return undefined;
      const origins = new Map<string, Pick<Reference, 'git' | 'commit' | 'path'>>();
      for (const { target, path: file } of placed) {
        const twin = origins.get(target);
        if (twin)
          throw new CommandError(
            `"paths" in "source" of game.json place two files at ${target}: ${twin.path} and ${file} of ${git}`,
          );
        origins.set(target, { git, commit: build.commit, path: file });
      }
      await clear();
      await mkdir(folder);
      try {
        await copyFrom(mirror, placed, { folder, read, what: `build ${build.build}`, commit: build.commit });
        return await use(folder, origins);
      } finally {
        await clear();
      }
    },
    async fetchFiles(wanted) {
      for (const build of wanted)
        for (const commit of new Set([build.commit, build.newestCommit]))
          await mirror.fetchObjects((await filesOf({ ...build, commit }, place)).map(({ blob }) => blob));
    },
    async hasCommit(commit) {
      if (!isOfTags(source)) return await mirror.hasCommit(commit);
      return (await mirror.listTags()).some((each) => each.commit === commit);
    },
    async findLostLicence(commits) {
      const now = newest ? await mirror.listTop(newest.commit) : [];
      for (const commit of commits) {
        const then = await mirror.listTop(commit).catch(() => []);
        const lost = then.find((name) => LICENCE.test(name) && !now.includes(name));
        if (lost !== undefined && !now.some((name) => LICENCE.test(name))) return lost;
      }
      return undefined;
    },
    async explainLost(build, files) {
      if (files.length === 0) return [];
      const start = build.folder === undefined ? 0 : build.folder.length + 1;
      const unread = await mirror.listUnread(build.commit);
      const present = (await filesOf(build, move)).map(({ target }) => target);
      return files.flatMap((file) => {
        const odd = unread.find((each) => `${file}/`.startsWith(`${move(each.path.slice(start))}/`));
        if (odd) return `${file} is ${odd.what} upstream now, and ${odd.what.slice(2)}s are never followed`;
        const same = present.find((each) => each.toLowerCase() === file.toLowerCase());
        return same === undefined
          ? []
          : `${file} is called ${same} upstream now: only the case of its name changed; name it so in "tables"`;
      });
    },
    async findMissed(build, isFirst) {
      const at = builds.findIndex((each) => each.build === build.build);
      const list = async (of: UpstreamBuild) => (await filesOf(of, move)).map(({ target }) => target);
      const before = isFirst ? undefined : builds[at - 1];
      return findMissed(await list(build), readPathsOf(raw).isRead, before && (await list(before)));
    },
  };
}

/** Copies files of a commit to the folder of a dump. */
async function copyFrom(
  mirror: RepositoryCopy,
  placed: readonly (TreeFile & { target: string })[],
  { folder, read, what, commit }: { folder: string; read: number; what: string; commit: string },
): Promise<void> {
  const targets = new Map<string, string[]>();
  for (const { blob, target } of placed)
    targets.set(blob, [...(targets.get(blob) ?? []), path.join(folder, target)]);
  const take = (blob: string, content: Buffer) => {
    for (const file of targets.get(blob) ?? []) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  };
  await mirror.readBlobs([...targets.keys()], take, read).catch(async (error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    const missing = new Set(await mirror.findMissing([...targets.keys()]));
    const files = placed.filter(({ blob }) => missing.has(blob)).map((file) => file.path);
    if (files.length === 0) throw error;
    const few = listFew(files);
    throw new CommandError(
      `${what}: ${few.slice(0, few.indexOf(' ('))} of commit ${commit} cannot be had${few.slice(few.indexOf(' ('))}: ${error.message}`,
    );
  });
}

/** A commit that may name a build; one candidate per changed folder, if folders name the builds. */
type Candidate = Commit & { folder?: string };
/** Returns the text of a commit that names a build; undefined if it has none. */
type ReadText = (commit: Candidate) => string | undefined;

/** Returns the builds that commits name, oldest first, and the problems of commits that match but name none. */
async function readCommits(
  mirror: RepositoryCopy,
  source: RawSource,
  folders: readonly string[],
): Promise<{ named: NamedCommit[]; problems: string[] }> {
  const { build, released_at } = source;
  const candidates = await listCandidates(mirror, source, folders);
  // Git allows any number as the date of a commit.
  const isInCalendar = (at: number) => at >= 0 && at < MAX_TIME_MS;
  const dayOf = ({ at }: Commit) => (isInCalendar(at) ? new Date(at).toISOString().slice(0, 10) : '');
  const nameOf = build === 'date' ? dayOf : await readerOf(mirror, build, candidates);
  const dateOf = released_at && (await readerOf(mirror, released_at, candidates));
  const named: NamedCommit[] = [];
  const problems: string[] = [];
  const all = candidates.flatMap((candidate) => {
    const name = nameOf(candidate);
    return name === undefined ? [] : { candidate, name };
  });
  for (const { candidate, name } of all) {
    const { commit, at, subject, folder } = candidate;
    const date = dateOf && readDate(dateOf(candidate));
    const problem = isInCalendar(at)
      ? findProblem(name, dateOf !== undefined && date === undefined)
      : 'has a date that is in no calendar: it is left out';
    if (problem === undefined) named.push({ commit, at, subject, build: name, released_at: date, folder });
    else problems.push(`commit ${commit.slice(0, SHORT_HASH)} ("${subject}") ${problem}`);
  }
  return { named, problems };
}

async function listCandidates(
  mirror: RepositoryCopy,
  source: RawSource,
  folders: readonly string[],
): Promise<Candidate[]> {
  const { build } = source;
  if (isOfTags(source)) return await mirror.listTags();
  if (isOfFolders(source))
    return (await mirror.listChanges()).flatMap(({ files = [], ...commit }) => {
      const changed = new Set<string>();
      for (const file of files)
        for (let at = file.indexOf('/'); at > 0; at = file.indexOf('/', at + 1))
          changed.add(file.slice(0, at));
      return [...changed].map((folder) => ({ ...commit, folder }));
    });
  // A subject alone shows that a commit is a build. Otherwise only commits count that change the build.
  const isNamedBySubject = build !== 'date' && build.subject !== undefined;
  const isAny = isNamedBySubject || folders.length === 0;
  return await mirror.listCommits(isAny ? [] : [...folders, ...filesThatName(source)]);
}

async function readerOf(
  mirror: RepositoryCopy,
  reading: RawReading,
  candidates: readonly Candidate[],
): Promise<ReadText> {
  const { subject, tag, folder, file } = reading;
  if (file !== undefined) {
    const versions = await findVersions(mirror, file, candidates);
    const texts = new Map<string, string | undefined>();
    const take = (blob: string, content: Buffer) =>
      texts.set(blob, readValue(content.toString('utf8'), reading));
    await mirror.readBlobs([...versions.values()], take, MAX_NAMING_BYTES);
    return ({ commit }) => texts.get(versions.get(commit) ?? '');
  }
  const capture = captureBy(subject ?? tag ?? `^(?:${folder})$`);
  return (commit) => {
    const text = subject !== undefined ? commit.subject : tag !== undefined ? commit.tag : commit.folder;
    return text === undefined ? undefined : capture(text);
  };
}

/** Returns the hash of a file's content at each commit that has it. */
async function findVersions(
  mirror: RepositoryCopy,
  file: string,
  candidates: readonly Candidate[],
): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  const isOfTags = candidates[0]?.tag !== undefined;
  const changes = isOfTags ? new Map<string, string>() : await mirror.listVersions(file);
  let current: string | undefined;
  for (const { commit } of candidates) {
    if (isOfTags) current = (await mirror.listFiles(commit, file))[0]?.blob;
    else if (changes.has(commit)) current = changes.get(commit);
    if (current !== undefined) versions.set(commit, current);
  }
  return versions;
}

/** Finds silent failures: paths that disappeared, and commits that change the game and name no build. */
async function findSilence(
  mirror: RepositoryCopy,
  source: RawSource,
  folders: readonly string[],
  named: readonly NamedCommit[],
): Promise<{ faults: string[]; elsewhere: number; newest: Pick<Commit, 'commit'> | undefined }> {
  const last = named.at(-1);
  const all = isOfTags(source) ? [] : await mirror.listCommits();
  const newest = isOfTags(source) ? last : all.at(-1);
  const faults = newest ? await findGone(mirror, newest, source, folders, last?.folder) : [];
  if (last === undefined)
    faults.push(
      isOfTags(source)
        ? 'no tag names a build: check "build" of "source" in game.json'
        : 'no commit names a build: check "build", "branch" and "paths" of "source" in game.json',
    );
  if (faults.length > 0 || isOfTags(source)) return { faults, elsewhere: 0, newest };
  const commits = new Set(named.map(({ commit }) => commit));
  const later = all.slice(all.findLastIndex(({ commit }) => commits.has(commit)) + 1);
  if (isOfFolders(source)) return { faults, elsewhere: later.length, newest };
  const touching = folders.length === 0 ? later : await mirror.listCommits(folders);
  const touched = new Set(touching.map(({ commit }) => commit));
  const changing = later.filter(({ commit }) => touched.has(commit));
  const [first] = changing;
  const isOne = changing.length === 1;
  if (first)
    faults.push(
      `${countOf(changing.length, 'commit')} since the newest build ${isOne ? 'changes' : 'change'} files of the game and ${isOne ? 'names' : 'name'} no build, such as ${first.commit.slice(0, SHORT_HASH)} ("${first.subject}"): check "build" of "source" in game.json`,
    );
  return { faults, elsewhere: later.length - changing.length, newest };
}

/** Returns the expected paths that are missing at a commit. @param ofBuild the newest of the folders that are builds, which must stay */
async function findGone(
  mirror: RepositoryCopy,
  { commit, subject }: Pick<Commit, 'commit' | 'subject'>,
  source: RawSource,
  folders: readonly string[],
  ofBuild: string | undefined,
): Promise<string[]> {
  const ofTables = source.paths ? 'which "paths" of "source" names' : 'where the tables are';
  const wanted: [paths: readonly string[], why: string][] = isOfFolders(source)
    ? [[[ofBuild ?? ''], 'a build by "build" of "source"']]
    : [
        [filesThatName(source), 'which "source" reads'],
        [folders, ofTables],
      ];
  for (const [paths, why] of wanted) {
    const all = paths.map((each) => each.replace(/\/+$/, '')).filter((each) => each !== '' && each !== '.');
    const gone = await mirror.findAbsent(commit, all);
    // A single table may disappear for a good reason, which its check reports; all of them do not.
    if (gone.length === 0 || (why === ofTables && !source.paths && gone.length < all.length)) continue;
    return [
      `the newest commit ${commit.slice(0, SHORT_HASH)} ("${subject}") has no ${gone.join(', ')}, ${why} in game.json: upstream has moved or removed it, so no new build is found until "source" is corrected`,
    ];
  }
  return [];
}

/** Finds builds that two folders of the newest commit name, so that neither can be used. @returns the problem of each */
async function findTwins(
  mirror: RepositoryCopy,
  named: readonly NamedCommit[],
): Promise<Map<string, string>> {
  const folders = new Map<string, Set<string>>();
  for (const { build, folder } of named)
    if (folder !== undefined) folders.set(build, (folders.get(build) ?? new Set()).add(folder));
  const doubtful = [...folders].filter(([, of]) => of.size > 1);
  const newest = doubtful.length === 0 ? undefined : (await mirror.listCommits()).at(-1);
  if (newest === undefined) return new Map();
  // A folder that upstream has renamed counts once.
  const all = doubtful.flatMap(([, of]) => [...of]);
  const gone = new Set(await mirror.findAbsent(newest.commit, all));
  return new Map(
    doubtful.flatMap(([build, of]) => {
      const present = [...of].filter((folder) => !gone.has(folder));
      const fault = `the folders ${present.join(' and ')} are both called build ${build} by "build" of "source" in game.json: give its pattern a group that tells them apart, or let it match one of them; until then none is taken`;
      return present.length < 2 ? [] : [[build, fault] as const];
    }),
  );
}
