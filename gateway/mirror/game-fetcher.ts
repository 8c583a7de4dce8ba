import path from 'node:path';
import type { FileRef, Index } from '../../scripts/format/dist-format.ts';
import { inParallel } from '../../scripts/system.ts';
import type { Log } from '../http/log.ts';
import type { BoundedSource } from './bounded-source.ts';
import { ComparedGames } from './compared-games.ts';
import { DamagedFileError, type DistError } from '../data/dist-folder.ts';
import { SourceFileError } from './dist-source.ts';
import { ArchiveFetcher } from './fetch-archives.ts';
import { fetchFile, fetchGame, hasSize, isWhole } from './fetch-game.ts';

/** Why games cannot be fetched or loaded, by slug. */
export type Failures = ReadonlyMap<string, DistError>;

/** The result of fetching games. */
export interface FetchedGames {
  /** The files of the games of which some were missing, by slug. */
  files: Map<string, ReadonlySet<string>>;
  failures: Failures;
}

/** How many games are fetched at once. */
const AT_ONCE = 2;

/** Fetches the files of games into a folder, and remembers which games are complete. */
export class GameFetcher {
  readonly #source: BoundedSource;
  readonly #folder: string;
  readonly #archives: ArchiveFetcher;
  #servedAt: number | undefined;
  /** The SHA-256 of the manifests of the games all of whose files are in the folder, by slug. */
  readonly #complete = new Map<string, string>();
  /** Games that were compared, also before the start. */
  #compared: ComparedGames | undefined;

  /**
   * @param servedAt until `fetchArchives` is called, only what is loaded into memory at this time (ms since 1970) is fetched; undefined for
   *   everything
   */
  constructor(
    source: BoundedSource,
    folder: string,
    { servedAt, log }: { servedAt: number | undefined; log: Log },
  ) {
    this.#source = source;
    this.#folder = folder;
    this.#servedAt = servedAt;
    this.#archives = new ArchiveFetcher({
      fetch: (ref) => this.#fetchLater(ref),
      finish: (slug, manifest) => this.#noteArchive(slug, manifest),
      log,
    });
  }

  /** Fetches the files of games that are not complete. Files that the source does not have are among the failures. */
  async fetch(games: Index['games']): Promise<FetchedGames> {
    const files: FetchedGames['files'] = new Map();
    const failures = new Map<string, DistError>();
    const missing = games.filter(({ slug, manifest }) => this.#complete.get(slug) !== manifest.sha256);
    await inParallel(missing, AT_ONCE, async (game) => {
      try {
        const fetched = await this.#fetchGame(game);
        if (fetched) files.set(game.slug, fetched);
      } catch (error) {
        if (!(error instanceof SourceFileError || error instanceof DamagedFileError)) throw error;
        failures.set(game.slug, error);
      }
    });
    return { files, failures };
  }

  /** Fetches a file again from the source. @throws DistError */
  async refetch(ref: FileRef): Promise<void> {
    await fetchFile(this.#source, this.#folder, ref);
  }

  /** Forgets a game whose files turned out to be damaged: the next `fetch` compares all of them. */
  forget(slug: string): void {
    this.#complete.delete(slug);
    this.#compared?.forget(slug);
  }

  /** Remembers for the next start which games were compared. */
  async save(): Promise<void> {
    await this.#compared?.save();
  }

  /** Begins to fetch what was left for later; from now on, nothing is. */
  fetchArchives(): void {
    this.#servedAt = undefined;
    this.#archives.start();
  }

  /** Fetches nothing more for later. */
  close(): void {
    this.#archives.close();
  }

  /** @returns the files of the game; undefined if none was missing */
  async #fetchGame(game: Index['games'][number]): Promise<ReadonlySet<string> | undefined> {
    const { slug, manifest } = game;
    this.#compared ??= await ComparedGames.open(this.#folder);
    let fetched: ReadonlySet<string> | undefined;
    if (!(await this.#compared.isUnchanged(slug, manifest))) {
      // What was fetched since the start was compared. Other files may be damaged.
      const isCompared = this.#complete.has(slug) && !this.#archives.has(slug);
      const { files, later } = await fetchGame(this.#source, this.#folder, game, {
        isThere: isCompared ? hasSize : isWhole,
        servedAt: this.#servedAt,
      });
      fetched = new Set(files);
      this.#archives.set(slug, manifest, later);
      if (later.length === 0) await this.#compared.note(slug, manifest);
    }
    this.#complete.set(slug, manifest.sha256);
    return fetched;
  }

  async #fetchLater(ref: FileRef): Promise<void> {
    if (!(await isWhole(path.join(this.#folder, ref.file), ref))) await this.refetch(ref);
  }

  /** Notes that all files of a game are there, after those that were left for later. */
  async #noteArchive(slug: string, manifest: FileRef): Promise<void> {
    await this.#compared?.note(slug, manifest);
    await this.#compared?.save();
  }
}
