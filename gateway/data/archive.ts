import type { FileHandle } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { AmendmentChanges } from '../../scripts/diff/diff-builds.ts';
import type { AttributeDictionary } from '../../scripts/format/attributes.ts';
import { listReader, type ReadFile } from '../../scripts/format/build-content.ts';
import * as dist from '../../scripts/format/dist-format.ts';
import type { Log } from '../http/log.ts';
import { Differ, type DiffRequest } from './differ.ts';
import type { DistFiles } from './dist-files.ts';
import type { GameBuild } from './game-build.ts';

/** The members of a diff or history without changes. */
export const NO_CHANGES = Buffer.from('"characters":{"added":[],"removed":[],"changed":[]},"datasets":{}');
const HISTORY_BYTES = 16 * 1024 * 1024;
/** A parsed amendment or dictionary needs several times the memory of its file. */
const PARSED_BYTES = 8 * 1024 * 1024;
const LIST_BYTES = 96 * 1024 * 1024;

/**
 * The builds that are not current: read from dist/ on demand, and kept in a bounded cache. Files never change, so one archive serves every state of
 * the folder. If a file is missing or damaged, its methods reject with a DistError.
 */
export class Archive {
  readonly #read: ReadFile;
  readonly #differ: Differ;
  readonly #histories;
  readonly #lists;
  readonly amendment: (ref: dist.FileRef) => Promise<AmendmentChanges>;
  /** Returns the attribute dictionary of a build. */
  readonly attributes: (ref: dist.FileRef) => Promise<AttributeDictionary>;
  /** Opens a file. It can then be read to its end, even if it is deleted meanwhile. */
  readonly open: (ref: dist.FileRef) => Promise<FileHandle>;

  constructor({ folder, files }: { folder: string; files: DistFiles }, log: Log) {
    const read: ReadFile = (ref) => files.read(ref);
    this.#read = read;
    this.#differ = new Differ(folder, log);
    this.#histories = createFileCache(read, HISTORY_BYTES, sliceHistory);
    this.#lists = createFileCache(read, LIST_BYTES, sliceById);
    const parsed = createFileCache(read, PARSED_BYTES, (file) => JSON.parse(file.toString()));
    [this.amendment, this.attributes] = [parsed, parsed];
    this.open = (ref) => files.open(ref);
  }

  /**
   * Returns the changes of a build: the members `characters` and `datasets` of a history file, without braces around them.
   *
   * @param page of the history, from 1; a page that does not exist has no changes
   */
  async history({ history, history_pages = [] }: dist.BuildEntry, page = 1): Promise<Buffer> {
    const ref = [history, ...history_pages][page - 1];
    return ref ? await this.#histories(ref) : NO_CHANGES;
  }

  /** Returns the changes of each character in a build: the lines of its timeline file, by id. */
  timeline({ timeline }: dist.BuildEntry): Promise<ReadonlyMap<string, Buffer>> {
    return this.#lists(timeline);
  }

  /** Returns the full record of a character in a build; undefined if the build has no character with the id. */
  async record(entry: dist.BuildEntry, id: string): Promise<dist.JsonObject | undefined> {
    const json = (await this.#lists(entry.characters, listReader(entry, this.#read))).get(id);
    return json && dist.parseRecord(json);
  }

  /**
   * Returns the differences between two builds of a game, as JSON.
   *
   * @throws HttpProblem `quota-exceeded` if the account has reached its limit, `unavailable` if too many diffs are being computed
   */
  async diff(game: GameBuild, from: dist.BuildEntry, to: dist.BuildEntry, how: DiffRequest): Promise<Buffer> {
    const isNext = game.builds[game.builds.indexOf(to) - 1] === from;
    if (how.form === 'diff' && isNext && to.diff !== null) {
      const file = await this.#read(to.diff);
      return file.subarray(0, file.length - 1);
    }
    return await this.#differ.diff(game, from, to, how);
  }

  /** Ends the process that computes diffs. */
  close(): Promise<void> {
    return this.#differ.close();
  }
}

/** The approximate memory of a cache entry besides its bytes. */
const ENTRY_OVERHEAD = 500;

/** @returns a function that returns what is made from a file; concurrent calls for a file read it once */
function createFileCache<T>(
  readFile: ReadFile,
  maxSize: number,
  make: (file: Buffer) => T,
): (ref: dist.FileRef, read?: ReadFile) => Promise<T> {
  const cache = new LRUCache<string, { bytes: number; made: T }, { ref: dist.FileRef; read: ReadFile }>({
    maxSize,
    sizeCalculation: ({ bytes }) => bytes + ENTRY_OVERHEAD,
    // Callers that wait for a file receive it even if it is too large to cache.
    ignoreFetchAbort: true,
    fetchMethod: async (_file, _stale, { context: { ref, read } }) => {
      const file = await read(ref);
      return { bytes: file.length, made: make(file) };
    },
  });
  return async (ref, read = readFile) => (await cache.forceFetch(ref.file, { context: { ref, read } })).made;
}

/** Returns everything after `build` and `previous`, whose values contain no quotation marks. It can be megabytes, so it is not parsed. */
function sliceHistory(file: Buffer): Buffer {
  return file.subarray(file.indexOf('"characters":'), file.lastIndexOf('}'));
}

/** Returns the lines of a list by their ids. */
function sliceById(file: Buffer): ReadonlyMap<string, Buffer> {
  return new Map([...dist.eachRecord(file)].map((line) => [idOf(line), line]));
}

/** The id comes first, except after keys that look like array indexes. */
function idOf(record: Buffer): string {
  const leading = /^\{"id":"([^"\\]*)"/.exec(record.toString('utf8', 0, 300))?.[1];
  return leading ?? String(dist.parseRecord(record).id);
}
