import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type GitRun, readBlobs, runGit } from '../../check/git.ts';
import { withLock } from '../../dist/lock.ts';
import { CommandError, isFailure, makeFolder } from '../../system.ts';
import { type Connection, MAX_FETCH_MS } from './fetch.ts';

/** A commit of the upstream branch, or of a tag. */
export interface Commit {
  commit: string;
  /** The commit time, in ms since 1970. */
  at: number;
  /** The first line of its message. */
  subject: string;
  tag?: string;
  /** The paths of the files that it changes, if requested; without removed ones. */
  files?: string[];
}

/** A file of a commit. */
export interface TreeFile {
  path: string;
  /** The hash of its content. */
  blob: string;
}

/** How a copy is used. */
export interface MirrorUse {
  /** Distinguishes copies of a repository that must not mix, such as those of branches and of single commits. */
  purpose?: string;
  /** Advice if a fetch fails. */
  advice?: string;
  /** How long to wait for another process that uses the copy, in ms. */
  maxBusyMs?: number;
}

/** The name of the upstream remote in the settings of the copy. */
const REMOTE = 'upstream';
const BRANCH = 'refs/upstream/branch';
const TAGS = 'refs/upstream-tags';
/**
 * The format in which git prints a commit. The author controls only the subject, so it is last. NUL ends it,
 * because no text of git contains NUL.
 */
const COMMIT_FORMAT = '%H %ct %s';
const COMMIT = /^([0-9a-f]{40,64}) (-?\d+) (.*)$/s;
const MAX_LIST_MS = 60_000;
const MAX_BRANCHES = 5;
const BUSY_PAUSE_MS = 500;

/** Lists the current refs of a repository, with one short request; undefined if it cannot be reached. */
export async function listRefs(
  { settings, protocols, address, maxMs = MAX_LIST_MS }: Connection,
  refs: readonly string[],
): Promise<string | undefined> {
  const env = { GIT_ALLOW_PROTOCOL: protocols, GIT_DIR: undefined };
  const run = { settings, address, maxMs: Math.min(maxMs, MAX_LIST_MS), env };
  return await runGit('.', ['ls-remote', '--symref', '--', address, ...refs], run).catch(() => undefined);
}

/** The copy of an upstream repository in the cache. Only one process uses it at a time. */
export class RepositoryCopy {
  readonly #connection: Connection;
  readonly #folder: string;
  readonly #advice: string;
  #newest: Promise<string> | undefined;
  /** The logs of the branch, each read once. */
  readonly #logs = new Map<string, Promise<string>>();

  private constructor(connection: Connection, folder: string, advice: string) {
    this.#connection = connection;
    this.#folder = folder;
    this.#advice = advice;
  }

  /**
   * Calls `use` with the copy of a repository, which is created if it does not exist. The leftovers of a killed run are removed first.
   *
   * @param cache the folder of all copies
   * @throws CommandError while another process uses the copy
   */
  static async use<T>(
    cache: string,
    connection: Connection,
    use: (mirror: RepositoryCopy) => Promise<T>,
    { purpose = '', maxBusyMs = 0, ...how }: MirrorUse = {},
  ): Promise<T> {
    const { address } = connection;
    const key = createHash('sha256').update(`${address} ${purpose}`.trimEnd()).digest('hex').slice(0, 24);
    const folder = path.resolve(cache, key);
    await makeFolder(folder);
    const advice = how.advice ?? 'check "source" and the network, and run gamedata pull again';
    const refuse = () =>
      new CommandError(
        `another gamedata is fetching ${address} to ${cache}/${key}: wait until it ends`,
        1,
        'busy',
      );
    const work = async () => {
      const mirror = new RepositoryCopy(connection, folder, advice);
      await mirror.#prepare();
      return await use(mirror);
    };
    const end = performance.now() + maxBusyMs;
    for (;;) {
      try {
        return await withLock(path.join(folder, '.lock'), work, { refuse });
      } catch (error) {
        if (!isFailure(error, 'busy') || performance.now() >= end) throw error;
        await wait(BUSY_PAUSE_MS);
      }
    }
  }

  /** A folder for the files of a build, possibly with those of a killed run. */
  get dump(): string {
    return path.join(this.#folder, 'dump');
  }

  get #git(): string {
    return path.join(this.#folder, 'git');
  }

  /** A repository with the same objects but no remote: git would fetch missing objects one by one. */
  get #reader() {
    const env = { GIT_OBJECT_DIRECTORY: path.join(this.#git, 'objects') };
    return { folder: path.join(this.#folder, 'reader'), env };
  }

  async #prepare(): Promise<void> {
    for (const folder of [this.#git, this.#reader.folder]) {
      await makeFolder(folder);
      // The locks and incomplete packs of a killed git.
      for (const entry of await readdir(folder, { recursive: true }))
        if (/\.lock$|(^|\/)tmp_[^/]*$/.test(entry))
          await rm(path.join(folder, entry), { recursive: true, force: true });
    }
    // Written last: without it, the copy is incomplete.
    const ready = path.join(this.#folder, 'ready');
    if (existsSync(ready)) return;
    for (const folder of [this.#git, this.#reader.folder])
      await runGit(folder, ['init', '--bare', '--quiet', '--template=']);
    await runGit(this.#git, ['config', `remote.${REMOTE}.url`, this.#connection.address]);
    await writeFile(ready, '');
  }

  /** Fetches the commits and folders of a branch, without the content of files. @param branch undefined for the default branch */
  async fetchBranch(branch: string | undefined): Promise<void> {
    const source = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
    await this.#fetch([`+${source}:${BRANCH}`]).catch(async (error: unknown) => {
      if (branch === undefined || !(error instanceof CommandError)) throw error;
      throw (await this.#describeNoBranch(branch)) ?? error;
    });
  }

  /** Returns an error that lists the existing branches; undefined if the branch exists, or the repository cannot be reached. */
  async #describeNoBranch(branch: string): Promise<CommandError | undefined> {
    const listed = await listRefs(this.#connection, ['HEAD', 'refs/heads/*']);
    if (listed === undefined) return undefined;
    const heads = [...listed.matchAll(/\trefs\/heads\/(.+)$/gm)].map(([, name = '']) => name);
    if (heads.includes(branch)) return undefined;
    const main = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(listed)?.[1];
    const others = heads.filter((name) => name !== main).slice(0, MAX_BRANCHES);
    const defaultBranch = main === undefined ? '' : `; its default branch is ${main}`;
    return new CommandError(
      `${this.#connection.address} has no branch ${branch}${defaultBranch}${others.length > 0 ? `, others are ${others.join(', ')}` : ''}: change "branch" in "source" of game.json, or remove it to follow the default branch`,
    );
  }

  async fetchTags(): Promise<void> {
    await this.#fetch(['--prune', `+refs/tags/*:${TAGS}/*`]);
  }

  /** Fetches commits with their folders, or the content of files, if the copy lacks them. */
  async fetchObjects(objects: readonly string[], options: readonly string[] = []): Promise<void> {
    const missing = objects.length > 0 ? await this.findMissing([...new Set(objects)]) : [];
    if (missing.length > 0) await this.#fetch(options, missing);
  }

  /** Returns the objects that the copy lacks. */
  async findMissing(objects: readonly string[]): Promise<string[]> {
    const checked = await this.#read(['cat-file', '--batch-check'], { input: lines(objects) });
    return checked.split('\n').flatMap((line) => /^([0-9a-f]+) missing$/.exec(line)?.[1] ?? []);
  }

  /** @param refs refs to fetch, and options of git @param objects objects to fetch that no ref names */
  async #fetch(refs: readonly string[], objects: readonly string[] = []): Promise<void> {
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--filter=blob:none'];
    const own = refs.filter((each) => each.startsWith('--'));
    const args = ['fetch', ...options, ...own, ...(objects.length > 0 ? ['--stdin'] : []), REMOTE];
    const { protocols, address, settings, maxMs = MAX_FETCH_MS } = this.#connection;
    const run: GitRun = {
      ...{ maxMs, address, input: lines(objects), env: { GIT_ALLOW_PROTOCOL: protocols } },
      settings: objects.length > 0 ? [...settings, 'fetch.negotiationAlgorithm=noop'] : settings,
    };
    await runGit(this.#git, [...args, ...refs.filter((each) => !own.includes(each))], run).catch(
      (error: unknown) => {
        if (!isFailure(error, 'git')) throw error;
        const advice = adviceOf(error.message) ?? `${this.#advice}: what was fetched is kept`;
        throw new CommandError(`${address} cannot be fetched: ${error.message}; ${advice}`);
      },
    );
  }

  /** Lists the commits of the fetched branch, oldest first; of a merge, only the result. @param paths only commits that change one of these */
  async listCommits(paths: readonly string[] = []): Promise<Commit[]> {
    return (await this.#log(['--reverse', `--format=${COMMIT_FORMAT}`], paths))
      .split('\0')
      .flatMap(parseCommit);
  }

  /** Lists the same commits with the files that each changes. */
  async listChanges(): Promise<Commit[]> {
    const diff = ['--name-only', '--no-renames', '--diff-filter=d', '--diff-merges=first-parent', '--root'];
    const texts = (await this.#log(['--reverse', ...diff, `--format=%x00${COMMIT_FORMAT}`])).split('\0');
    // No path is empty, so an empty text marks the start of a commit. A line break precedes its first path.
    const starts = texts.flatMap((text, at) => (text === '' ? [at + 1] : []));
    return starts.flatMap((start, at) => {
      const [commit = '', first, ...others] = texts.slice(start, (starts[at + 1] ?? start) - 1);
      const files = first === undefined ? [] : [first.slice(1), ...others];
      return parseCommit(commit).map((facts) => ({ ...facts, files }));
    });
  }

  /** Returns the hashes of a file's content by the commits that change it; undefined for a commit that removes it. */
  async listVersions(file: string): Promise<Map<string, string | undefined>> {
    const diff = ['--raw', '--no-abbrev', '--no-renames', '--diff-merges=first-parent', '--root'];
    const args = ['log', '--first-parent', ...diff, '--format=%x1e%H', await this.#head(), '--', file];
    const commits = (await this.#read(args)).split('\u001e').slice(1);
    return new Map(
      commits.map((text) => {
        const [, mode = '', blob] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) /m.exec(text) ?? [];
        return [text.slice(0, text.indexOf('\n')), mode.startsWith('100') ? blob : undefined];
      }),
    );
  }

  /** Lists the fetched tags of commits, oldest commit first. */
  async listTags(): Promise<Commit[]> {
    const field = (name: string) => `%(${name})%00%(*${name})`;
    const fields = ['objectname', 'committerdate:unix', 'subject'].map(field);
    const format = ['%(refname:lstrip=2)', ...fields].join('%00');
    const printed = await runGit(this.#git, ['for-each-ref', `--format=${format}`, TAGS]);
    const tags = printed.split('\n').flatMap((line) => {
      const [tag = '', commit, ofTag, at, atOfTag, subject, subjectOfTag] = line.split('\0');
      // In each pair, the first is about the tag's target. For an annotated tag that is the tag object, and the second is about its commit.
      const facts = ofTag ? [ofTag, atOfTag, subjectOfTag] : [commit, at, subject];
      return facts[1] ? parseCommit(facts.join(' ')).map((commitFacts) => ({ tag, ...commitFacts })) : [];
    });
    return tags.sort((a, b) => a.at - b.at);
  }

  /** Lists the regular files of a commit, or of some paths in it, without links and submodules. */
  async listFiles(commit: string, ...paths: string[]): Promise<TreeFile[]> {
    const printed = await this.#read(['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths]);
    return printed.split('\0').flatMap((line) => {
      const [, blob, file] = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return blob === undefined || file === undefined ? [] : { path: file, blob };
    });
  }

  /** Returns the names at the top level of a commit. */
  async listTop(commit: string): Promise<string[]> {
    return (await this.#read(['ls-tree', '-z', '--name-only', '--full-tree', commit])).split('\0');
  }

  /** Lists the entries of a commit that are not read. */
  async listUnread(commit: string): Promise<{ path: string; what: string }[]> {
    const printed = await this.#read(['ls-tree', '-r', '-z', '--full-tree', commit]);
    return printed.split('\0').flatMap((line) => {
      const [, kind, file] = /^(120000|160000) \S+ [0-9a-f]+\t(.+)$/s.exec(line) ?? [];
      return file === undefined ? [] : [{ path: file, what: kind === '120000' ? 'a link' : 'a submodule' }];
    });
  }

  /** Whether a commit belongs to the fetched branch. */
  async hasCommit(commit: string): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', commit, await this.#head()];
    return await this.#read(args).then(
      () => true,
      () => false,
    );
  }

  /** Returns the given files and folders that a commit lacks. */
  async findAbsent(commit: string, paths: readonly string[]): Promise<string[]> {
    if (paths.length === 0) return [];
    const args = ['ls-tree', '-z', '--full-tree', '--name-only', commit, '--', ...paths];
    const present = new Set((await this.#read(args)).split('\0'));
    return paths.filter((each) => !present.has(each));
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

  /** The newest commit of the fetched branch. */
  async #head(): Promise<string> {
    this.#newest ??= runGit(this.#git, ['rev-parse', '--verify', BRANCH]);
    return (await this.#newest).trim();
  }

  async #log(args: readonly string[], paths: readonly string[] = []): Promise<string> {
    const key = JSON.stringify([args, paths]);
    const before = this.#logs.get(key);
    if (before) return await before;
    const printed = this.#read(['log', '-z', '--first-parent', ...args, await this.#head(), '--', ...paths]);
    this.#logs.set(key, printed);
    return await printed;
  }

  async #read(args: readonly string[], run: GitRun = {}): Promise<string> {
    const { folder, env } = this.#reader;
    return await runGit(folder, args, { ...run, env });
  }
}

/** Advice for an HTTP status that git prints; undefined for other errors. */
function adviceOf(message: string): string | undefined {
  const [, status = ''] = /returned error: (\d{3})/.exec(message) ?? [];
  if (status === '429' || status === '503')
    return 'the host asks to wait, and the next round asks again: pull less often (--every) if this lasts';
  if (status.startsWith('30'))
    return 'it moved, and redirects are not followed: look where it is now, and if you trust that, change the address in "source" of game.json';
  return undefined;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

function parseCommit(printed: string): Commit[] {
  const [, commit, seconds, subject = ''] = COMMIT.exec(printed) ?? [];
  return commit === undefined ? [] : [{ commit, at: Number(seconds) * 1000, subject }];
}
