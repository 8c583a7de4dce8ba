import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';
import { compareNatural } from '../format/dist-format.ts';
import { CommandError, isFailure } from '../system.ts';

/** A larger file could not be read as a table. */
const MAX_BYTES = 512 * 1024 * 1024;
const NEWLINE = 0x0a;

/** The error for a file that is too large. @param what names it */
export function tooLarge(what: string, bytes: number, maxBytes: number): CommandError {
  return new CommandError(
    `${what} has ${bytes} bytes, and at most ${maxBytes} are read: leave it out of the tables, or allow more ("read_mb" in "limits" of "source")`,
  );
}

/** Reads files by their hashes, one at a time. @throws CommandError if one is missing or too large */
export async function readBlobs(
  folder: string,
  blobs: Iterable<string>,
  take: (blob: string, content: Buffer) => void,
  { env = {}, maxBytes = MAX_BYTES }: Pick<GitRun, 'env'> & { maxBytes?: number | undefined } = {},
): Promise<void> {
  const input = [...new Set(blobs)].map((blob) => `${blob}\n`).join('');
  if (input === '') return;
  let pieces: Buffer[] = [];
  let bytes = 0;
  let blob: string | undefined;
  // The least length of the current line or content. For each file, git prints a line with hash and size, the content, and a line end.
  let needed = 1;
  const add = (chunk: Buffer) => {
    pieces.push(chunk);
    bytes += chunk.length;
    while (bytes >= needed) {
      const all = pieces.length === 1 ? chunk : Buffer.concat(pieces);
      let rest = all.subarray(needed);
      if (blob !== undefined) {
        take(blob, all.subarray(0, needed - 1));
        [blob, needed] = [undefined, 1];
      } else {
        const end = all.indexOf(NEWLINE);
        pieces = [all];
        needed = bytes + 1;
        if (end === -1) return;
        const line = all.toString('latin1', 0, end);
        const [, hash, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
        if (hash === undefined) throw new CommandError(`git printed "${line}" instead of a file`);
        if (Number(size) > maxBytes) throw tooLarge(`file ${hash}`, Number(size), maxBytes);
        rest = all.subarray(end + 1);
        [blob, needed] = [hash, Number(size) + 1];
      }
      chunk = rest;
      pieces = [rest];
      bytes = rest.length;
    }
  };
  await streamGit(folder, ['cat-file', '--batch'], add, { env, input });
}

/** The first version with `http.curloptResolve`. */
const MIN_VERSION = '2.37';

/** The operator's settings that git may see. The rest of the environment is hidden from it. */
const PASSED = /^(PATH|TMPDIR|SYSTEMROOT|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO)$/i;
/** Reading local data takes less. */
const MAX_READ_MS = 600_000;
/** The text output of git, such as the commits of a branch, is shorter. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;
/** How long git may take to clean up after it was told to end. */
const MAX_END_MS = 5000;

const SETTINGS = [
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  'core.fsmonitor=false',
  'credential.interactive=false',
  'fetch.recurseSubmodules=false',
  'fetch.negotiationAlgorithm=default',
  'gc.auto=0',
  'maintenance.auto=false',
  'http.followRedirects=false',
  // A server that sends fewer bytes per second than this, for this many seconds, is given up.
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
].flatMap((setting) => ['-c', setting]);

/** git failed: the message is what it printed to stderr. */
function gitError(message: string): CommandError {
  return new CommandError(message, 1, 'git');
}

export interface GitRun {
  /** Further settings, as `name=value`. */
  settings?: readonly string[];
  /** Written to its stdin. */
  input?: string;
  /** The address that git connects to. Credentials are used only if the operator names its host. */
  address?: string;
  /** The time limit, in ms (default: 10 minutes). */
  maxMs?: number;
  /** Further environment variables; undefined removes one. */
  env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs git in a folder, and calls `take` with each piece of its output.
 *
 * @throws CommandError with the output of git to stderr, if it takes too long, or is not installed
 */
async function streamGit(
  folder: string,
  args: readonly string[],
  take: (chunk: Buffer) => void,
  { settings = [], input = '', address, maxMs = MAX_READ_MS, env = {} }: GitRun = {},
): Promise<void> {
  const options = settings.flatMap((setting) => ['-c', setting]);
  const child = spawn('git', [...SETTINGS, ...options, ...args], {
    cwd: folder,
    env: { ...environment(address), GIT_DIR: folder, ...env },
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  // If git ends before it has read everything, its exit code says why.
  child.stdin.on('error', () => {}).end(input);
  const late = gitError(`git ${args[0]} took longer than ${maxMs / 1000} s`);
  const timers: NodeJS.Timeout[] = [];
  const code = await new Promise<number | null>((resolve, reject) => {
    // It is asked to end, so that it removes what is half done, and then killed. A helper that lives on would keep its output open.
    const kill = () => {
      child.kill('SIGKILL');
      reject(late);
    };
    const end = () => {
      child.kill('SIGTERM');
      timers.push(setTimeout(kill, MAX_END_MS));
    };
    timers.push(setTimeout(end, maxMs));
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? noGit('git is not installed') : error),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        child.kill();
        reject(error);
      }
    });
    child.on('close', (ended) => (timers.length > 1 ? reject(late) : resolve(ended)));
  }).finally(() => timers.forEach(clearTimeout));
  if (code !== 0) throw gitError(describeErrors(errors) || `git ${args[0]} ended with ${code}`);
}

/** Like `streamGit`, for output that fits in memory. @returns the output */
export async function runGit(folder: string, args: readonly string[], run: GitRun = {}): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_TEXT_BYTES) throw gitError(`git ${args[0]} printed more than ${MAX_TEXT_BYTES} bytes`);
    chunks.push(chunk);
  };
  await streamGit(folder, args, take, run);
  return Buffer.concat(chunks).toString('utf8');
}

let isChecked = false;

/** @throws CommandError if git is not installed or too old */
export async function checkGit(): Promise<void> {
  if (isChecked) return;
  const printed = await runGit('.', ['version']);
  const [version = ''] = /\d+\.\d+/.exec(printed) ?? [];
  if (compareNatural(version, MIN_VERSION) < 0) throw noGit(`${printed.trim()} is too old`);
  isChecked = true;
}

function noGit(found: string): CommandError {
  return new CommandError(
    `${found}: gamedata needs git ${MIN_VERSION} or later; install it, or add dumps with gamedata add`,
  );
}

function environment(address: string | undefined): Record<string, string | undefined> {
  const isTrusted = address !== undefined && getsCredentials(address);
  const isPassed = (name: string) => PASSED.test(name) || (isTrusted && name === 'GIT_ASKPASS');
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassed(name))),
    // Files such as ~/.netrc contain credentials for hosts that a stranger's address can name.
    HOME: devNull,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    // Otherwise, git would use any protocol that it has a helper for.
    GIT_ALLOW_PROTOCOL: address === undefined ? '' : new URL(address).protocol.slice(0, -1),
  };
}

/** Whether the operator allows credentials for the host of an address. */
function getsCredentials(address: string): boolean {
  const hosts = (process.env.GAMEDATA_CREDENTIAL_HOSTS ?? '').toLowerCase().split(/[\s,]+/);
  return hosts.includes(new URL(address).hostname);
}

const MAX_LINES = 3;

/** The last lines of git's output, without control characters and progress. */
function describeErrors(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/\p{Cc}/gu, '').trim())
    .filter((line) => /^(fatal|error|remote):/.test(line));
  return lines.slice(-MAX_LINES).join('; ');
}

const REGULAR_FILE = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s;
/** A tree that was not made by git itself can contain paths that leave it. */
const UNSAFE = /(^|\/)\.|^\/|\/\/|\\|\p{Cc}/u;

/** The git repository with the data folder, at a commit. */
export interface DataAtRef {
  /** The repository's own folder, usually `.git`. */
  repository: string;
  commit: string;
  /** The path of the data folder in the repository: `data/`. */
  prefix: string;
}

/**
 * Finds the commit of a ref in the repository with the data folder.
 *
 * @param expected what else the caller could have named, for the message
 * @throws CommandError if there is no such repository or commit
 */
export async function openDataAtRef(data: string, ref: string, expected = 'dist'): Promise<DataAtRef> {
  // If the folder is a link, git would look for the games of the commit elsewhere, and find none.
  if (lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new CommandError(
      `${data} is a link, so it cannot be compared with ${ref}: name the folder itself`,
      2,
    );
  // git finds the repository by the folder.
  const env = { GIT_DIR: undefined };
  try {
    const gitFolders = await runGit(data, ['rev-parse', '--absolute-git-dir', '--show-prefix'], { env });
    const [repository = '', prefix = ''] = gitFolders.split('\n');
    const named = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return { repository, prefix, commit: (await runGit(repository, named)).trim() };
  } catch (error) {
    if (!isFailure(error, 'git')) throw error;
    throw new CommandError(
      `${ref} is not a commit of the git repository that holds ${data}/ (${error.message}): expected ${expected}, or a branch, tag or commit`,
      2,
    );
  }
}

/**
 * Reads files at the commit.
 *
 * @param below a folder below the data folder, with a slash at its end; `''` for all
 * @param wanted returns whether a file is read, by its path below that folder
 * @param take receives the content of each
 */
export async function readAtRef(
  { repository, commit, prefix }: DataAtRef,
  below: string,
  wanted: (file: string) => boolean,
  take: (file: string, content: Buffer) => void,
): Promise<number> {
  const folder = `${prefix}${below}`;
  const paths = folder === '' ? [] : ['--', folder];
  const printed = await runGit(repository, ['ls-tree', '-r', '-z', '--full-tree', commit, ...paths]);
  const files = new Map<string, string[]>();
  for (const line of printed.split('\0')) {
    const [, blob, file] = REGULAR_FILE.exec(line) ?? [];
    const name = file?.slice(folder.length);
    if (blob === undefined || name === undefined || UNSAFE.test(name) || !wanted(name)) continue;
    files.set(blob, [...(files.get(blob) ?? []), name]);
  }
  await readBlobs(repository, files.keys(), (blob, content) => {
    for (const file of files.get(blob) ?? []) take(file, content);
  });
  return files.size;
}

/**
 * Copies a game's folder at the commit.
 *
 * @param target an empty folder
 * @returns whether the game existed
 */
export async function copyGameAtRef(ref: DataAtRef, slug: string, target: string): Promise<boolean> {
  const copy = (file: string, content: Buffer) => {
    const full = path.join(target, file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, content);
  };
  return (await readAtRef(ref, `${slug}/`, () => true, copy)) > 0;
}
