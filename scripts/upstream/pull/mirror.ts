import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type GitRun, readBlobs, runGit } from '../../check/git.ts';
import { withLock } from '../../dist/lock.ts';
import { CommandError, isFailure, makeFolder } from '../../system.ts';
import { adviceFor, type Connection } from './fetch.ts';

/** A commit of the upstream branch, or of a tag. */
export interface Commit {
  commit: string;
  /** The commit time, in ms since 1970. */
  at: number;
  /** The first line of its message. */
  subject: string;
  tag?: string;
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
  /** How long to wait while another game or process uses the copy, in ms. */
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
const MAX_FETCH_MS = 900_000;
const BUSY_PAUSE_MS = 500;
/** What a tree has besides files, by mode: it is never read. */
const UNREAD: Record<string, string> = { '120000': 'link', '160000': 'submodule' };

/** Lists the current refs of a repository, with one short request; undefined if it cannot be reached. */
export async function listRefs(
  { settings, protocols, address, maxMs = MAX_LIST_MS }: Connection,
  ref: string,
): Promise<string | undefined> {
  const env = { GIT_ALLOW_PROTOCOL: protocols, GIT_DIR: undefined };
  const run = { settings, address, maxMs: Math.min(maxMs, MAX_LIST_MS), env };
  return await runGit('.', ['ls-remote', '--', address, ref], run).catch(() => undefined);
}

/** The copy of an upstream repository in the cache. Only one game uses it at a time. */
export class RepositoryCopy {
  readonly #connection: Connection;
  readonly #folder: string;
  readonly #advice: string | undefined;
  /** The newest commit of the fetched branch. */
  #head = '';

  private constructor(connection: Connection, folder: string, advice: string | undefined) {
    this.#connection = connection;
    this.#folder = folder;
    this.#advice = advice;
  }

  /**
   * Calls `use` with the copy of a repository, which is created if it does not exist. The leftovers of a killed run are removed first.
   *
   * @param cache the folder of all copies
   * @throws CommandError if the copy stays in use
   */
  static async use<T>(
    cache: string,
    connection: Connection,
    use: (mirror: RepositoryCopy) => Promise<T>,
    { purpose = '', maxBusyMs = 0, advice }: MirrorUse = {},
  ): Promise<T> {
    const { address } = connection;
    const key = createHash('sha256').update(`${address} ${purpose}`.trimEnd()).digest('hex').slice(0, 24);
    const folder = path.resolve(cache, key);
    await makeFolder(folder);
    const busy = `another gamedata is fetching ${address} to ${cache}/${key}: wait until it ends`;
    const refuse = () => new CommandError(busy, 1, 'busy');
    const mirror = new RepositoryCopy(connection, folder, advice);
    const end = performance.now() + maxBusyMs;
    for (;;) {
      try {
        return await withLock(path.join(folder, '.lock'), () => mirror.#prepare().then(() => use(mirror)), {
          refuse,
        });
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
    const folders = [this.#git, this.#reader.folder];
    for (const folder of folders) {
      await makeFolder(folder);
      // The locks and incomplete packs of a killed git.
      for (const entry of await readdir(folder, { recursive: true }))
        if (/\.lock$|(^|\/)tmp_[^/]*$/.test(entry))
          await rm(path.join(folder, entry), { recursive: true, force: true });
    }
    // Written last: without it, the copy is incomplete.
    const ready = path.join(this.#folder, 'ready');
    if (existsSync(ready)) return;
    for (const folder of folders) await runGit(folder, ['init', '--bare', '--quiet', '--template=']);
    await runGit(this.#git, ['config', `remote.${REMOTE}.url`, this.#connection.address]);
    await writeFile(ready, '');
  }

  /** Fetches the commits and folders of a branch, without the content of files. @param branch undefined for the default branch */
  async fetchBranch(branch: string | undefined): Promise<void> {
    await this.#fetch([`+${branch === undefined ? 'HEAD' : `refs/heads/${branch}`}:${BRANCH}`]);
    this.#head = (await runGit(this.#git, ['rev-parse', '--verify', BRANCH])).trim();
  }

  async fetchTags(): Promise<void> {
    await this.#fetch(['--prune', `+refs/tags/*:${TAGS}/*`]);
  }

  /** Fetches commits with their folders, or the content of files, if the copy lacks them. */
  async fetchObjects(objects: readonly string[], options: readonly string[] = []): Promise<void> {
    if (objects.length === 0) return;
    const input = lines([...new Set(objects)]);
    const checked = await this.#read(['cat-file', '--batch-check'], { input });
    const missing = checked.split('\n').flatMap((line) => /^([0-9a-f]+) missing$/.exec(line)?.[1] ?? []);
    if (missing.length > 0) await this.#fetch(options, missing);
  }

  /** @param refs options of git, and refs to fetch @param objects objects to fetch that no ref names */
  async #fetch(refs: readonly string[], objects: readonly string[] = []): Promise<void> {
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--filter=blob:none'];
    const own = refs.filter((each) => each.startsWith('--'));
    const args = ['fetch', ...options, ...own, ...(objects.length > 0 ? ['--stdin'] : []), REMOTE];
    const { protocols, address, settings, maxMs = MAX_FETCH_MS } = this.#connection;
    const run: GitRun = {
      ...{ maxMs, address, input: lines(objects), env: { GIT_ALLOW_PROTOCOL: protocols } },
      settings: objects.length > 0 ? [...settings, 'fetch.negotiationAlgorithm=noop'] : settings,
    };
    const wanted = refs.filter((each) => !own.includes(each));
    await runGit(this.#git, [...args, ...wanted], run).catch((error: unknown) => {
      if (!isFailure(error, 'git')) throw error;
      const [, status] = /returned error: (\d{3})/.exec(error.message) ?? [];
      const advice = (status === undefined && this.#advice) || adviceFor(status ?? '');
      throw new CommandError(`${address} cannot be fetched: ${error.message}; ${advice}`);
    });
  }

  /** Lists the commits of the fetched branch, oldest first; of a merge, only the result. @param paths only commits that change one of these */
  async listCommits(paths: readonly string[] = []): Promise<Commit[]> {
    const log = ['log', '-z', '--first-parent', '--reverse', `--format=${COMMIT_FORMAT}`, this.#head];
    return (await this.#read([...log, '--', ...paths])).split('\0').flatMap(parseCommit);
  }

  /** Returns the hashes of a file's content by the commits that change it; undefined for a commit that removes it. */
  async listVersions(file: string): Promise<Map<string, string | undefined>> {
    const diff = ['--raw', '--no-abbrev', '--no-renames', '--diff-merges=first-parent', '--root'];
    const args = ['log', '--first-parent', ...diff, '--format=%x1e%H', this.#head, '--', file];
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

  /** Lists what a commit has. @returns `unread` for links and submodules */
  async listTree(
    commit: string,
    ...paths: string[]
  ): Promise<(TreeFile & { unread?: string | undefined })[]> {
    const printed = await this.#read(['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths]);
    return printed.split('\0').flatMap((line) => {
      const [, mode = '', blob = '', file] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return file === undefined ? [] : [{ path: file, blob, unread: UNREAD[mode] }];
    });
  }

  /** Lists the regular files of a commit, or of some paths in it, without links and submodules. */
  async listFiles(commit: string, ...paths: string[]): Promise<TreeFile[]> {
    return (await this.listTree(commit, ...paths)).filter(({ unread }) => unread === undefined);
  }

  /** Whether a commit belongs to the fetched branch. */
  async hasCommit(commit: string): Promise<boolean> {
    return await this.#read(['merge-base', '--is-ancestor', commit, this.#head]).then(
      () => true,
      () => false,
    );
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

  async #read(args: readonly string[], run: GitRun = {}): Promise<string> {
    const { folder, env } = this.#reader;
    return await runGit(folder, args, { ...run, env });
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

function parseCommit(printed: string): Commit[] {
  const [, commit, seconds, subject = ''] = COMMIT.exec(printed) ?? [];
  return commit === undefined ? [] : [{ commit, at: Number(seconds) * 1000, subject }];
}
