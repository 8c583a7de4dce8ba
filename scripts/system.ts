import { randomBytes } from 'node:crypto';
import { constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Tinypool } from 'tinypool';

/**
 * Why a command failed, if callers distinguish it: a file of dist/ is missing or damaged; games have errors in their data, which the same data would
 * have again; another process is at work; a build is too large to be copied; or git failed.
 */
export type FailureCode = 'damaged' | 'data' | 'busy' | 'large' | 'git';

/** An expected failure of a command. The message is printed without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitCode: number;
  readonly code: FailureCode | undefined;

  /**
   * @param message what is wrong, and what to do about it
   * @param exitCode 1 if the command failed, 2 if its arguments are wrong
   */
  constructor(message: string, exitCode = 1, code?: FailureCode) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** Whether an error is a failure of this kind. */
export function isFailure(error: unknown, code: FailureCode): error is CommandError {
  return error instanceof CommandError && error.code === code;
}

/** Whether an error is from the operating system (no space, no permission …). */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Returns a thrown value as an error, which may have a code of the operating system. */
export function errorOf(thrown: unknown): NodeJS.ErrnoException {
  return isErrorLike(thrown) ? thrown : new Error(String(thrown));
}

/** Not `instanceof`: errors of other processes and of some packages have another class. */
function isErrorLike(thrown: unknown): thrown is NodeJS.ErrnoException {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown;
}

/** Advice for errors whose code does not imply it. */
const ADVICE: Record<string, string> = {
  EMFILE: 'this process may not open more files; raise the limit (ulimit -n, LimitNOFILE=)',
  ENFILE: 'the system may not open more files; raise its limit (fs.file-max)',
  ENOSPC: 'the disk is full; make room',
  EDQUOT: 'the disk quota is used up; make room',
};

/** Returns the message of a system error, with advice if the error does not imply it. */
export function describeSystemError(error: NodeJS.ErrnoException): string {
  const advice = ADVICE[error.code ?? ''];
  return advice === undefined ? error.message : `${error.message}; ${advice}`;
}

/** Returns a message if an error says that the system has no more space or files, even if another process passed it on; otherwise undefined. */
export function describeLimit({ message }: Error): string | undefined {
  const [, code = ''] = /^(E[A-Z]+): /.exec(message) ?? [];
  const advice = ADVICE[code];
  return advice === undefined ? undefined : `${message}; ${advice}`;
}

/**
 * Waits for work on files, and turns system errors into expected failures.
 *
 * @param message makes the message from the system's reason
 * @throws CommandError
 */
export async function orCommandError<T>(work: Promise<T>, message: (reason: string) => string): Promise<T> {
  return await work.catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new CommandError(message(describeSystemError(error)));
  });
}

/**
 * Creates a folder with its missing parents. The recursive `mkdir` of Node.js reports a full or read-only disk as ENOENT, so folders are then created
 * one by one, which gives the reason.
 *
 * @param mode the permissions of new folders, reduced by the umask
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  await mkdir(folder, { recursive: true, mode }).catch(async (error: NodeJS.ErrnoException) => {
    const above = path.dirname(path.resolve(folder));
    if (error.code !== 'ENOENT' || above === path.resolve(folder)) throw error;
    await makeFolder(above, mode);
    await mkdir(folder, mode);
  });
}

/** The suffix of `replaceFile`'s temporary files, as the source of a regular expression. */
export const TEMPORARY_SUFFIX = String.raw`\.[0-9a-f]+\.tmp`;

/**
 * Replaces a file atomically: writes a temporary file next to it, syncs it, and renames it. The packages write-file-atomic and atomically do not
 * check for short writes: on a full disk they leave a truncated file and report success.
 *
 * @param mode the permissions, reduced by the umask
 */
export async function replaceFile(target: string, bytes: Uint8Array, mode = 0o644): Promise<void> {
  // Not the process id: in containers, many processes have the same.
  const temporary = `${target}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, bytes, { mode, flush: true, flag: 'wx' });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The owner writes, the group reads, others have no access; the umask can reduce this further. */
export const PRIVATE_FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;

/** Creates a folder with its missing parents, for data that only the owner and the group may read. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder, FOLDER_MODE);
}

/** Like `replaceFile`, for a file that only the owner and the group may read. */
export function replacePrivateFile(target: string, bytes: Uint8Array): Promise<void> {
  return replaceFile(target, bytes, PRIVATE_FILE_MODE);
}

/**
 * Whether all users of this machine can read or enter a folder: neither the folder nor a parent denies it.
 *
 * @returns false also for a folder that does not exist
 */
export async function canOthersRead(folder: string): Promise<boolean> {
  const mode = await modeOf(folder);
  if ((mode & 0o005) === 0) return false;
  for (let above = path.dirname(path.resolve(folder)); ; above = path.dirname(above)) {
    if (((await modeOf(above)) & 0o001) === 0) return false;
    if (above === path.dirname(above)) return true;
  }
}

async function modeOf(folder: string): Promise<number> {
  return (await stat(folder).catch(() => undefined))?.mode ?? 0;
}

/**
 * Opens a file for reading. Anything but a regular file is refused: a pipe or a device might never end.
 *
 * @throws a system error; with the code EINVAL if it is not a regular file
 */
export async function openRegularFile(file: string): Promise<FileHandle> {
  // Without this flag, opening a pipe waits for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw Object.assign(new Error(`EINVAL: it is not a regular file, open '${file}'`), {
    code: 'EINVAL',
    syscall: 'open',
    path: file,
  });
}

/** @throws like `openRegularFile` */
export async function readRegularFile(file: string): Promise<Buffer> {
  const handle = await openRegularFile(file);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Whether a file does not exist. If that is unknown, it counts as existing: reading it reports why. */
export async function isAbsent(file: string): Promise<boolean> {
  const code = await lstat(file).catch((error: NodeJS.ErrnoException) => error.code);
  return code === 'ENOENT';
}

/** Returns the size of all files in a folder and below, in bytes; 0 if it cannot be read. */
export function sizeOfFolder(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
  } catch {
    return 0;
  }
}

/**
 * Works on several items at once. After a failure, no more work is started, and the promise rejects when the work under way has ended. p-map rejects
 * earlier: a failed build would still write after releasing its lock.
 *
 * @param concurrency the maximum number of items at once
 */
export async function inParallel<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // All workers share a generator: if one of them throws out of its loop, the generator ends for the others too.
  const waiting = (function* () {
    yield* items;
  })();
  const runWorker = async () => {
    for (const item of waiting) await work(item);
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, runWorker));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
}

const LIMITS_FILE = '/proc/self/limits';

/** @returns how many files this process may have open; undefined if there is no limit, or if it is unknown */
export function findFileLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS_FILE, 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** The exit status of shells for a program that SIGPIPE ended: 128 + 13. */
const SIGPIPE_STATUS = 141;

/**
 * Ends the process silently if the reader of its output has closed it, as `head` does. Node.js ignores SIGPIPE, which would end other programs.
 *
 * @returns a function that reverts this
 */
export function exitOnClosedOutput({
  stdout,
  stderr,
  exit,
}: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): () => void {
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    exit(SIGPIPE_STATUS);
  };
  for (const stream of [stdout, stderr]) stream.on('error', onError);
  return () => {
    for (const stream of [stdout, stderr]) stream.off('error', onError);
  };
}

/** The environment variables that are settings of `gamedata` and `gateway`. */
const SETTINGS = /^(AWS|GAMEDATA|GATEWAY|KOFI|MAIL|PATREON|SMTP)_/;

/** Removes empty settings from an environment: compose files and `.env` files write settings that are not set as `SMTP_URL=`. */
export function removeEmptyVariables(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(environment))
    if (value === '' && SETTINGS.test(name)) delete environment[name];
}

/** Relative to the compiled file. */
const PACKAGE_FILE = new URL('../../package.json', import.meta.url);

export function readVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string }).version;
}

/** Shows the progress of a command: one changing line on a terminal, plain lines elsewhere. */
export interface Progress {
  /** Shows the current step; only on a terminal. */
  step(text: string): void;
  /** Writes a permanent line. */
  done(text: string): void;
  /** Removes the changing line. */
  clear(): void;
}

const CLEAR_LINE = '\r\u001b[K';

/** @param stream for progress; results go to another stream, so that they can be piped */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  const clear = () => {
    if (stream.isTTY) stream.write(CLEAR_LINE);
  };
  return {
    step(text) {
      if (stream.isTTY) stream.write(`${CLEAR_LINE}${text.slice(0, (stream.columns || 80) - 1)}`);
    },
    done(text) {
      clear();
      stream.write(`${text}\n`);
    },
    clear,
  };
}

/** The maximum delay of a timer, in ms. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Ends the processes of a pool, and waits for them. A pool does not reference idle processes: without the timer, this process would exit with code 13
 * while one of them is slow to end.
 */
export async function closePool(pool: Tinypool): Promise<void> {
  const held = setInterval(() => {}, LONGEST_MS);
  try {
    await pool.destroy();
  } finally {
    clearInterval(held);
  }
}

/** Caches the result of a function without arguments. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Limits for the work on a game, so that a faulty or hostile definition does not affect other games. */
export interface Limits {
  /** For reading the definitions, and for each build. */
  seconds: number;
  /** JavaScript memory per game. */
  mebibytes: number;
}

/** Much more than a build of any known game needs. */
export const DEFAULT_LIMITS: Limits = { seconds: 60, mebibytes: 2048 };

/** The folder for copies of upstream repositories and files. */
export const DEFAULT_UPSTREAM_CACHE = 'var/upstream';
