import { closeSync, copyFileSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { checkGit, type OpenBlob, whole } from '../../check/git.ts';
import type { Reference, UpstreamOptions } from '../../read/game.ts';
import { captureBy } from '../../read/schema.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import {
  findMissed,
  type Listing,
  listFew,
  moveFiles,
  type PlaceFile,
  placeFiles,
  readPathsOf,
  upstreamFolders,
} from '../add/files.ts';
import {
  filesThatName,
  limitsOfSource,
  type RawOtherSource,
  type RawReading,
  type RawSource,
} from '../source.ts';
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
import { type Commit, Mirror, type TreeFile } from './mirror.ts';
import type { RawGameDefinition } from '../../read/game-schema.ts';

const SETTLE_MINUTES = 60;
const SHORT_HASH = 10;
/** The end of the year 9999. */
const MAX_TIME_MS = Date.UTC(10_000);
/** A file that names builds is smaller: of each commit that changes it, it is read. */
const MAX_NAMING_BYTES = 16 * 1024 * 1024;

/** Games of one repository use its copy one after the other. */
const turns = new Map<string, Promise<void>>();

async function inTurn<T>(addresses: readonly string[], work: () => Promise<T>): Promise<T> {
  const before = addresses.flatMap((address) => turns.get(address) ?? []);
  let done = () => {};
  const own = new Promise<void>((resolve) => {
    done = resolve;
  });
  for (const address of addresses) turns.set(address, own);
  await Promise.all(before);
  return await work().finally(done);
}

/** A repository whose files belong to builds: that which names them, or another one, whose files are those of the last commit until then. */
interface Repository {
  mirror: Mirror;
  git: string;
  paths: RawSource['paths'];
  /** Oldest first; undefined for that which names the builds. */
  commits?: readonly Commit[];
}

/**
 * Fetches the upstream repositories of a game, and calls `use` with what they have.
 *
 * @throws CommandError if one cannot be fetched, or its address is not allowed
 */
export async function useGit<T>(
  raw: RawGameDefinition,
  source: RawSource,
  options: UpstreamOptions,
  use: (upstream: GameUpstream) => Promise<T>,
): Promise<T> {
  await checkGit();
  const { git = '', others = [], build } = source;
  const { maxMs } = limitsOfSource(source);
  const open = async (address: string, purpose: string, work: (mirror: Mirror) => Promise<T>): Promise<T> => {
    const connection = { ...(await connectTo(address, options.allowLocal)), maxMs };
    return await Mirror.use(options.cache, connection, work, { purpose });
  };
  // Of a second branch of a repository, there is a second copy.
  const openOthers = async (
    [other, ...rest]: readonly RawOtherSource[],
    opened: readonly Repository[],
    work: (opened: readonly Repository[]) => Promise<T>,
  ): Promise<T> => {
    if (other === undefined) return await work(opened);
    const isAgain = opened.some((each) => each.git === other.git);
    return await open(other.git, isAgain ? `copy ${opened.length}` : '', async (mirror) => {
      await mirror.fetchBranch(other.branch);
      const commits = await mirror.listCommits();
      return await openOthers(
        rest,
        [...opened, { mirror, git: other.git, paths: other.paths, commits }],
        work,
      );
    });
  };
  return await inTurn([...new Set([git, ...others.map((other) => other.git)])], () =>
    open(git, '', async (mirror) => {
      if (build !== 'date' && build.tag !== undefined) await mirror.fetchTags();
      else await mirror.fetchBranch(source.branch);
      const own = { mirror, git, paths: source.paths };
      return await openOthers(others, [own], async (repositories) =>
        use(await makeUpstream(raw, source, own, repositories)),
      );
    }),
  );
}

async function makeUpstream(
  raw: RawGameDefinition,
  source: RawSource,
  { mirror }: Repository,
  repositories: readonly Repository[],
): Promise<GameUpstream> {
  const folders = upstreamFolders(raw);
  const { named, problems } = await readCommits(mirror, source, folders);
  const twins = await findTwins(mirror, named);
  const certain = named.filter(({ build }) => !twins.has(build));
  const builds = groupBuilds(certain, source.settle_minutes ?? SETTLE_MINUTES);
  const { faults, elsewhere } = await findSilence(mirror, source, folders, named);
  const ofOthers = await Promise.all(
    repositories.map(async (other) => {
      const newest = other.commits?.at(-1);
      const why = `which "paths" of ${other.git} in "others" names`;
      return newest ? await findMissingPaths(other.mirror, newest, Object.keys(other.paths ?? {}), why) : [];
    }),
  );
  const { read } = limitsOfSource(source);

  /** The commits that have the files of a build, each with the folder in it that is the build. */
  const placesOf = async ({ commit, folder: inside }: UpstreamBuild) => {
    const time = repositories.length > 1 ? await mirror.timeOf(commit) : 0;
    return repositories.flatMap((repository) => {
      const { commits } = repository;
      const of = commits ? commits.findLast(({ at }) => at <= time)?.commit : commit;
      return of === undefined ? [] : [{ ...repository, commit: of, inside: commits ? undefined : inside }];
    });
  };
  const listAt = async (at: Mirror, commit: string, inside: string | undefined) =>
    await at.listFiles(commit, ...(inside === undefined ? [] : [inside]));
  const placeAll = (files: readonly TreeFile[], place: PlaceFile, inside: string | undefined) =>
    files.flatMap((file) => {
      const target = place(file.path.slice(inside === undefined ? 0 : inside.length + 1));
      return target === undefined ? [] : [{ ...file, target }];
    });
  /** Lists the files of a build, also those that the game does not read. */
  const list = async (build: UpstreamBuild): Promise<Listing> => {
    const { isRead } = readPathsOf(raw);
    const listing: Listing = { read: [], leftOut: [] };
    for (const { mirror: at, commit, inside, paths } of await placesOf(build)) {
      const files = await listAt(at, commit, inside);
      listing.read.push(...placeAll(files, placeFiles(raw, paths), inside).map(({ target }) => target));
      const moved = placeAll(files, moveFiles(paths), inside).map(({ target }) => target);
      listing.leftOut.push(...moved.filter((file) => !isRead(file)));
    }
    return listing;
  };
  return {
    builds,
    problems,
    faults: [...twins.values(), ...faults, ...ofOthers.flat()],
    elsewhere,
    async withDump(build, use) {
      const folder = mirror.dump;
      const clear = () => rm(folder, { recursive: true, force: true });
      await clear();
      await mkdir(folder);
      try {
        const origins = new Map<string, Pick<Reference, 'git' | 'commit' | 'path'>>();
        for (const { mirror: at, git, commit, inside, paths, commits } of await placesOf(build)) {
          const placed = placeAll(await listAt(at, commit, inside), placeFiles(raw, paths), inside);
          if (placed.length === 0 && commits === undefined) return undefined;
          for (const { target, path: file } of placed) {
            const origin = origins.get(target);
            if (origin)
              throw new CommandError(
                `"paths" in "source" of game.json place two files at ${target}: ${origin.path} of ${origin.git} and ${file} of ${git}`,
              );
            origins.set(target, { git, commit, path: file });
          }
          await copyFrom(at, placed, { folder, read, what: `build ${build.build}`, commit });
        }
        return await use(folder, origins);
      } finally {
        await clear();
      }
    },
    async fetchFiles(wanted) {
      for (const { newestCommit, commit, folder: inside } of wanted)
        for (const each of new Set([commit, newestCommit])) {
          const placed = placeAll(await listAt(mirror, each, inside), placeFiles(raw), inside);
          await mirror.fetchObjects(placed.map(({ blob }) => blob));
        }
    },
    async hasCommit(commit) {
      if (source.build === 'date' || source.build.tag === undefined) return await mirror.hasCommit(commit);
      return (await mirror.listTags()).some((each) => each.commit === commit);
    },
    async explainLost({ commit, folder: inside }, files) {
      if (files.length === 0) return [];
      const move = moveFiles(source.paths);
      const start = inside === undefined ? 0 : inside.length + 1;
      const placed = (paths: readonly string[]) => paths.flatMap((file) => move(file.slice(start)) ?? []);
      const unread = await mirror.listUnread(commit);
      const present = placed((await mirror.listFiles(commit)).map((file) => file.path));
      return files.flatMap((file) => {
        const odd = unread.find((each) => placed([each.path]).some((at) => `${file}/`.startsWith(`${at}/`)));
        if (odd) return `${file} is ${odd.what} upstream now, and ${odd.what.slice(2)}s are never followed`;
        const same = present.find((each) => each.toLowerCase() === file.toLowerCase());
        return same === undefined
          ? []
          : `${file} is called ${same} upstream now: only the case of its name changed; name it so in "tables"`;
      });
    },
    async findMissed(build, isFirst) {
      const at = builds.findIndex((each) => each.build === build.build);
      const before = isFirst ? undefined : builds[at - 1];
      return findMissed(await list(build), before && (await list(before)));
    },
  };
}

/** Copies files of a commit to the folder of a dump, piece by piece, so that a large one needs no memory. */
async function copyFrom(
  mirror: Mirror,
  placed: readonly (TreeFile & { target: string })[],
  { folder, read, what, commit }: { folder: string; read: number; what: string; commit: string },
): Promise<void> {
  const targets = new Map<string, string[]>();
  for (const { blob, target } of placed)
    targets.set(blob, [...(targets.get(blob) ?? []), path.join(folder, target)]);
  const open: OpenBlob = (blob) => {
    const [file = '', ...copies] = targets.get(blob) ?? [];
    mkdirSync(path.dirname(file), { recursive: true });
    closeSync(openSync(file, 'w'));
    return (piece) => {
      if (piece === undefined) {
        for (const copy of copies) {
          mkdirSync(path.dirname(copy), { recursive: true });
          copyFileSync(file, copy);
        }
        return;
      }
      // Opened for each piece: a download that breaks off must not leave it open.
      const descriptor = openSync(file, 'a');
      try {
        for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at);
      } finally {
        closeSync(descriptor);
      }
    };
  };
  await mirror.readBlobs([...targets.keys()], open, read).catch(async (error: unknown) => {
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

/** A commit that may name a build; with a folder that it changes, one candidate for each. */
type Candidate = Commit & { folder?: string };
/** Returns the text of a commit; undefined if it has none. */
type ReadText = (commit: Candidate) => string | undefined;

/** Reads which builds commits name, oldest first, and what is wrong with those that name none although they match. */
async function readCommits(
  mirror: Mirror,
  source: RawSource,
  folders: readonly string[],
): Promise<{ named: NamedCommit[]; problems: string[] }> {
  const { build, released_at } = source;
  const candidates = await listCandidates(mirror, source, folders);
  // Git keeps any number as the date of a commit.
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
  for (const { candidate, name } of withoutInner(all)) {
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
  mirror: Mirror,
  source: RawSource,
  folders: readonly string[],
): Promise<Candidate[]> {
  const { build } = source;
  if (build !== 'date' && build.tag !== undefined) return await mirror.listTags();
  if (build !== 'date' && build.folder !== undefined)
    return (await mirror.listChanges()).flatMap(({ files = [], ...commit }) => {
      const changed = new Set<string>();
      for (const file of files)
        for (let at = file.indexOf('/'); at > 0; at = file.indexOf('/', at + 1))
          changed.add(file.slice(0, at));
      return [...changed].map((folder) => ({ ...commit, folder }));
    });
  // A subject says by itself that a commit is a build. Otherwise only commits count that change something of it.
  const isNamedBySubject = build !== 'date' && build.subject !== undefined;
  const isAny = isNamedBySubject || folders.length === 0;
  return await mirror.listCommits(isAny ? [] : [...folders, ...filesThatName(source)]);
}

/** Leaves out folders inside a folder that is the same build: "previous/([^/_]+)_.+" matches those too. */
function withoutInner(named: { candidate: Candidate; name: string }[]): typeof named {
  const keyOf = ({ commit }: Candidate, name: string, folder: string) => `${commit} ${name} ${folder}`;
  const keys = new Set(named.map(({ candidate, name }) => keyOf(candidate, name, candidate.folder ?? '')));
  return named.filter(({ candidate, name }) => {
    const steps = candidate.folder?.split('/') ?? [];
    const outer = steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('/'));
    return !outer.some((folder) => keys.has(keyOf(candidate, name, folder)));
  });
}

async function readerOf(
  mirror: Mirror,
  reading: RawReading,
  candidates: readonly Candidate[],
): Promise<ReadText> {
  const { subject, tag, folder, file } = reading;
  if (file !== undefined) {
    const versions = await findVersions(mirror, file, candidates);
    const texts = new Map<string, string | undefined>();
    const take = whole((blob, content) => texts.set(blob, readValue(content.toString('utf8'), reading)));
    await mirror.readBlobs([...versions.values()], take, MAX_NAMING_BYTES);
    return ({ commit }) => texts.get(versions.get(commit) ?? '');
  }
  const capture = captureBy(subject ?? tag ?? `^(?:${folder})$`);
  return (commit) => {
    const text = subject !== undefined ? commit.subject : tag !== undefined ? commit.tag : commit.folder;
    return text === undefined ? undefined : capture(text);
  };
}

/** The hash of a file's content in each of the commits that have it. */
async function findVersions(
  mirror: Mirror,
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

/** Finds what would otherwise be silent: paths that are gone, and commits that change something of the game and name no build. */
async function findSilence(
  mirror: Mirror,
  source: RawSource,
  folders: readonly string[],
  named: readonly NamedCommit[],
): Promise<{ faults: string[]; elsewhere: number }> {
  const { build } = source;
  const last = named.at(-1);
  if (build !== 'date' && build.tag !== undefined)
    return {
      faults: last
        ? await findMissing(mirror, last, source, folders)
        : ['no tag names a build: check "build" of "source" in game.json'],
      elsewhere: 0,
    };
  const isOfFolders = build !== 'date' && build.folder !== undefined;
  const all = await mirror.listCommits();
  const newest = all.at(-1);
  // Of folders that are builds, the newest one has to stay.
  const lastFolder = last?.folder === undefined ? [] : [last.folder];
  const missing =
    newest === undefined
      ? []
      : isOfFolders
        ? await findMissingPaths(mirror, newest, lastFolder, 'a build by "build" of "source"')
        : await findMissing(mirror, newest, source, folders);
  const unnamed = 'no commit names a build: check "build", "branch" and "paths" of "source" in game.json';
  if (missing.length > 0 || last === undefined)
    return { faults: [...missing, ...(last === undefined ? [unnamed] : [])], elsewhere: 0 };
  const commits = new Set(named.map(({ commit }) => commit));
  const later = all.slice(all.findLastIndex(({ commit }) => commits.has(commit)) + 1);
  const ofFolders = new Set(
    (folders.length === 0 ? later : await mirror.listCommits(folders)).map(({ commit }) => commit),
  );
  const changing = isOfFolders ? [] : later.filter(({ commit }) => ofFolders.has(commit));
  const [first] = changing;
  const isOne = changing.length === 1;
  return {
    faults: first
      ? [
          `${countOf(changing.length, 'commit')} since the newest build ${isOne ? 'changes' : 'change'} files of the game and ${isOne ? 'names' : 'name'} no build, such as ${first.commit.slice(0, SHORT_HASH)} ("${first.subject}"): check "build" of "source" in game.json`,
        ]
      : [],
    elsewhere: later.length - changing.length,
  };
}

/** Says which of the paths that a repository should have are not in a commit. */
async function findMissingPaths(
  mirror: Mirror,
  { commit, subject }: Pick<Commit, 'commit' | 'subject'>,
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

async function findMissing(
  mirror: Mirror,
  newest: Pick<Commit, 'commit' | 'subject'>,
  source: RawSource,
  folders: readonly string[],
): Promise<string[]> {
  const unread = await findMissingPaths(mirror, newest, filesThatName(source), 'which "source" reads');
  if (unread.length > 0) return unread;
  if (source.paths) return await findMissingPaths(mirror, newest, folders, 'which "paths" of "source" names');
  // A table can be gone for a good reason, and its check says so. All of them are not.
  const absent = await mirror.findAbsent(newest.commit, folders);
  const isSomePresent = folders.length === 0 || absent.length < folders.length;
  return isSomePresent ? [] : await findMissingPaths(mirror, newest, folders, 'where the tables are');
}

/** Finds builds that two folders of the newest commit name, of which none can be taken. Returns what is wrong with each. */
async function findTwins(mirror: Mirror, named: readonly NamedCommit[]): Promise<Map<string, string>> {
  const folders = new Map<string, Set<string>>();
  for (const { build, folder } of named)
    if (folder !== undefined) folders.set(build, (folders.get(build) ?? new Set()).add(folder));
  const doubtful = [...folders].filter(([, of]) => of.size > 1);
  const newest = doubtful.length === 0 ? undefined : (await mirror.listCommits()).at(-1);
  if (newest === undefined) return new Map();
  // A folder that upstream has renamed is only one.
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
