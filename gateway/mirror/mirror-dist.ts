import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, INDEX_FILE, type Index } from '../../scripts/format/dist-format.ts';
import {
  describeSystemError,
  isSystemError,
  makePrivateFolder,
  readRegularFile,
  replacePrivateFile,
} from '../../scripts/system.ts';
import { DegradedParts } from '../data/dist-files.ts';
import { DamagedFileError, DistError, parseIndex } from '../data/dist-folder.ts';
import { describeError, type MirrorState } from '../data/follow-dist.ts';
import type { Log } from '../http/log.ts';
import { type BoundedSource, boundSource } from './bounded-source.ts';
import type { DistMirror, Trust } from './dist-mirror.ts';
import type { DistSource } from './dist-source.ts';
import { type Failures, type FetchedGames, GameFetcher } from './game-fetcher.ts';
import { keepFailed } from './keep-failed.ts';
import { PublishedReader, TRUST_ALL, UntrustedError } from './read-published.ts';
import { removeUnnamed } from './remove-unnamed.ts';

/** Options of a mirror. */
export interface MirrorOptions {
  /**
   * Loads a state whose files are in the folder. Rejects with a DistError when no game of it can be loaded; then the previous state stays.
   *
   * @returns the games that cannot be loaded; undefined for none
   */
  tryState: (index: Index) => Promise<Failures | undefined>;
  log: Log;
  /** How long to wait between two checks of the index, in ms. */
  interval: number;
  /** The index may take this time, in ms; any other file may take one second per 32 KiB more. */
  patience?: number;
  /** Which published states are followed; by default all except those that are older than the last one. */
  trust?: Trust | undefined;
  /** Where to report what is degraded. */
  degraded?: DegradedParts;
  /**
   * The time in ms since 1970, if the start is to fetch only what is loaded into memory then. The other files follow in the background.
   */
  servedAt?: number;
}

/** How long to wait before a complete state that failed to load is loaded again. */
const RETRY_MS = 60_000;

/**
 * Keeps a local folder equal to a dist/ elsewhere. Every file that the source's index references is fetched and compared with its SHA-256;
 * when the state can be loaded, its index replaces the previous one. Readers of the folder see only complete states; while the source cannot
 * be reached or loaded, they see the last one. A game whose files cannot be fetched or loaded keeps its previous state; the others are
 * updated. Several gateways may share a folder.
 *
 * @throws DistError when the folder has no index yet and the source cannot be mirrored
 */
export async function mirrorDist(
  source: DistSource,
  folder: string,
  options: MirrorOptions,
): Promise<DistMirror> {
  const mirror = new Mirror(boundSource(source, options.patience), folder, options);
  await mirror.start();
  return mirror;
}

class Mirror implements DistMirror {
  readonly #source: BoundedSource;
  readonly #folder: string;
  readonly #options: MirrorOptions;
  readonly #reader: PublishedReader;
  readonly #degraded: DegradedParts;
  /** Whether the source was refused when it was last read. */
  #isUntrusted = false;
  readonly #fetcher: GameFetcher;
  /** The index whose files are all in the folder, and an index that cannot be loaded completely. */
  #mirrored: Buffer | undefined;
  #refused: { index: Buffer; at: number } | undefined;
  #reported = '';
  #isPartial = false;
  #readAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(source: BoundedSource, folder: string, options: MirrorOptions) {
    const { trust = TRUST_ALL, patience } = options;
    this.#source = source;
    this.#folder = folder;
    this.#options = options;
    this.#reader = new PublishedReader({
      source,
      folder,
      trust,
      ...(patience !== undefined && { patience }),
    });
    this.#degraded = options.degraded ?? new DegradedParts(Date.now);
    this.#fetcher = new GameFetcher(source, folder, { servedAt: options.servedAt, log: options.log });
  }

  get state(): MirrorState {
    return {
      readAt: this.#readAt,
      serial: this.#reader.serial,
      failure: this.#reported || undefined,
      isRefused: this.#isUntrusted,
      isPartial: this.#isPartial,
    };
  }

  async start(): Promise<void> {
    await this.#look();
    if (this.#mirrored === undefined && !(await this.#hasIndex())) throw new DistError(this.#reported);
    this.#fetcher.fetchArchives();
    this.#lookLater();
  }

  async refetch(ref: FileRef): Promise<void> {
    await this.#fetcher.refetch(ref);
  }

  close(): void {
    this.#isOpen = false;
    this.#fetcher.close();
    clearTimeout(this.#timer);
  }

  #lookLater(): void {
    const { interval } = this.#options;
    this.#timer = setTimeout(() => void this.#look().then(() => this.#isOpen && this.#lookLater()), interval);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    try {
      const index = await this.#reader.read();
      this.#isUntrusted = false;
      this.#readAt = Date.now();
      if (this.#mirrored?.equals(index)) this.#report('', []);
      else if (!this.#isRefused(index)) await this.#mirror(index);
    } catch (error) {
      this.#isUntrusted = error instanceof UntrustedError;
      const problem = describeFailure(error, this.#folder);
      const [part, message] = (await this.#hasIndex())
        ? [`${problem}; what is there is served`, 'dist not mirrored, serving what is there']
        : [problem, 'dist not mirrored'];
      this.#report(problem, [{ game: undefined, problem: part }], message);
    }
  }

  async #hasIndex(): Promise<boolean> {
    return (await stat(path.join(this.#folder, INDEX_FILE)).catch(() => undefined)) !== undefined;
  }

  #isRefused(index: Buffer): boolean {
    if (!this.#refused?.index.equals(index)) return false;
    return performance.now() - this.#refused.at < RETRY_MS;
  }

  async #mirror(bytes: Buffer): Promise<void> {
    const index = parseIndex(bytes, `${this.#source.name}/${INDEX_FILE}`);
    // An index may reference no files.
    await makePrivateFolder(this.#folder);
    const { files, failures: unfetched } = await this.#fetch(index);
    const state = await keepFailed(this.#folder, index, unfetched);
    const unloaded = await this.#load(state, files, unfetched).catch((error: unknown) => {
      this.#refused = { index: bytes, at: performance.now() };
      throw error;
    });
    const failures = new Map([...unloaded, ...unfetched]);
    refuseIfAll(index, failures);
    await this.#fetcher.save();
    const kept = await this.#replace(bytes, index, failures, files);
    this.#mirrored = failures.size === 0 ? bytes : undefined;
    if (unloaded.size > 0) this.#refused = { index: bytes, at: performance.now() };
    await this.#reader.keep();
    this.#reportGames(failures, kept);
  }

  /** @throws DistError when no game can be fetched */
  async #fetch({ games }: Pick<Index, 'games'>): Promise<FetchedGames> {
    const fetched = await this.#fetcher.fetch(games);
    refuseIfAll({ games }, fetched.failures);
    return fetched;
  }

  /**
   * Loads a state. Files that were damaged in the folder since they were compared are fetched again.
   *
   * @param files gets the files of these games, too
   * @param unfetched the games that could not be fetched just before
   */
  async #load(index: Index, files: FetchedGames['files'], unfetched: Failures): Promise<Failures> {
    const { tryState } = this.#options;
    let failures: Failures = new Map();
    try {
      failures = (await tryState(index)) ?? failures;
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      failures = new Map(index.games.map(({ slug }) => [slug, error]));
    }
    const damaged = index.games.filter(
      ({ slug }) => failures.get(slug) instanceof DamagedFileError && !unfetched.has(slug),
    );
    if (damaged.length === 0) return failures;
    for (const { slug } of damaged) this.#fetcher.forget(slug);
    for (const [slug, again] of (await this.#fetch({ games: damaged })).files) files.set(slug, again);
    return (await tryState(index)) ?? new Map();
  }

  /** @returns the games of which the folder has the state before */
  async #replace(
    bytes: Buffer,
    index: Index,
    failures: Failures,
    files: FetchedGames['files'],
  ): Promise<ReadonlySet<string>> {
    const state = await keepFailed(this.#folder, index, failures);
    // The files of their states before stay.
    for (const slug of failures.keys()) files.delete(slug);
    const content = failures.size === 0 ? bytes : Buffer.from(`${JSON.stringify(state, null, 1)}\n`);
    const target = path.join(this.#folder, INDEX_FILE);
    const present = await readRegularFile(target).catch(() => undefined);
    const newest = new Map(index.games.map(({ slug, manifest }) => [slug, manifest.sha256]));
    const kept = state.games.filter(({ slug, manifest }) => manifest.sha256 !== newest.get(slug));
    const slugs = new Set(kept.map(({ slug }) => slug));
    if (present?.equals(content) && failures.size > 0) return slugs;
    await replacePrivateFile(target, content);
    await removeUnnamed(this.#folder, new Set(index.games.map(({ slug }) => slug)), files);
    this.#options.log.info('dist mirrored', { source: this.#source.name, folder: this.#folder });
    return slugs;
  }

  /** @param kept the games of which the folder has the state before */
  #reportGames(failures: Failures, kept: ReadonlySet<string>): void {
    const parts = [...failures].map(([game, error]) => ({
      game,
      problem: `${describeError(error)}; ${kept.has(game) ? 'the state before of this game is served' : 'there is no state before of this game'}`,
    }));
    this.#report(parts.map(({ game, problem }) => `${game}: ${problem}`).join('; '), parts);
  }

  /** Logs a problem unless it was the last one logged. */
  #report(
    problem: string,
    parts: Parameters<DegradedParts['set']>[1],
    message = 'dist mirrored in part',
  ): void {
    const { name: source } = this.#source;
    this.#isPartial = parts.some(({ game }) => game !== undefined);
    if (problem !== '' && problem !== this.#reported)
      this.#options.log.error(message, { source, error: problem });
    this.#reported = problem;
    this.#degraded.set('source', parts);
  }
}

/** Throws the error of the first game if all games failed. */
function refuseIfAll({ games }: Pick<Index, 'games'>, failures: Failures): void {
  const [first] = failures.values();
  if (first && failures.size === games.length) throw first;
}

function describeFailure(error: unknown, folder: string): string {
  return isSystemError(error)
    ? `${folder} cannot be written: ${describeSystemError(error)}`
    : describeError(error);
}
