import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, makeFolder } from '../../system.ts';
import { withLock as withLease } from '../../dist/lock.ts';
import { type Connection, MAX_FETCH_MS } from './address.ts';
import { BlobStream, GitError, type OpenBlob, runGit, streamGit } from '../../check/git.ts';

/** A commit of the upstream branch, or the commit of a tag. */
export interface Commit {
  commit: string;
  /** When it was committed, in ms since 1970. */
  at: number;
  /** The first line of its message. */
  subject: string;
}

/** A tag, with the commit that it names. */
export interface Tag extends Commit {
  tag: string;
}

/** A file of a commit. */
export interface TreeFile {
  path: string;
  /** The hash of its content. */
  blob: string;
}

/** Another process uses the copy of a repository. */
export class BusyMirror extends CommandError {
  override name = 'BusyMirror';
}

/** The purpose of a copy that has single commits without their history. */
export const SINGLE_COMMITS = 'commits';

/** What git calls the upstream repository in the settings of the cache. */
const REMOTE = 'upstream';
const BRANCH = 'refs/upstream/branch';
const TAGS = 'refs/upstream-tags';
const REGULAR_FILE = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s;
/** What git prints of a commit. Only the subject is what its author likes, so it is last; like every text of git it has no NUL, which ends it. */
const COMMIT_FORMAT = '%H %ct %s';
const COMMIT = /^([0-9a-f]{40,64}) (-?\d+) (.*)$/s;
/** How long it may take to ask for the names of branches. */
const MAX_LIST_MS = 60_000;
/** So many branches are named in a message. */
const MAX_BRANCHES = 5;

/** The copy of an upstream repository in the cache. Only one process uses it at a time. */
export class Mirror {
  readonly #connection: Connection;
  readonly #folder: string;
  readonly #advice: string;

  private constructor(connection: Connection, folder: string, advice: string) {
    this.#connection = connection;
    this.#folder = folder;
    this.#advice = advice;
  }

  /**
   * Calls `use` with the copy of a repository, which is made if it does not exist yet. What a killed run left behind is removed first.
   *
   * @param cache the folder of all copies
   * @param purpose tells copies of the same repository apart, which must not mix: those of branches, and of single commits
   * @throws BusyMirror while another process uses the same copy
   */
  static async use<T>(
    cache: string,
    connection: Connection,
    use: (mirror: Mirror) => Promise<T>,
    purpose = '',
  ): Promise<T> {
    const name = purpose === '' ? connection.address : `${connection.address} ${purpose}`;
    const key = createHash('sha256').update(name).digest('hex').slice(0, 24);
    const folder = path.resolve(cache, key);
    await makeFolder(folder);
    const advice =
      purpose === SINGLE_COMMITS
        ? 'check "from" in build.json and the network, and run it again'
        : 'check "source" and the network, and run gamedata pull again';
    const refuse = () =>
      new BusyMirror(
        `another gamedata is fetching ${connection.address} to ${cache}/${key}: wait until it ends`,
      );
    const work = async () => {
      const mirror = new Mirror(connection, folder, advice);
      await mirror.#prepare();
      return await use(mirror);
    };
    return await withLease(path.join(folder, '.lock'), work, { refuse });
  }

  /** A folder for the files of a build; it may hold those of a killed run. */
  get dump(): string {
    return path.join(this.#folder, 'dump');
  }

  get #git(): string {
    return path.join(this.#folder, 'git');
  }

  get #reader() {
    const env = { GIT_OBJECT_DIRECTORY: path.join(this.#git, 'objects') };
    return { folder: path.join(this.#folder, 'reader'), env };
  }

  async #prepare(): Promise<void> {
    for (const folder of [this.#git, this.#reader.folder]) {
      await makeFolder(folder);
      await removeLeftovers(folder);
      await runGit(folder, ['init', '--bare', '--quiet', '--template=']);
    }
    await runGit(this.#git, ['config', `remote.${REMOTE}.url`, this.#connection.address]);
  }

  /**
   * Fetches the commits and folders of a branch, without the content of files.
   *
   * @param branch undefined for the default branch
   */
  async fetchBranch(branch: string | undefined): Promise<void> {
    const source = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
    await this.#fetch([`+${source}:${BRANCH}`]).catch(async (error: unknown) => {
      if (branch === undefined || !(error instanceof CommandError)) throw error;
      throw (await this.#describeNoBranch(branch)) ?? error;
    });
  }

  /** Says which branches there are instead; undefined if the branch exists, or the repository cannot be reached. */
  async #describeNoBranch(branch: string): Promise<CommandError | undefined> {
    const { settings, protocols, address } = this.#connection;
    const run = { settings, address, maxMs: MAX_LIST_MS, env: { GIT_ALLOW_PROTOCOL: protocols } };
    const args = ['ls-remote', '--symref', REMOTE, 'HEAD', 'refs/heads/*'];
    const listed = await runGit(this.#git, args, run).catch(() => undefined);
    if (listed === undefined) return undefined;
    const heads = [...listed.matchAll(/\trefs\/heads\/(.+)$/gm)].map(([, name = '']) => name);
    if (heads.includes(branch)) return undefined;
    const main = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(listed)?.[1];
    const others = heads.filter((name) => name !== main).slice(0, MAX_BRANCHES);
    const defaultBranch = main === undefined ? '' : `; its default branch is ${main}`;
    return new CommandError(
      `${address} has no branch ${branch}${defaultBranch}${others.length > 0 ? `, others are ${others.join(', ')}` : ''}: change "branch" in "source" of game.json, or remove it to follow the default branch`,
    );
  }

  /** The same for all tags. */
  async fetchTags(): Promise<void> {
    await this.#fetch(['--prune', `+refs/tags/*:${TAGS}/*`]);
  }

  /** Fetches single commits with their folders, without their history and the content of files. Those that it has are not fetched again. */
  async fetchCommits(commits: readonly string[]): Promise<void> {
    const missing = await this.findMissing(commits);
    if (missing.length === 0) return;
    const settings = ['fetch.negotiationAlgorithm=noop'];
    await this.#fetch(['--depth=1', '--stdin', ''], { settings, input: lines(missing) });
  }

  /** The objects that the copy lacks. */
  async findMissing(objects: readonly string[]): Promise<string[]> {
    const { folder, env } = this.#reader;
    const checked = await runGit(folder, ['cat-file', '--batch-check'], { env, input: lines(objects) });
    return checked.split('\n').flatMap((line) => /^([0-9a-f]+) missing$/.exec(line)?.[1] ?? []);
  }

  async #fetch(refs: readonly string[], { settings = [] as string[], input = '' } = {}): Promise<void> {
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--filter=blob:none'];
    const [last = ''] = refs.slice(-1);
    const args = ['fetch', ...options, ...refs.slice(0, -1), REMOTE, ...(last === '' ? [] : [last])];
    const { protocols, address, maxMs = MAX_FETCH_MS } = this.#connection;
    const run = {
      maxMs,
      settings: [...this.#connection.settings, ...settings],
      input,
      address,
      env: { GIT_ALLOW_PROTOCOL: protocols },
    };
    await runGit(this.#git, args, run).catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error;
      throw new CommandError(
        `${address} cannot be fetched: ${error.message}; ${this.#advice}: what was fetched is kept`,
      );
    });
  }

  /**
   * Lists the commits of the branch that was fetched, oldest first; of a merge, only the result.
   *
   * @param paths only commits that change one of these files and folders; without them, all
   */
  async listCommits(paths: readonly string[] = []): Promise<Commit[]> {
    const format = `--format=${COMMIT_FORMAT}`;
    const args = ['log', '-z', '--first-parent', '--reverse', format, await this.#head(), '--', ...paths];
    return (await this.#read(args)).split('\0').flatMap(parseCommit);
  }

  /** Lists the commits of the branch that was fetched, oldest first, each with the paths of the files that it changes; without those that it removes. */
  async listChanges(): Promise<(Commit & { files: string[] })[]> {
    const format = `--format=%x00${COMMIT_FORMAT}`;
    const diff = ['--name-only', '--no-renames', '--diff-filter=d', '--diff-merges=first-parent', '--root'];
    const args = ['log', '-z', '--first-parent', '--reverse', ...diff, format, await this.#head(), '--'];
    const texts = (await this.#read(args)).split('\0');
    // No path is empty: an empty text comes before each commit. A line break comes before its first path.
    const starts = texts.flatMap((text, at) => (text === '' ? [at + 1] : []));
    return starts.flatMap((start, at) => {
      const [commit = '', first, ...others] = texts.slice(start, (starts[at + 1] ?? start) - 1);
      const files = first === undefined ? [] : [first.slice(1), ...others];
      return parseCommit(commit).map((facts) => ({ ...facts, files }));
    });
  }

  /** When a commit was made, in ms since 1970. */
  async timeOf(commit: string): Promise<number> {
    return Number((await this.#read(['log', '-1', '--format=%ct', commit, '--'])).trim()) * 1000;
  }

  /** Lists the tags that were fetched and that name commits. */
  async listTags(): Promise<Tag[]> {
    const field = (name: string) => `%(${name})%00%(*${name})`;
    const fields = ['objectname', 'committerdate:unix', 'subject'].map(field);
    const format = ['%(refname:lstrip=2)', ...fields].join('%00');
    const printed = await runGit(this.#git, ['for-each-ref', `--format=${format}`, TAGS]);
    return printed.split('\n').flatMap((line) => {
      const [tag = '', commit, ofTag, at, atOfTag, subject, subjectOfTag] = line.split('\0');
      // Of each pair, the first is about what the tag names. For an annotated tag that is the tag object, and the second is about its commit.
      const facts = ofTag ? [ofTag, atOfTag, subjectOfTag] : [commit, at, subject];
      return facts[1] ? parseCommit(facts.join(' ')).map((commitFacts) => ({ tag, ...commitFacts })) : [];
    });
  }

  /** The hashes of a file's content, by the commits of the branch that change it; undefined for one that removes it. */
  async listVersions(file: string): Promise<Map<string, string | undefined>> {
    const diff = ['--raw', '--no-abbrev', '--no-renames', '--diff-merges=first-parent', '--root'];
    const format = '--format=%x1e%H';
    const args = ['log', '--first-parent', ...diff, format, await this.#head(), '--', file];
    const commits = (await this.#read(args)).split('\u001e').slice(1);
    return new Map(
      commits.map((text) => {
        const [, mode = '', blob] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) /m.exec(text) ?? [];
        return [text.slice(0, text.indexOf('\n')), mode.startsWith('100') ? blob : undefined];
      }),
    );
  }

  /** Lists the regular files of a commit, or those of one path in it: no links, no submodules. */
  async listFiles(commit: string, ...paths: string[]): Promise<TreeFile[]> {
    const printed = await this.#read(['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths]);
    return printed.split('\0').flatMap((line) => {
      const [, blob, file] = REGULAR_FILE.exec(line) ?? [];
      return blob === undefined || file === undefined ? [] : { path: file, blob };
    });
  }

  /** Lists the symbolic links of a commit. */
  async listLinks(commit: string): Promise<string[]> {
    const printed = await this.#read(['ls-tree', '-r', '-z', '--full-tree', commit]);
    return printed.split('\0').flatMap((line) => /^120000 blob [0-9a-f]+\t(.+)$/s.exec(line)?.[1] ?? []);
  }

  /** Whether a commit belongs to the branch that was fetched. */
  async hasCommit(commit: string): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', commit, await this.#head()];
    return await this.#read(args).then(
      () => true,
      () => false,
    );
  }

  /** Fetches the content of files that the cache lacks. */
  async fetchBlobs(blobs: readonly string[]): Promise<void> {
    const missing = await this.findMissing([...new Set(blobs)]);
    const settings = ['fetch.negotiationAlgorithm=noop'];
    if (missing.length > 0) await this.#fetch(['--stdin', ''], { settings, input: lines(missing) });
  }

  /** Returns those of some files and folders that a commit does not have. */
  async findAbsent(commit: string, paths: readonly string[]): Promise<string[]> {
    if (paths.length === 0) return [];
    const args = ['ls-tree', '-z', '--full-tree', '--name-only', commit, '--', ...paths];
    const present = new Set((await this.#read(args)).split('\0'));
    return paths.filter((each) => !present.has(each));
  }

  /** Reads the content of files, one after the other; those that the cache lacks are fetched together. */
  async readBlobs(blobs: readonly string[], open: OpenBlob, maxBytes?: number): Promise<void> {
    const wanted = [...new Set(blobs)];
    if (wanted.length === 0) return;
    const input = lines(wanted);
    const { folder, env } = this.#reader;
    await this.fetchBlobs(wanted);
    const stream = new BlobStream(open, maxBytes);
    await streamGit(folder, ['cat-file', '--batch'], (chunk) => stream.add(chunk), { env, input });
  }

  async #head(): Promise<string> {
    return (await runGit(this.#git, ['rev-parse', '--verify', BRANCH])).trim();
  }

  async #read(args: readonly string[]): Promise<string> {
    const { folder, env } = this.#reader;
    return await runGit(folder, args, { env });
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

function parseCommit(printed: string): Commit[] {
  const [, commit, seconds, subject = ''] = COMMIT.exec(printed) ?? [];
  return commit === undefined ? [] : [{ commit, at: Number(seconds) * 1000, subject }];
}

/** Removes the locks and the incomplete packs of a git that was killed. */
async function removeLeftovers(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true });
  const left = entries.filter((entry) => /\.lock$|(^|\/)tmp_[^/]*$/.test(entry));
  for (const entry of left) await rm(path.join(folder, entry), { recursive: true, force: true });
}
