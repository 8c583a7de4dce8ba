import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { checkGit, type GitRun, readBlobs, runGit } from '../../check/git.ts';
import type { UpstreamOptions } from '../../read/game.ts';
import type { RawGameDefinition } from '../../read/game-schema.ts';
import { captureBy } from '../../read/schema.ts';
import { CommandError, isAbsent, isFailure, makeFolder } from '../../system.ts';
import { countOf, groupBy } from '../../text.ts';
import { moveFiles, type PlaceFile, placeFiles, upstreamFolders } from '../add/files.ts';
import { filesThatName, limitsOfSource, type RawReading, type RawSource, SETTLE_MINUTES } from '../source.ts';
import {
  findProblem,
  type GameUpstream,
  groupBuilds,
  type NamedCommit,
  readDate,
  readValue,
  SHORT_HASH,
} from './builds.ts';
import { adviceFor, type Connection, connectTo, withCacheFolder } from './fetch.ts';

const MAX_LIST_MS = 60_000;
const LICENCES = 'LICENSE LICENSE.md LICENSE.txt LICENCE LICENCE.md COPYING UNLICENSE'.split(' ');
/** The end of the year 9999. */
const MAX_TIME_MS = Date.UTC(10_000);
/** A file that names builds is smaller: it is read at each commit that changes it. */
const MAX_NAMING_BYTES = 16 * 1024 * 1024;

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
  return await withCopy(cache, connection, async (copy) => use(await openUpstream(raw, source, copy)));
}

/** Returns a hash of the current refs of a repository, with one short request; undefined for other sources, or if the request fails: the fetch then reports why. */
export async function listRefs(source: RawSource, allowLocal: boolean): Promise<string | undefined> {
  const { git, branch } = source;
  if (git === undefined) return undefined;
  const ofBranch = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  const { address, settings } = await connectTo(git, allowLocal);
  const refs = await runGit('.', ['ls-remote', '--', address, usesTags(source) ? 'refs/tags/*' : ofBranch], {
    settings,
    address,
    maxMs: Math.min(limitsOfSource(source).maxMs, MAX_LIST_MS),
    env: { GIT_DIR: undefined },
  }).catch(() => undefined);
  return refs && hash('sha256', refs);
}

const usesTags = ({ build }: RawSource) => typeof build === 'object' && build.tag !== undefined;

async function openUpstream(
  raw: RawGameDefinition,
  source: RawSource,
  copy: RepositoryCopy,
): Promise<GameUpstream> {
  const { git = '', build } = source;
  const ofTags = usesTags(source);
  if (ofTags) await copy.fetchTags();
  else await copy.fetchBranch(source.branch);
  const folders = upstreamFolders(raw);
  const all = ofTags ? await copy.listTags() : await copy.listCommits();
  const isNarrow = !ofTags && folders.length > 0;
  const touching = isNarrow ? await copy.listCommits([...folders, ...filesThatName(source)]) : all;
  // With `subject`, every matching commit is a build. Otherwise only commits that change files of the game count.
  const isOfSubject = build !== 'date' && build.subject !== undefined;
  const { named, problems } = await nameCommits(copy, source, isOfSubject ? all : touching);
  const newest = ofTags ? named.at(-1) : all.at(-1);
  const none = `no ${ofTags ? 'tag' : 'commit'} names a build: check "build", "branch" and "paths" of "source" in game.json`;
  const faults = named.length === 0 ? [none] : ofTags ? [] : findNameless(all, touching, named);

  const listPlaced = async (commit: string, place: PlaceFile) =>
    (await copy.listFiles(commit)).flatMap((file) => {
      const target = place(file.path);
      return target === undefined ? [] : { ...file, target };
    });
  const hasCommit = (commit: string) => all.some((each) => each.commit === commit);
  return {
    builds: groupBuilds(named, source.settle_minutes ?? SETTLE_MINUTES),
    problems,
    faults,
    async withDump({ commit }, use) {
      const all = await listPlaced(commit, placeFiles(raw));
      // If "paths" places two files at a target, the last counts.
      const placed = [...new Map(all.map((file) => [file.target, file])).values()];
      if (placed.length === 0) return undefined;
      const targets = new Map(groupBy(placed, ({ blob }) => blob).map((files) => [files[0].blob, files]));
      const take = (blob: string, content: Buffer) => {
        for (const { target } of targets.get(blob) ?? []) {
          const file = path.join(copy.dump, target);
          mkdirSync(path.dirname(file), { recursive: true });
          writeFileSync(file, content);
        }
      };
      const clear = () => rm(copy.dump, { recursive: true, force: true });
      await clear();
      await mkdir(copy.dump);
      try {
        await copy.readBlobs([...targets.keys()], take, limitsOfSource(source).read);
        const originOf = ({ path: file }: TreeFile) => ({ git, commit, path: file });
        return await use(copy.dump, new Map(placed.map((each) => [each.target, originOf(each)])));
      } finally {
        await clear();
      }
    },
    async fetchFiles(wanted) {
      for (const commit of new Set(wanted.flatMap((each) => [each.commit, each.newestCommit])))
        await copy.fetchObjects((await listPlaced(commit, placeFiles(raw))).map(({ blob }) => blob));
    },
    hasCommit,
    async findLostLicence(commits) {
      const since = commits.find(hasCommit);
      if (newest === undefined || since === undefined) return undefined;
      const lost = await copy.findRemoved(LICENCES, since, newest.commit);
      const isThere = lost !== undefined && (await copy.listTree(newest.commit, ...LICENCES)).length > 0;
      return isThere ? undefined : lost;
    },
    async explainLost({ commit }, lost) {
      const move = moveFiles(source.paths);
      const unread = (await copy.listTree(commit)).filter((file) => file.unread !== undefined);
      const present = (await listPlaced(commit, move)).map(({ target }) => target);
      return lost.flatMap((file) => {
        const odd = unread.find((each) => `${file}/`.startsWith(`${move(each.path)}/`));
        if (odd) return `${file} is a ${odd.unread} upstream now, and ${odd.unread}s are never followed`;
        const [lower, base] = [file.toLowerCase(), path.basename(file)];
        const named = present.filter((each) => each.toLowerCase() === lower || path.basename(each) === base);
        return named.length === 1 ? `${file} is called ${named[0]} upstream now: name it so in "tables"` : [];
      });
    },
  };
}

/** Returns the builds that commits name, oldest first, and the problems of commits that match but name none. */
async function nameCommits(
  copy: RepositoryCopy,
  { build, released_at }: RawSource,
  commits: readonly Commit[],
): Promise<{ named: NamedCommit[]; problems: string[] }> {
  // Git allows any number as the date of a commit.
  const isInCalendar = (at: number) => at >= 0 && at < MAX_TIME_MS;
  const dayOf = ({ at }: Commit) => (isInCalendar(at) ? new Date(at).toISOString().slice(0, 10) : '');
  const nameOf = build === 'date' ? dayOf : await readerOf(copy, build, commits);
  const dateOf = released_at && (await readerOf(copy, released_at, commits));
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
  copy: RepositoryCopy,
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
  const changes = isOfTag ? new Map<string, string>() : await copy.listVersions(file);
  let current: string | undefined;
  for (const { commit } of commits) {
    if (isOfTag) current = (await copy.listFiles(commit, file))[0]?.blob;
    else if (changes.has(commit)) current = changes.get(commit);
    if (current !== undefined) versions.set(commit, current);
  }
  const texts = new Map<string, string | undefined>();
  const take = (blob: string, content: Buffer) => texts.set(blob, readValue(content.toString(), reading));
  await copy.readBlobs([...versions.values()], take, MAX_NAMING_BYTES);
  return ({ commit }) => texts.get(versions.get(commit) ?? '');
}

/** Finds commits after the newest build that change the game and name no build. */
function findNameless(
  all: readonly Commit[],
  touching: readonly Commit[],
  named: readonly NamedCommit[],
): string[] {
  const builds = new Set(named.map(({ commit }) => commit));
  const touched = new Set(touching.map(({ commit }) => commit));
  const later = all.slice(all.findLastIndex(({ commit }) => builds.has(commit)) + 1);
  const [first, ...more] = later.filter(({ commit }) => touched.has(commit));
  if (first === undefined) return [];
  const others = more.length > 0 ? `, and ${countOf(more.length, 'later commit')} too` : '';
  return [
    `commit ${first.commit.slice(0, SHORT_HASH)} ("${first.subject}") changes files of the game and names no build${others}: check "build" of "source" in game.json`,
  ];
}

/** A commit of the upstream branch, or of a tag. */
interface Commit {
  commit: string;
  /** The commit time, in ms since 1970. */
  at: number;
  /** The first line of its message. */
  subject: string;
  tag?: string;
}

/** A file of a commit. */
interface TreeFile {
  path: string;
  /** The hash of its content. */
  blob: string;
  /** Links and submodules, which are never read. */
  unread?: string | undefined;
}

/** The name of the upstream remote in the settings of the copy. */
const REMOTE = 'upstream';
const BRANCH = 'refs/upstream/branch';
const TAGS = 'refs/upstream-tags';
/** The whole history. Without it, git 2.39 fetches the parents that a shallow repository lacks in endlessly nested processes. */
const ALL = '--depth=2147483647';
/**
 * A commit as git prints it: %H %ct %s. The author controls only the subject, so it is last. NUL ends it, because no text of git contains NUL.
 */
const COMMIT = /^([0-9a-f]{40,64}) (-?\d+) (.*)$/s;
/** What a tree has besides files, by mode. */
const UNREAD: Record<string, string> = { '120000': 'link', '160000': 'submodule' };

/**
 * Calls `use` with the copy of a repository in the cache, which is created if it does not exist. Waits while another game or process uses it.
 *
 * @param cache the folder of all copies
 * @param purpose distinguishes copies that must not mix, such as those of branches and of single commits
 * @throws CommandError if the copy stays in use
 */
export async function withCopy<T>(
  cache: string,
  connection: Connection,
  use: (copy: RepositoryCopy) => Promise<T>,
  purpose = '',
): Promise<T> {
  const { address: what, maxMs } = connection;
  const work = (folder: string) => new RepositoryCopy(connection, folder).prepare().then(use);
  return await withCacheFolder({ cache, key: `${what} ${purpose}`.trimEnd(), what }, work, maxMs);
}

/** The copy of an upstream repository. Only one game uses it at a time. */
export class RepositoryCopy {
  readonly #connection: Connection;
  readonly #git: string;
  /** A repository with the same objects but no remote: git would fetch missing files one by one. */
  readonly #reader: { folder: string; env: Record<string, string> };
  /** A folder for the files of a build, possibly with those of a killed run. */
  readonly dump: string;

  constructor(connection: Connection, folder: string) {
    this.#connection = connection;
    this.#git = path.join(folder, 'git');
    const env = { GIT_OBJECT_DIRECTORY: path.join(this.#git, 'objects') };
    this.#reader = { folder: path.join(folder, 'reader'), env };
    this.dump = path.join(folder, 'dump');
  }

  /** Creates the copy if it does not exist, and removes the leftovers of a killed run. */
  async prepare(): Promise<this> {
    const folders = [this.#git, this.#reader.folder];
    for (const folder of folders) {
      await makeFolder(folder);
      // The locks and incomplete packs of a killed git.
      for (const entry of await readdir(folder, { recursive: true }))
        if (/\.lock$|(^|\/)tmp_[^/]*$/.test(entry))
          await rm(path.join(folder, entry), { recursive: true, force: true });
      // Git creates it last.
      if (await isAbsent(path.join(folder, 'objects/info')))
        await runGit(folder, ['init', '--bare', '--quiet', '--template=']);
    }
    return this;
  }

  /** Fetches the commits and folders of a branch, without the content of files. @param branch undefined for the default branch */
  async fetchBranch(branch: string | undefined): Promise<void> {
    await this.#fetch([ALL, REMOTE, `+${branch === undefined ? 'HEAD' : `refs/heads/${branch}`}:${BRANCH}`]);
  }

  async fetchTags(): Promise<void> {
    await this.#fetch([ALL, '--prune', REMOTE, `+refs/tags/*:${TAGS}/*`]);
  }

  /** Fetches commits with their folders, or the content of files, if the copy lacks them. */
  async fetchObjects(objects: readonly string[], options: readonly string[] = []): Promise<void> {
    if (objects.length === 0) return;
    const input = [...new Set(objects)].join('\n');
    const { folder, env } = this.#reader;
    const checked = await runGit(folder, ['cat-file', '--batch-check'], { input, env });
    const missing = checked.split('\n').flatMap((line) => /^([0-9a-f]+) missing$/.exec(line)?.[1] ?? []);
    const run = { input: missing.join('\n'), settings: ['fetch.negotiationAlgorithm=noop'] };
    if (missing.length > 0) await this.#fetch([...options, '--stdin', REMOTE], run);
  }

  /** @param what options of git, the remote, and refs to fetch */
  async #fetch(what: readonly string[], { input, settings: more = [] }: GitRun = {}): Promise<void> {
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--filter=blob:none'];
    const { address, settings, maxMs = limitsOfSource({}).maxMs } = this.#connection;
    await runGit(this.#git, ['fetch', ...options, ...what], {
      maxMs,
      address,
      ...(input !== undefined && { input }),
      settings: [`remote.${REMOTE}.url=${address}`, ...settings, ...more],
    }).catch((error: unknown) => {
      if (!isFailure(error, 'git')) throw error;
      const [, status = error.message] = /returned error: (\d{3})/.exec(error.message) ?? [];
      throw new CommandError(`${address} cannot be fetched: ${error.message}; ${adviceFor(status)}`);
    });
  }

  /** Lists the commits of the fetched branch, oldest first; of a merge, only the result. @param paths only commits that change one of these */
  async listCommits(paths: readonly string[] = []): Promise<Commit[]> {
    const log = ['log', '-z', '--first-parent', '--reverse', '--format=%H %ct %s', BRANCH];
    return (await runGit(this.#git, [...log, '--', ...paths])).split('\0').flatMap(parseCommit);
  }

  /** Returns the hashes of a file's content by the commits that change it; undefined for a commit that removes it. */
  async listVersions(file: string): Promise<Map<string, string | undefined>> {
    const diff = ['--raw', '--no-abbrev', '--no-renames', '--diff-merges=first-parent', '--root'];
    const args = ['log', '--first-parent', ...diff, '--format=%x1e%H', BRANCH, '--', file];
    const commits = (await runGit(this.#git, args)).split('\u001e').slice(1);
    return new Map(
      commits.map((text) => {
        const [, mode = '', blob] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) /m.exec(text) ?? [];
        return [text.slice(0, text.indexOf('\n')), mode.startsWith('100') ? blob : undefined];
      }),
    );
  }

  /** Returns one of some files that was removed after a commit; undefined if none was. */
  async findRemoved(files: readonly string[], since: string, until: string): Promise<string | undefined> {
    const log = ['log', '-z', '--first-parent', '--diff-filter=D', '--name-only', '--format='];
    const removed = await runGit(this.#git, [...log, `${since}..${until}`, '--', ...files]);
    return removed.split('\0').find((file) => file !== '');
  }

  /** Lists the fetched tags of commits, oldest commit first. */
  async listTags(): Promise<Commit[]> {
    const [own, of] = ['', '*'].map(
      (ref) => `%(${ref}objectname) %(${ref}committerdate:unix) %(${ref}subject)`,
    );
    const format = `%(refname:lstrip=2)%00%(if)%(*objectname)%(then)${of}%(else)${own}%(end)`;
    const printed = await runGit(this.#git, ['for-each-ref', `--format=${format}`, TAGS]);
    const named = printed.split('\n').flatMap((line) => {
      const [tag = '', commit = ''] = line.split('\0');
      return parseCommit(commit).map((each) => ({ ...each, tag }));
    });
    return named.sort((a, b) => a.at - b.at);
  }

  /** Lists what a commit has, or some paths in it. */
  async listTree(commit: string, ...paths: string[]): Promise<TreeFile[]> {
    const printed = await runGit(this.#git, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths]);
    return printed.split('\0').flatMap((line) => {
      const [, mode = '', blob = '', file] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return file === undefined ? [] : [{ path: file, blob, unread: UNREAD[mode] }];
    });
  }

  /** Lists the regular files of a commit, or of some paths in it. */
  async listFiles(commit: string, ...paths: string[]): Promise<TreeFile[]> {
    return (await this.listTree(commit, ...paths)).filter(({ unread }) => unread === undefined);
  }

  /** Reads the content of files, one at a time; those that the copy lacks are fetched together. */
  async readBlobs(
    blobs: readonly string[],
    take: (blob: string, content: Buffer) => void,
    maxBytes?: number,
  ): Promise<void> {
    await this.fetchObjects(blobs);
    const { folder, env } = this.#reader;
    await readBlobs(folder, blobs, take, { env, maxBytes });
  }
}

function parseCommit(printed: string): Commit[] {
  const [, commit, seconds, subject = ''] = COMMIT.exec(printed) ?? [];
  return commit === undefined ? [] : [{ commit, at: Number(seconds) * 1000, subject }];
}
