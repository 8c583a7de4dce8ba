import { createHash, hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import * as dist from '../../scripts/format/dist-format.ts';
import { indexSchema, manifestSchema } from '../../scripts/format/dist-schemas.ts';
import { describeSystemError, errorOf, openRegularFile, readRegularFile } from '../../scripts/system.ts';
import type { Log } from '../http/log.ts';

/** A dist/ that cannot be served: missing, incomplete, damaged or in another format. The message is one line for people. */
export class DistError extends Error {
  /** Whether a file is missing or does not match its reference, so that a copy can fetch it again. */
  readonly damage: boolean;
  /** Whether the source of a copy does not respond, so that its other files need not be tried. */
  readonly isAway: boolean;

  constructor(message: string, { damage = false, isAway = false } = {}) {
    super(message);
    this.damage = damage;
    this.isAway = isAway;
  }
}

// The schemas are valid; checking them, or optimising their code, would take longer than compiling them.
const ajv = new Ajv({ validateSchema: false, meta: false, code: { optimize: false } });
const REBUILD = 'delete it and run gamedata build';

function damaged(problem: string, advice = REBUILD): DistError {
  return new DistError(`${problem}: ${advice}`, { damage: true });
}

const isIndex = ajv.compile<dist.Index>(indexSchema);
const isManifest = ajv.compile<dist.Manifest>(manifestSchema);

/**
 * Reads the index of a dist/ folder.
 *
 * @throws DistError
 */
export async function readIndex(folder: string): Promise<dist.Index> {
  const file = path.join(folder, dist.INDEX_FILE);
  const bytes = await readRegularFile(file).catch((error: unknown) => {
    const { code } = errorOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new DistError(`no ${file}: run gamedata build, or name the folder with --dist`);
    throw unreadable(file, error);
  });
  return parseIndex(bytes, file);
}

/**
 * Reads the bytes of an index.
 *
 * @param file its name in messages
 * @throws DistError
 */
export function parseIndex(bytes: Buffer, file: string): dist.Index {
  const value = parse(bytes, file);
  const format = dist.isObject(value) ? value.format : undefined;
  if (format !== undefined && format !== dist.FORMAT) {
    throw new DistError(
      `${file} has format ${JSON.stringify(format)}, and this gateway reads format ${dist.FORMAT}: use gamedata and gateway from the same release`,
    );
  }
  return validate(isIndex, value, file);
}

/** @throws DistError */
export async function readManifest(folder: string, ref: dist.FileRef): Promise<dist.Manifest> {
  const file = path.join(folder, ref.file);
  return validate(isManifest, parse(await readDistFile(folder, ref), file), file);
}

/**
 * Reads a file of dist/ and checks that it is complete.
 *
 * @throws DistError when it is missing, or its size or SHA-256 differs from its reference
 */
export async function readDistFile(folder: string, { file, bytes, sha256 }: dist.FileRef): Promise<Buffer> {
  const fullPath = path.join(folder, file);
  const content = await readRegularFile(fullPath).catch((error: unknown) => {
    throw unreadable(fullPath, error);
  });
  if (content.length !== bytes) throw damaged(`${fullPath} has ${content.length} bytes, expected ${bytes}`);
  if (hash('sha256', content) !== sha256) throw damaged(`${fullPath} is damaged (its SHA-256 differs)`);
  return content;
}

function unreadable(file: string, error: unknown): DistError {
  const failure = errorOf(error);
  if (failure.code === 'ENOENT')
    return damaged(`no ${file}, to which ${dist.INDEX_FILE} leads`, 'run gamedata build');
  if (failure.code === 'EINVAL') return damaged(`${file} is not a regular file`);
  return new DistError(`${file} cannot be read: ${describeSystemError(failure)}`);
}

function parse(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new DistError(`${file} is not JSON: ${REBUILD}`);
  }
}

function validate<T>(check: ValidateFunction<T>, value: unknown, file: string): T {
  if (check(value)) return value;
  throw new DistError(
    `${file} does not follow format ${dist.FORMAT}: ${ajv.errorsText(check.errors, { dataVar: 'it' })}`,
  );
}

interface DistFilesOptions {
  folder: string;
  log: Log;
  degraded: DegradedStates;
  /** Returns whether the newest state references a file; files of old states may be deleted. */
  isNamed: (file: string) => Promise<boolean>;
  /** Downloads a file again from the source; undefined if the folder is not a copy. Rejects with a DistError. */
  refetch: ((ref: dist.FileRef) => Promise<void>) | undefined;
}

/**
 * The files of a dist/ folder that are read on demand. A file is compared with its SHA-256 when it is first opened, and again after it was replaced.
 * A damaged file is downloaded again if the folder is a copy; otherwise it is reported until it is replaced.
 */
export class DistFiles {
  readonly #options: DistFilesOptions;
  /** The inode and time of each file that was verified. */
  readonly #good = new Map<string, string>();
  /** Files whose damage is being handled. */
  readonly #noticed = new Set<string>();

  constructor(options: DistFilesOptions) {
    this.#options = options;
  }

  /**
   * Opens a file. It can then be read to its end, even if it is deleted meanwhile.
   *
   * @throws DistError when it is missing or damaged
   */
  async open(ref: dist.FileRef): Promise<FileHandle> {
    const { folder, degraded } = this.#options;
    const file = path.join(folder, ref.file);
    let handle: FileHandle | undefined;
    try {
      handle = await openRegularFile(file).catch((error: unknown) => {
        throw unreadable(file, error);
      });
      const { size, ino, mtimeNs } = await handle.stat({ bigint: true });
      if (Number(size) !== ref.bytes) throw damaged(`${file} has ${size} bytes, expected ${ref.bytes}`);
      const mark = `${ino} ${mtimeNs}`;
      if (this.#good.get(ref.file) !== mark && (await hashFile(handle)) !== ref.sha256)
        throw damaged(`${file} is damaged (its SHA-256 differs)`);
      this.#good.set(ref.file, mark);
      degraded.set(ref.file, []);
      return handle;
    } catch (error) {
      await handle?.close();
      throw this.#notice(error, ref);
    }
  }

  /** Reads a file. @throws DistError when it is missing or damaged */
  async read(ref: dist.FileRef): Promise<Buffer> {
    return await readDistFile(this.#options.folder, ref).catch((error: unknown) => {
      throw this.#notice(error, ref);
    });
  }

  /** Handles an error of reading a file: repairs or reports a damaged file. @returns the error */
  #notice(error: unknown, ref: dist.FileRef): unknown {
    if (error instanceof DistError && error.damage && !this.#noticed.has(ref.file)) {
      this.#noticed.add(ref.file);
      void this.#handle(error, ref).finally(() => this.#noticed.delete(ref.file));
    }
    return error;
  }

  async #handle({ message }: DistError, ref: dist.FileRef): Promise<void> {
    const { log, degraded, refetch, isNamed } = this.#options;
    const { file } = ref;
    if (!(await isNamed(file))) return;
    const problem = `requests that need ${file} get 503${refetch ? ' until it is fetched again' : ''}: ${message}`;
    if (!degraded.list.some((part) => part.problem === problem))
      log.error('a file of dist is damaged', { error: problem });
    degraded.set(file, [{ game: file.split('/')[0], problem }]);
    if (refetch === undefined) return;
    try {
      await refetch(ref);
      log.info('a damaged file of dist was fetched again', { file });
      degraded.set(file, []);
    } catch (error) {
      log.error('a damaged file of dist cannot be fetched again', { file, error: String(error) });
    }
  }
}

/** Reads the file in pieces, so that other requests are served meanwhile. */
async function hashFile(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of handle.createReadStream({ start: 0, autoClose: false })) hash.update(piece);
  return hash.digest('hex');
}

/** A part of the data whose newest state is not served. */
export interface DegradedState {
  /** The slug of the game; undefined if it concerns no single game. */
  game: string | undefined;
  /** What is wrong, what is served meanwhile, and what to do: one line for operators. */
  problem: string;
}

/** Collects the degraded parts. Each observer replaces only its own. */
export class DegradedStates {
  readonly #byObserver = new Map<string, readonly DegradedState[]>();

  get list(): readonly DegradedState[] {
    return [...this.#byObserver.values()].flat();
  }

  /** Drops the parts of all other observers, such as files that are no longer served. */
  keep(isKept: (observer: string) => boolean): void {
    for (const each of this.#byObserver.keys()) if (!isKept(each)) this.#byObserver.delete(each);
  }

  /** Replaces the parts that an observer reports. */
  set(observer: string, parts: readonly DegradedState[]): void {
    if (parts.length > 0) this.#byObserver.set(observer, parts);
    else this.#byObserver.delete(observer);
  }
}
