import { createHash, randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, type BrotliOptions, constants, gzip, type ZlibOptions } from 'node:zlib';
import type { BulkFiles } from '../bulk/bulk-files.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import {
  type BuildContent,
  encodeDataset,
  type EncodedBuild,
  encodeSnapshot,
} from '../format/build-content.ts';
import {
  type Aliases,
  type Amendment,
  type BuildEntry,
  type BulkFormat,
  type CompressedRef,
  type DatasetRef,
  encodeLines,
  factsOf,
  type FileRef,
  filesOf,
  FORMAT,
  type GameFacts,
  type Index,
  type JsonObject,
  type ListRef,
  type Manifest,
  type Renames,
  type RosterRef,
  type Withdrawal,
} from '../format/dist-format.ts';
import { inParallel, makePrivateFolder, PRIVATE_FILE_MODE } from '../system.ts';
import { orUnwritable } from './lock.ts';
import { readSound } from './read-dist.ts';

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

// Higher levels take much longer and compress only a little better: docs/speed.md has the figures.

/** How files are compressed with gzip. */
const GZIP_OPTIONS: ZlibOptions = { level: 6 };

/** How a file of this many bytes is compressed with brotli. */
function brotliOptions(bytes: number): BrotliOptions {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS - 2,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
}

/** Compresses bytes with gzip. */
export const compressGzip = (bytes: Uint8Array): Promise<Buffer> => gzipAsync(bytes, GZIP_OPTIONS);

/** Compresses bytes with brotli. */
export const compressBrotli = (bytes: Uint8Array): Promise<Buffer> =>
  brotliAsync(bytes, brotliOptions(bytes.length));

/** Compresses the bytes of a file with both. */
async function compress(bytes: Uint8Array): Promise<{ gzip: Buffer; brotli: Buffer }> {
  const [gzipped, brotli] = await Promise.all([compressGzip(bytes), compressBrotli(bytes)]);
  return { gzip: gzipped, brotli };
}

/** The name of a dataset's files in dist/. */
export function nameOfDataset(key: string): string {
  return `dataset.${key}`;
}

/**
 * The path in dist/ of a file of a game.
 *
 * @param name the first part of its name: `characters`, or what `nameOfDataset` returns
 * @param sha256 of its bytes, hexadecimal
 */
export function fileOf(slug: string, name: string, sha256: string): string {
  return `${slug}/${name}.${sha256.slice(0, 32)}.json`;
}

/** The names of stages begin so. No reader of dist/ looks into them. */
const PREFIX = '.staged-';

/** Where a stage is: the dist/ folder, and a folder inside it. */
export interface StagePlace {
  out: string;
  folder: string;
}

/** How many files are moved at once: most of the time is spent waiting for the disk. */
const MAX_PARALLEL_MOVES = 4;

/**
 * Holds the files of a run until all games are compiled: after an error, none of them is in dist/. The processes that compile write here, so
 * that no file passes through the memory of another process.
 */
export class Stage {
  readonly place: StagePlace;

  /** @param place of a stage that exists */
  constructor(place: StagePlace) {
    this.place = place;
  }

  /** Makes a stage, and removes those of killed runs. Only the holder of the lock of dist/ may do so. */
  static async make(out: string): Promise<Stage> {
    const left = (await readdir(out)).filter((name) => name.startsWith(PREFIX));
    for (const name of left) await rm(path.join(out, name), { recursive: true, force: true });
    // A run that was suspended, and lost its lock meanwhile, must not remove the stage of the next one.
    const folder = path.join(out, PREFIX + randomBytes(8).toString('hex'));
    return new Stage({ out, folder });
  }

  /**
   * Writes a file, unless dist/ has it already.
   *
   * @returns whether it was written
   * @throws CommandError if it cannot be written
   */
  async add(ref: FileRef, content: Uint8Array): Promise<boolean> {
    return await orUnwritable(this.place.out, this.#write(ref, content));
  }

  async #write({ file, bytes }: FileRef, content: Uint8Array): Promise<boolean> {
    if (await hasSize(path.join(this.place.out, file), bytes)) return false;
    const staged = this.#pathOf(file);
    await makePrivateFolder(path.dirname(staged));
    await writeFile(staged, content, { mode: PRIVATE_FILE_MODE });
    return true;
  }

  /** Reads a file; undefined if it is not here. */
  async read({ file }: Pick<FileRef, 'file'>): Promise<Buffer | undefined> {
    return await readFile(this.#pathOf(file)).catch(() => undefined);
  }

  /** Moves files to dist/. Each of them reaches the disk before it gets its name there. */
  async move(files: readonly FileRef[]): Promise<void> {
    await inParallel(files, MAX_PARALLEL_MOVES, async ({ file }) => {
      await sync(this.#pathOf(file));
      await rename(this.#pathOf(file), path.join(this.place.out, file));
    });
  }

  /** Removes the stage, with all files that were not moved. */
  async remove(): Promise<void> {
    await rm(this.place.folder, { recursive: true, force: true });
  }

  #pathOf(file: string): string {
    return path.join(this.place.folder, file);
  }
}

/** A file's name carries the hash of its content. Only an incomplete copy could differ, and its size would be another one. */
export async function hasSize(file: string, size: number): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.size === size;
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * What happens to the files of a plan: `memory` keeps their bytes in the plan, for a few builds; `stage` writes them to the stage of a dist/
 * folder; `nothing` forgets them, when only findings are wanted.
 */
export type Keeping = { in: 'memory' } | { in: 'stage'; place: StagePlace } | { in: 'nothing' };

/** The files that were made for a plan. */
export interface PlannedFiles {
  /** The bytes of those in memory, by path in dist/. */
  files: Map<string, Uint8Array>;
  /** Those in the stage of dist/. */
  staged: FileRef[];
  /** Absent if there is no stage. */
  stage?: StagePlace;
}

/** Takes the files of a plan as they are made. */
export class FileKeeper {
  readonly #files = new Map<string, Uint8Array>();
  readonly #staged = new Map<string, FileRef>();
  readonly #isInMemory: boolean;
  readonly #stage: Stage | undefined;

  constructor(keeping: Keeping) {
    this.#isInMemory = keeping.in === 'memory';
    this.#stage = keeping.in === 'stage' ? new Stage(keeping.place) : undefined;
  }

  /** What was taken so far. */
  get planned(): PlannedFiles {
    const stage = this.#stage && { stage: this.#stage.place };
    return { files: this.#files, staged: [...this.#staged.values()], ...stage };
  }

  /** Takes a file. */
  async add(ref: FileRef, content: Uint8Array): Promise<void> {
    if (this.#isInMemory) this.#files.set(ref.file, content);
    if (this.#stage === undefined || this.#staged.has(ref.file)) return;
    const { file, bytes, sha256 } = ref;
    if (await this.#stage.add(ref, content)) this.#staged.set(file, { file, bytes, sha256 });
  }
}

/**
 * Reads a file that a plan names: from the plan, from the stage of dist/, or from dist/.
 *
 * @throws DamagedFile if it is missing or damaged
 */
export async function readPlanned(
  { files, stage }: Omit<PlannedFiles, 'staged'>,
  out: string,
  ref: FileRef,
): Promise<Buffer> {
  const made = files.get(ref.file) ?? (stage && (await new Stage(stage).read(ref)));
  return made ? Buffer.from(made) : await readSound(out, ref);
}

/** A game as dist/ is to hold it: its manifest, and the files that dist/ may lack, which were made for it. */
export interface GamePlan extends PlannedFiles {
  slug: string;
  manifest: FileRef;
  /** The builds, oldest first, without those that were left out. */
  entries: BuildEntry[];
  /** The names of all builds, oldest first, also of those that were left out. */
  builds: string[];
  /** The names of released builds that were removed. */
  withdrawn: string[];
  /** Whether builds may still change: then they are not recorded. */
  draft: boolean;
  /** The size of all files that the game's index entry leads to. */
  bytes: number;
}

/** What a build changed, as objects whose JSON is written to files. */
export interface PlannedChanges {
  /** Null for the first build. */
  diff: object | null;
  /** Its pages. */
  history: readonly [first: object, ...more: object[]];
  timeline: readonly object[];
}

/** What a build's build.json says for its readers. `changes` are what an amendment changed, if that is known. */
export interface PlannedBuild {
  /** The release in regions where it differs; absent if there are none. */
  releasedIn?: Readonly<Record<string, string>>;
  note: string | null;
  amended: readonly (Amendment & { changes?: JsonObject })[];
  renamed: Renames;
  as_of?: Readonly<Record<string, string>>;
}

/** What the manifest says of a game, besides its builds. */
export interface PlannedGame extends GameFacts {
  slug: string;
  withdrawn?: readonly Withdrawal[];
  draft?: boolean;
}

/** Gathers a game's builds, oldest first, into a plan. */
export class GamePlanner {
  readonly #game: PlannedGame;
  readonly #files: FileKeeper;
  readonly #bulk: BulkFiles | undefined;
  readonly #entries: BuildEntry[] = [];
  /** The names of those that were not compiled again. */
  readonly #kept = new Set<string>();
  /** The newest build, unless it was kept: if none follows, its lists become files. */
  #newest: EncodedBuild | undefined;
  readonly #builds: string[] = [];

  private constructor(game: PlannedGame, files: FileKeeper, bulk: BulkFiles | undefined) {
    this.#game = game;
    this.#files = files;
    this.#bulk = bulk;
  }

  /**
   * Begins the plan of a game.
   *
   * @param keeping what happens to the files
   * @param formats the formats in which builds are written besides JSON
   * @param newest how many of the newest builds are written in them
   */
  static async begin(
    game: PlannedGame,
    keeping: Keeping,
    formats: readonly BulkFormat[] = [],
    newest = Number.POSITIVE_INFINITY,
  ): Promise<GamePlanner> {
    const files = new FileKeeper(keeping);
    if (formats.length === 0) return new GamePlanner(game, files, undefined);
    const { BulkFiles } = await import('../bulk/bulk-files.ts');
    return new GamePlanner(game, files, new BulkFiles({ game, formats, newest, keeping, files }));
  }

  /** The entry of the newest build so far. */
  get newest(): BuildEntry | undefined {
    return this.#entries.at(-1);
  }

  /** Adds a build whose files are in dist/ already. */
  keepBuild(entry: BuildEntry): void {
    this.#push(entry, undefined);
    this.#kept.add(entry.build);
  }

  /** Leaves a build out, as if the game did not have it. */
  leaveOut(build: string): void {
    this.#builds.push(build);
  }

  /** Adds the next build. @param more its dictionary, and the aliases of its records */
  async addBuild(
    content: EncodedBuild,
    { releasedIn = {}, note, amended, renamed, as_of = {} }: PlannedBuild,
    { diff, history, timeline }: PlannedChanges,
    { attributes, aliases }: { attributes: AttributeDictionary; aliases: Aliases },
  ): Promise<BuildEntry> {
    const entry: BuildEntry = {
      build: content.build,
      released_at: content.released_at,
      ...(Object.keys(releasedIn).length > 0 && { released_in: releasedIn }),
      note,
      amended: amended.map(({ at, reason }) => ({ at, reason })),
      ...(await this.#addAmendments(amended)),
      ...(content.carried_from && { carried_from: content.carried_from }),
      ...(Object.keys(as_of).length > 0 && { as_of }),
      ...(Object.keys(renamed).length > 0 && { renamed }),
      ...(await this.#addContent(content, false)),
      attributes: await this.#addObject('attributes', attributes),
      ...(Object.keys(aliases).length > 0 && { aliases: await this.#addObject('aliases', aliases) }),
      snapshot: await this.#addSnapshot(content),
      diff: diff && (await this.#addObject('diff', diff)),
      ...(await this.#addHistory(history)),
      timeline: await this.#addList(
        'timeline',
        timeline.map((unit) => JSON.stringify(unit)),
      ),
    };
    this.#push(entry, content);
    return entry;
  }

  /** The plan of all builds added. @param onBulk called with each build before it is written in other formats */
  async finish(onBulk: (build: string) => void = () => {}): Promise<GamePlan> {
    if (this.#newest) await this.#addContent(this.#newest, true);
    const entries = this.#bulk ? await this.#bulk.addTo(this.#entries, this.#kept, onBulk) : this.#entries;
    const { slug, withdrawn = [], draft = false } = this.#game;
    const manifest: Manifest = {
      ...{ slug, ...factsOf(this.#game) },
      ...(withdrawn.length > 0 && { withdrawn: [...withdrawn] }),
      builds: entries,
    };
    const ref = await this.#addFile('manifest', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    const named = new Map([ref, ...entries.flatMap(filesOf)].map(({ file, bytes }) => [file, bytes]));
    return {
      slug,
      manifest: ref,
      entries,
      builds: this.#builds,
      withdrawn: withdrawn.map(({ build }) => build),
      draft,
      ...this.#files.planned,
      bytes: [...named.values()].reduce((sum, bytes) => sum + bytes, 0),
    };
  }

  #push(entry: BuildEntry, content: EncodedBuild | undefined): void {
    const before = this.#entries.pop();
    if (before) this.#entries.push({ ...before, in_snapshot: true });
    this.#entries.push(entry);
    this.#newest = content;
    this.#builds.push(entry.build);
  }

  async #addAmendments(amended: PlannedBuild['amended']): Promise<Pick<BuildEntry, 'amendments'>> {
    if (amended.every(({ changes }) => changes === undefined)) return {};
    const amendments: (FileRef | null)[] = [];
    for (const { changes } of amended)
      amendments.push(changes ? await this.#addObject('amendment', changes) : null);
    return { amendments };
  }

  async #addHistory([first, ...more]: PlannedChanges['history']) {
    const history_pages: FileRef[] = [];
    for (const page of more) history_pages.push(await this.#addObject('history', page));
    const history = await this.#addObject('history', first);
    return { history, ...(more.length > 0 && { history_pages }) };
  }

  /** Returns the references to the lists of a build. @param areFiles whether dist/ has them as files too, and not only in the snapshot */
  async #addContent({ roster, characters, datasets }: EncodedBuild, areFiles: boolean) {
    const refs: DatasetRef[] = [];
    for (const [key, dataset] of datasets) {
      const bytes = Buffer.from(encodeDataset(dataset));
      const ref = await this.#addFile(nameOfDataset(key), bytes, '', areFiles);
      const count = dataset.kind === 'list' ? dataset.records.length : 1;
      refs.push({ key, kind: dataset.kind, ...ref, count });
    }
    const records = await this.#addList('characters', characters, areFiles);
    // Often the records have nothing that the entries lack.
    const isSame = roster.every((line, index) => line === characters[index]);
    const entries = isSame ? records : await this.#addRoster(roster, areFiles);
    return { roster: entries, characters: records, datasets: refs };
  }

  async #addRoster(lines: readonly string[], isFile: boolean): Promise<RosterRef> {
    const ref = await this.#addList('roster', lines, isFile);
    const gzip = await compressGzip(Buffer.from(encodeLines(lines)));
    return { ...ref, gzip: await this.#addFile('roster', gzip, '.gz') };
  }

  async #addSnapshot(content: BuildContent): Promise<CompressedRef> {
    const bytes = Buffer.from(encodeSnapshot(content));
    const { gzip, brotli } = await compress(bytes);
    return {
      ...this.#refer('snapshot', bytes),
      gzip: await this.#addFile('snapshot', gzip, '.gz'),
      brotli: await this.#addFile('snapshot', brotli, '.br'),
    };
  }

  async #addList(name: string, lines: readonly string[], isFile = true): Promise<ListRef> {
    const ref = await this.#addFile(name, Buffer.from(encodeLines(lines)), '', isFile);
    return { ...ref, count: lines.length };
  }

  async #addObject(name: string, value: object): Promise<FileRef> {
    return await this.#addFile(name, Buffer.from(`${JSON.stringify(value)}\n`));
  }

  async #addFile(name: string, bytes: Buffer, suffix = '', isFile = true): Promise<FileRef> {
    const ref = this.#refer(name, bytes, suffix);
    if (isFile) await this.#files.add(ref, bytes);
    return ref;
  }

  #refer(name: string, bytes: Buffer, suffix = ''): FileRef {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = fileOf(this.#game.slug, name, sha256) + suffix;
    return { file, bytes: bytes.length, sha256 };
  }
}

/**
 * The index that names the planned games.
 *
 * @param others games of the current index that were not built, and do not change
 */
export function planIndex(plans: GamePlan[], others: Index['games']): Index {
  const games = [...others, ...plans.map(({ slug, manifest }) => ({ slug, manifest }))];
  return { format: FORMAT, games: games.sort((a, b) => (a.slug < b.slug ? -1 : 1)) };
}
