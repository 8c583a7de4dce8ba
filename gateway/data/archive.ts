import type { FileHandle } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { AmendmentChanges } from '../../scripts/diff/diff-builds.ts';
import { listReader, type ReadFile } from '../../scripts/format/build-content.ts';
import { type BuildEntry, type FileRef, filesOf, sliceList } from '../../scripts/format/dist-format.ts';
import type { Log } from '../http/log.ts';
import type { DiffForm } from './diff-worker.ts';
import { Differ } from './differ.ts';
import { DistError, type DistFiles, readDistFile } from './dist-files.ts';
import type { GameBuild } from './game-build.ts';

/** The members of a diff or a history in which nothing changed. */
export const NO_CHANGES = Buffer.from('"characters":{"added":[],"removed":[],"changed":[]},"datasets":{}');
const HISTORY_BYTES = 16 * 1024 * 1024;
/** Parsed, an amendment needs a few times the memory of its file. */
const AMENDMENT_BYTES = 8 * 1024 * 1024;
const TIMELINE_BYTES = 64 * 1024 * 1024;
const LIST_BYTES = 32 * 1024 * 1024;

/**
 * Builds that are not current: read from dist/ on demand, and cached within a bound. Files never change, so one archive serves every state of
 * the folder. What it reads rejects with a DistError when a file is missing or damaged.
 */
export class Archive {
  readonly #files: DistFiles;
  readonly #read: ReadFile;
  readonly #differ: Differ;
  readonly #histories;
  readonly #timelines;
  readonly #lists;
  /** Returns what an amendment changed: its file, parsed. */
  readonly amendment: (ref: FileRef) => Promise<AmendmentChanges>;
  /** Opens a file. It can then be read to its end, even if it is deleted meanwhile. */
  readonly open: (ref: FileRef) => Promise<FileHandle>;

  constructor({ folder, files }: { folder: string; files: DistFiles }, log: Log) {
    const read: ReadFile = (ref) =>
      readDistFile(folder, ref).catch((error: unknown) => {
        throw files.notice(error, ref);
      });
    this.#files = files;
    this.#read = read;
    this.#differ = new Differ(folder, log);
    this.#histories = createFileCache(read, HISTORY_BYTES, sliceHistory);
    this.#timelines = createFileCache(read, TIMELINE_BYTES, sliceById);
    this.#lists = createFileCache(read, LIST_BYTES, sliceById);
    this.amendment = createFileCache(read, AMENDMENT_BYTES, (file) => JSON.parse(file.toString()));
    this.open = (ref) => files.open(ref);
  }

  /**
   * Returns what a build changed: the members `characters` and `datasets` of a history file, without braces around them.
   *
   * @param page of the history, from 1; nothing changed on one that it does not have
   */
  async history({ history, history_pages = [] }: BuildEntry, page = 1): Promise<Buffer> {
    const ref = [history, ...history_pages][page - 1];
    return ref ? await this.#histories(ref) : NO_CHANGES;
  }

  /** Returns what a build changed in each character: the lines of its timeline file, by id. */
  timeline({ timeline }: BuildEntry): Promise<ReadonlyMap<string, Buffer>> {
    return this.#timelines(timeline);
  }

  /** Returns the full record of a character in a build, as JSON; undefined if the build has no character with the id. */
  async record(entry: BuildEntry, id: string): Promise<Buffer | undefined> {
    return (await this.#lists(entry.characters, listReader(entry, this.#read))).get(id);
  }

  /**
   * Returns the differences between two builds of a game, as JSON.
   *
   * @param account whose part of the diffs that are computed at once it is; undefined for pages
   * @throws HttpProblem `quota-exceeded` when the account has used its part, `unavailable` when too many diffs are being computed
   */
  async diff(
    game: GameBuild,
    from: BuildEntry,
    to: BuildEntry,
    form: DiffForm,
    account?: string,
  ): Promise<Buffer> {
    const isNext = game.builds[game.builds.indexOf(to) - 1] === from;
    if (form === 'diff' && isNext && to.diff !== null) {
      const file = await this.#read(to.diff);
      return file.subarray(0, file.length - 1);
    }
    return await this.#differ.diff(game, from, to, form, account).catch((error: unknown) => {
      // The worker reports what is wrong, but not in which file.
      if (error instanceof DistError) void this.#checkAll([...filesOf(from), ...filesOf(to)]);
      throw error;
    });
  }

  /** Ends the process that computes diffs. */
  close(): Promise<void> {
    return this.#differ.close();
  }

  async #checkAll(refs: readonly FileRef[]): Promise<void> {
    for (const ref of refs) await this.#files.check(ref);
  }
}

/** The approximate memory of a cache entry besides its bytes. */
const ENTRY_OVERHEAD = 500;

/** @returns a function that returns what is made from a file; concurrent calls for one file read it once */
function createFileCache<T>(
  readFile: ReadFile,
  maxSize: number,
  make: (file: Buffer) => T,
): (ref: FileRef, read?: ReadFile) => Promise<T> {
  const cache = new LRUCache<string, { bytes: number; made: T }, { ref: FileRef; read: ReadFile }>({
    maxSize,
    sizeCalculation: ({ bytes }) => bytes + ENTRY_OVERHEAD,
    // Callers that wait for a file get it even when it is too large to cache.
    ignoreFetchAbort: true,
    fetchMethod: async (_file, _stale, { context: { ref, read } }) => {
      const file = await read(ref);
      try {
        return { bytes: file.length, made: make(file) };
      } catch (error) {
        throw new DistError(`${ref.file} cannot be loaded: ${(error as Error).message}`);
      }
    },
  });
  return async (ref, read = readFile) => (await cache.forceFetch(ref.file, { context: { ref, read } })).made;
}

/** Returns the members after `build` and `previous`, neither of which can contain a quotation mark. They can be megabytes, so they are not parsed. */
function sliceHistory(file: Buffer): Buffer {
  return file.subarray(file.indexOf('"characters":'), file.lastIndexOf('}'));
}

/** Returns the lines of a list by their ids. */
function sliceById(file: Buffer): ReadonlyMap<string, Buffer> {
  return new Map(sliceList(file).map((line) => [idOf(line), line]));
}

const LEADING_ID = /^\{"id":("[^"\\]*")/;
const MAX_LEADING_BYTES = 300;

/** The id of a record. It comes first, except after keys that look like an array index. */
function idOf(record: Buffer): string {
  const leading = LEADING_ID.exec(record.toString('utf8', 0, MAX_LEADING_BYTES))?.[1];
  return String(leading === undefined ? JSON.parse(record.toString()).id : JSON.parse(leading));
}
