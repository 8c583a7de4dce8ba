import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { checkGit } from '../../check/git.ts';
import type { Reference, UpstreamOptions } from '../../read/game.ts';
import type { RawGameDefinition } from '../../read/game-schema.ts';
import { captureBy } from '../../read/schema.ts';
import { CommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { moveFiles, type PlaceFile, placeFiles, upstreamFolders } from '../add/files.ts';
import { filesThatName, limitsOfSource, type RawReading, type RawSource } from '../source.ts';
import {
  findProblem,
  type GameUpstream,
  groupBuilds,
  type NamedCommit,
  readDate,
  readValue,
  SHORT_HASH,
} from './builds.ts';
import { connectTo } from './fetch.ts';
import { type Commit, RepositoryCopy, type TreeFile } from './mirror.ts';

const SETTLE_MINUTES = 60;
const LICENCE = /^(licen[cs]e|copying|unlicen[cs]e)\b[^/]*$/i;
/** The end of the year 9999. */
const MAX_TIME_MS = Date.UTC(10_000);
/** A file that names builds is smaller: it is read at each commit that changes it. */
const MAX_NAMING_BYTES = 16 * 1024 * 1024;

const isOfTags = ({ build }: RawSource) => build !== 'date' && build.tag !== undefined;

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
  const { maxMs } = limitsOfSource(source);
  const connection = { ...(await connectTo(source.git ?? '', allowLocal)), maxMs };
  const work = async (mirror: RepositoryCopy) => {
    if (isOfTags(source)) await mirror.fetchTags();
    else await mirror.fetchBranch(source.branch);
    return await use(await makeUpstream(raw, source, mirror));
  };
  return await RepositoryCopy.use(cache, connection, work, { maxBusyMs: maxMs });
}

async function makeUpstream(
  raw: RawGameDefinition,
  source: RawSource,
  mirror: RepositoryCopy,
): Promise<GameUpstream> {
  const { git = '' } = source;
  const folders = upstreamFolders(raw);
  const ofTags = isOfTags(source);
  const all = ofTags ? await mirror.listTags() : await mirror.listCommits();
  const isNarrow = !ofTags && folders.length > 0;
  const touching = isNarrow ? await mirror.listCommits([...folders, ...filesThatName(source)]) : all;
  // A subject alone shows that a commit is a build. Otherwise only commits count that change the build.
  const isOfSubject = source.build !== 'date' && source.build.subject !== undefined;
  const { named, problems } = await nameCommits(mirror, source, isOfSubject ? all : touching);
  const newest = ofTags ? named.at(-1) : all.at(-1);
  const tree = newest ? await mirror.listTree(newest.commit) : [];
  const none = `no ${ofTags ? 'tag' : 'commit'} names a build: check "build", "branch" and "paths" of "source" in game.json`;
  const faults = named.length === 0 ? [none] : ofTags ? [] : findNameless(all, touching, named);

  const listPlaced = async (commit: string, place: PlaceFile) =>
    (await mirror.listFiles(commit)).flatMap((file) => {
      const target = place(file.path);
      return target === undefined ? [] : { ...file, target };
    });
  return {
    ...{ builds: groupBuilds(named, source.settle_minutes ?? SETTLE_MINUTES), problems, faults },
    async withDump({ commit }, use) {
      const placed = await listPlaced(commit, placeFiles(raw));
      if (placed.length === 0) return undefined;
      const origins = new Map<string, Pick<Reference, 'git' | 'commit' | 'path'>>();
      for (const { target, path: file } of placed) {
        const twin = origins.get(target)?.path;
        if (twin !== undefined)
          throw new CommandError(
            `"paths" in "source" of game.json place two files at ${target}: ${twin} and ${file} of ${git}`,
          );
        origins.set(target, { git, commit, path: file });
      }
      const clear = () => rm(mirror.dump, { recursive: true, force: true });
      await clear();
      await mkdir(mirror.dump);
      try {
        await copyFrom(mirror, placed, limitsOfSource(source).read);
        return await use(mirror.dump, origins);
      } finally {
        await clear();
      }
    },
    async fetchFiles(wanted) {
      for (const { commit, newestCommit } of wanted)
        for (const each of new Set([commit, newestCommit]))
          await mirror.fetchObjects((await listPlaced(each, placeFiles(raw))).map(({ blob }) => blob));
    },
    async hasCommit(commit) {
      return ofTags ? all.some((each) => each.commit === commit) : await mirror.hasCommit(commit);
    },
    async findLostLicence(commits) {
      if (tree.some((file) => LICENCE.test(file.path))) return undefined;
      for (const commit of commits) {
        const then = await mirror.listTree(commit).catch(() => []);
        const lost = then.find((file) => LICENCE.test(file.path));
        if (lost) return lost.path;
      }
      return undefined;
    },
    async explainLost({ commit }, lost) {
      if (lost.length === 0) return [];
      const move = moveFiles(source.paths);
      const unread = (await mirror.listTree(commit)).filter((file) => file.unread !== undefined);
      const present = (await listPlaced(commit, move)).map(({ target }) => target);
      return lost.flatMap((file) => {
        const odd = unread.find((each) => `${file}/`.startsWith(`${move(each.path)}/`));
        if (odd) return `${file} is a ${odd.unread} upstream now, and ${odd.unread}s are never followed`;
        const same = present.find((each) => each.toLowerCase() === file.toLowerCase());
        return same === undefined
          ? []
          : `${file} is called ${same} upstream now: only the case of its name changed; name it so in "tables"`;
      });
    },
  };
}

/** Copies files of a commit to the folder of a dump. */
async function copyFrom(
  mirror: RepositoryCopy,
  placed: readonly (TreeFile & { target: string })[],
  maxBytes: number,
): Promise<void> {
  const targets = new Map<string, string[]>();
  for (const { blob, target } of placed) targets.set(blob, [...(targets.get(blob) ?? []), target]);
  const take = (blob: string, content: Buffer) => {
    for (const target of targets.get(blob) ?? []) {
      const file = path.join(mirror.dump, target);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  };
  await mirror.readBlobs([...targets.keys()], take, maxBytes);
}

/** Returns the builds that commits name, oldest first, and the problems of commits that match but name none. */
async function nameCommits(
  mirror: RepositoryCopy,
  source: RawSource,
  commits: readonly Commit[],
): Promise<{ named: NamedCommit[]; problems: string[] }> {
  const { build, released_at } = source;
  // Git allows any number as the date of a commit.
  const isInCalendar = (at: number) => at >= 0 && at < MAX_TIME_MS;
  const dayOf = ({ at }: Commit) => (isInCalendar(at) ? new Date(at).toISOString().slice(0, 10) : '');
  const nameOf = build === 'date' ? dayOf : await readerOf(mirror, build, commits);
  const dateOf = released_at && (await readerOf(mirror, released_at, commits));
  const named: NamedCommit[] = [];
  const problems: string[] = [];
  for (const each of commits) {
    const name = nameOf(each);
    if (name === undefined) continue;
    const { commit, at, subject } = each;
    const date = dateOf && readDate(dateOf(each));
    const problem = isInCalendar(at)
      ? findProblem(name, dateOf !== undefined && date === undefined)
      : 'has a date that is in no calendar: it is left out';
    if (problem === undefined) named.push({ commit, at, subject, build: name, released_at: date });
    else problems.push(`commit ${commit.slice(0, SHORT_HASH)} ("${subject}") ${problem}`);
  }
  return { named, problems };
}

/** Returns a function that reads a text of a commit; undefined if it has none. */
async function readerOf(
  mirror: RepositoryCopy,
  reading: RawReading,
  commits: readonly Commit[],
): Promise<(commit: Commit) => string | undefined> {
  const { subject, tag, file } = reading;
  if (file === undefined) {
    const capture = captureBy(subject ?? tag ?? '');
    return (commit) => capture((subject === undefined ? commit.tag : commit.subject) ?? '');
  }
  // The hash of the file's content at each commit that has it.
  const versions = new Map<string, string>();
  const isOfTag = commits[0]?.tag !== undefined;
  const changes = isOfTag ? new Map<string, string>() : await mirror.listVersions(file);
  let current: string | undefined;
  for (const { commit } of commits) {
    if (isOfTag) current = (await mirror.listFiles(commit, file))[0]?.blob;
    else if (changes.has(commit)) current = changes.get(commit);
    if (current !== undefined) versions.set(commit, current);
  }
  const texts = new Map<string, string | undefined>();
  const take = (blob: string, content: Buffer) => texts.set(blob, readValue(content.toString(), reading));
  await mirror.readBlobs([...versions.values()], take, MAX_NAMING_BYTES);
  return ({ commit }) => texts.get(versions.get(commit) ?? '');
}

/** Finds commits after the newest build that change the game and name no build. */
function findNameless(
  all: readonly Commit[],
  touching: readonly Commit[],
  named: readonly NamedCommit[],
): string[] {
  const builds = new Set(named.map(({ commit }) => commit));
  const later = all.slice(all.findLastIndex(({ commit }) => builds.has(commit)) + 1);
  const touched = new Set(touching.map(({ commit }) => commit));
  const changing = later.filter(({ commit }) => touched.has(commit));
  const [first] = changing;
  if (first === undefined) return [];
  const verbs = changing.length === 1 ? ['changes', 'names'] : ['change', 'name'];
  return [
    `${countOf(changing.length, 'commit')} since the newest build ${verbs[0]} files of the game and ${verbs[1]} no build, such as ${first.commit.slice(0, SHORT_HASH)} ("${first.subject}"): check "build" of "source" in game.json`,
  ];
}
