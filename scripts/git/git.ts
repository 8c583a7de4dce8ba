import { type ChildProcess, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { CommandError } from '../lib/command-error.ts';

/** `http.curloptResolve` exists since this version. */
const MIN_VERSION = [2, 37] as const;

/** Settings of the operator that git may see; everything else in the environment is hidden from it. */
const PASSED = /^(PATH|TMPDIR|SYSTEMROOT|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO)$/i;
/** Settings that send credentials to any host. Those for one address, such as `http.https://git.example.org/.extraHeader`, name their host. */
const FOR_ANY_HOST =
  /^(credential\.[^.]+|core\.askpass|include\.path|includeif\..+|http\.(extraheader|cookiefile|savecookies|sslcert|sslkey|emptyauth|delegation))$/i;
const MAX_SETTINGS = 1000;
/** Reading what is on this machine takes less. */
const MAX_READ_MS = 600_000;
/** What git prints as text, such as the commits of a branch, is less. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;
/** How long git may take to clear up after it was told to end. */
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
  // A server that sends less than this many bytes in a second, for this many seconds, is given up.
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
].flatMap((setting) => ['-c', setting]);

/** How git ended, if it failed. */
export class GitError extends Error {
  override name = 'GitError';
}

/** Options of one run of git. */
export interface GitRun {
  /** Further settings, as `name=value`. */
  settings?: readonly string[];
  /** What it reads from stdin. */
  input?: string;
  /** The address that is connected to. Credentials are used only if the operator names its host. */
  address?: string;
  /** How long it may take, in ms (default: 10 minutes). */
  maxMs?: number;
  /** Further environment variables; undefined removes one. */
  env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs git in a folder, and calls `take` with each piece that it prints.
 *
 * @throws GitError with what git printed to stderr, or if it takes too long
 * @throws CommandError if git is not installed
 */
export async function streamGit(
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
  const late = new GitError(`git ${args[0]} took longer than ${maxMs / 1000} s`);
  const limit = endAfter(child, maxMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    limit.onEnd(() => reject(late));
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
    child.on('close', resolve);
  }).finally(() => limit.stop());
  if (limit.isOver()) throw late;
  if (code !== 0) throw new GitError(describeErrors(errors) || `git ${args[0]} ended with ${code}`);
}

/** Ends a process that takes too long: it is asked to end, so that it removes what is half done, and then killed. */
function endAfter(child: ChildProcess, maxMs: number) {
  let isOver = false;
  let onEnd = () => {};
  let killing: NodeJS.Timeout | undefined;
  const ending = setTimeout(() => {
    isOver = true;
    child.kill('SIGTERM');
    killing = setTimeout(() => {
      child.kill('SIGKILL');
      // A helper of git that lives on would keep its output open.
      onEnd();
    }, MAX_END_MS);
  }, maxMs);
  return {
    isOver: () => isOver,
    onEnd(call: () => void) {
      onEnd = call;
    },
    stop() {
      clearTimeout(ending);
      clearTimeout(killing);
    },
  };
}

/** The same as `streamGit`, for what fits in memory. Returns what git printed. */
export async function runGit(folder: string, args: readonly string[], run: GitRun = {}): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_TEXT_BYTES)
      throw new GitError(`git ${args[0]} printed more than ${MAX_TEXT_BYTES} bytes`);
    chunks.push(chunk);
  };
  await streamGit(folder, args, take, run);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Checks that git can be run.
 *
 * @throws CommandError if it is not installed or too old
 */
export async function checkGit(): Promise<void> {
  const printed = await runGit('.', ['version']);
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(printed) ?? [];
  const [neededMajor, neededMinor] = MIN_VERSION;
  if (Number(major) > neededMajor || (Number(major) === neededMajor && Number(minor) >= neededMinor)) return;
  throw noGit(`${printed.trim()} is too old`);
}

function noGit(found: string): CommandError {
  return new CommandError(
    `${found}: gamedata needs git ${MIN_VERSION.join('.')} or later; install it, or add dumps with gamedata add`,
  );
}

function environment(address: string | undefined): Record<string, string | undefined> {
  const passed = Object.entries(process.env).filter(([name]) => PASSED.test(name));
  return {
    ...Object.fromEntries(passed),
    ...ownSettings(address !== undefined && getsCredentials(address)),
    // Files such as ~/.netrc hold credentials for hosts that a stranger's address can name.
    HOME: devNull,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    // Without it, git would use any protocol that it has a helper for.
    GIT_ALLOW_PROTOCOL: '',
  };
}

/** Whether the operator names the host of an address as one that gets credentials. */
function getsCredentials(address: string): boolean {
  const hosts = (process.env.GAMEDATA_CREDENTIAL_HOSTS ?? '').toLowerCase().split(/[\s,]+/);
  return hosts.includes(new URL(address).hostname);
}

/** What the operator passes in the environment; without credentials for any host, unless these may be used. */
function ownSettings(isTrusted: boolean): Record<string, string | undefined> {
  const settingsOfUser = new Map(Object.entries(process.env));
  const count = Number(settingsOfUser.get('GIT_CONFIG_COUNT')) || 0;
  const indexes = Array.from({ length: Math.min(count, MAX_SETTINGS) }, (_, index) => index);
  const settings = indexes.flatMap((index) => {
    const [key, value] = ['KEY', 'VALUE'].map((part) => settingsOfUser.get(`GIT_CONFIG_${part}_${index}`));
    return key === undefined || (FOR_ANY_HOST.test(key) && !isTrusted) ? [] : [[key, value ?? ''] as const];
  });
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...(isTrusted && { GIT_ASKPASS: settingsOfUser.get('GIT_ASKPASS') }),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(numbered),
  };
}

const MAX_LINES = 3;

/** The last lines that git printed, without control characters and progress. */
function describeErrors(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/\p{Cc}/gu, '').trim())
    .filter((line) => /^(fatal|error|remote):/.test(line));
  return lines.slice(-MAX_LINES).join('; ');
}
