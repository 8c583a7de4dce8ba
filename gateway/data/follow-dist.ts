import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, filesOf, INDEX_FILE } from '../../scripts/format/dist-format.ts';
import type { Log } from '../http/log.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { type DegradedState, DegradedStates, DistError, DistFiles } from './dist-files.ts';
import type { LoadedGame } from './game-build.ts';

/** How long to wait before a failed state is loaded again. */
const RETRY_MS = 2000;

interface FollowState {
  /** When the served state was loaded, in ms since 1970. */
  loadedAt: number;
  /** Why a newer state is not served, or only partly; undefined if the newest state is served. */
  failure: string | undefined;
}

/** Follows a dist/ folder, and holds the newest state that could be loaded. */
export interface DistFollower {
  readonly folder: string;
  /** Each request reads this once and uses the same catalog until its end. */
  readonly catalog: Catalog;
  readonly state: FollowState;
  /** The files that are read on demand. */
  readonly files: DistFiles;
  /** The parts of the data whose newest state is not served. */
  readonly degraded: readonly DegradedState[];
  /** Checks for a newer state now. @returns the newest state that could be loaded */
  look(): Promise<Catalog>;
  close(): void;
}

export interface FollowOptions {
  /** ms since 1970. */
  now: () => number;
  log: Log;
  /** How often to check, in ms. */
  interval: number;
  /** Where to report what is degraded. */
  degraded?: DegradedStates;
  /** Downloads a damaged file of the folder again; absent if the folder is not a copy. */
  refetch?: (ref: FileRef) => Promise<void>;
}

/**
 * Opens a dist/ folder and follows it. When its index changes, the new state is loaded and then replaces the old one in one step. A game that cannot
 * be loaded keeps its old state; if none can, all do. Failures are logged, and loading is retried.
 *
 * @throws DistError when the first state cannot be loaded
 */
export async function followDist(folder: string, options: FollowOptions): Promise<DistFollower> {
  const signature = await readSignature(folder);
  return new FolderFollower(folder, options, await openCatalog(folder, options.now()), signature);
}

class FolderFollower implements DistFollower {
  /** Each request reads this once and uses the same catalog until its end. */
  catalog: Catalog;
  readonly folder: string;
  readonly files: DistFiles;
  readonly #options: FollowOptions;
  readonly #degraded: DegradedStates;
  readonly #timer: NodeJS.Timeout;
  #loadedAt: number;
  #failure: string | undefined;
  /** The signature of the index whose games are all loaded. */
  #seen = '';
  #failed = { signature: '', faults: '', at: 0, isAwaited: false };
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<Catalog> | undefined;

  constructor(folder: string, options: FollowOptions, catalog: Catalog, signature: string) {
    const { log, interval, now, refetch, degraded = new DegradedStates() } = options;
    this.folder = folder;
    this.#options = options;
    this.#degraded = degraded;
    this.catalog = catalog;
    this.#loadedAt = now();
    const isNamed = async (file: string) =>
      (await this.look()).loaded.some(({ builds }) =>
        builds.some((entry) => filesOf(entry).some((ref) => ref.file === file)),
      );
    this.files = new DistFiles({ folder, log, degraded, isNamed, refetch });
    this.#settle(signature, catalog);
    this.#timer = setInterval(() => void this.look(), interval);
    this.#timer.unref();
  }

  get state(): FollowState {
    return { loadedAt: this.#loadedAt, failure: this.#failure };
  }

  get degraded(): readonly DegradedState[] {
    return this.#degraded.list;
  }

  /** A check under way may have missed the change that the caller knows of, so the caller waits for the next check. */
  look(): Promise<Catalog> {
    if (this.#next) return this.#next;
    this.#next = this.#last.then(() => {
      this.#next = undefined;
      return this.#reload();
    });
    this.#last = this.#next;
    return this.#next;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #reload(): Promise<Catalog> {
    const { log, now } = this.#options;
    const { folder } = this;
    const signature = await readSignature(folder);
    if (signature === this.#seen && !this.catalog.isIncompleteAt(now())) {
      // The index that failed may have been replaced by the previous one.
      if (this.#failure !== undefined) this.#settle(signature, this.catalog);
      return this.catalog;
    }
    // The state may just be incomplete, for example on a network folder: retry, but log once.
    const isKnown = signature === this.#failed.signature;
    if (isKnown && performance.now() - this.#failed.at < RETRY_MS) return this.catalog;
    try {
      const catalog = await openCatalog(folder, now(), this.catalog);
      const faults = faultsOf(catalog);
      const isSame = isKnown && faults !== '' && this.#failed.faults === faults;
      if (faults !== '' && !isSame && !this.catalog.isIncompleteAt(now())) {
        // The folder may still be being copied. If all games can be loaded at the next attempts, they switch together.
        this.#failed = { signature, faults, at: performance.now(), isAwaited: true };
        return this.catalog;
      }
      // Keep the catalog with its caches if the attempt changed nothing.
      if (!isSame || this.#failed.isAwaited || this.catalog.isIncompleteAt(now())) {
        this.catalog = catalog;
        this.#loadedAt = now();
      }
      this.#settle(signature, catalog);
      if (catalog.failures.size === 0) log.info('dist reloaded', { folder });
    } catch (error) {
      this.#failed = { signature, faults: '', at: performance.now(), isAwaited: false };
      this.#failure = describeError(error);
      const problem = `${this.#failure}; the state before is served`;
      this.#degraded.set('index', [{ game: undefined, problem }]);
      if (!isKnown)
        log.error('dist not reloaded, serving the state before', { folder, error: this.#failure });
    }
    return this.catalog;
  }

  /** Records a state that was loaded completely or partly. */
  #settle(signature: string, catalog: Catalog): void {
    const { log, refetch } = this.#options;
    const faults = faultsOf(catalog);
    const { isAwaited } = this.#failed;
    const isKnown = !isAwaited && signature === this.#failed.signature && faults === this.#failed.faults;
    this.#seen = catalog.failures.size === 0 ? signature : '';
    this.#failed = {
      signature: this.#seen === '' ? signature : '',
      faults,
      at: performance.now(),
      isAwaited: false,
    };
    const parts = [...catalog.failures].map(([game, error]) => ({
      game,
      problem: `${describeGameError(error, refetch !== undefined)}; ${describeServed(catalog.find(game))}`,
    }));
    this.#degraded.set('index', parts);
    this.#failure =
      parts.length > 0 ? parts.map(({ game, problem }) => `${game}: ${problem}`).join('; ') : undefined;
    if (isKnown) return;
    for (const { game, problem } of parts) log.error('a game cannot be loaded', { game, error: problem });
  }
}

/** A damaged file of a copy needs no advice: the gateway downloads it again. */
function describeGameError(error: DistError, isCopy: boolean): string {
  const { message, damage } = error;
  return isCopy && damage ? `${damage.problem}: it is fetched again when its source can be reached` : message;
}

/** Describes what clients receive of a game that cannot be loaded completely. */
function describeServed(game: LoadedGame | undefined): string {
  const { builds = [], damaged } = game ?? {};
  const names = builds.map(({ build }) => build).join(', ');
  if (builds.length > 0)
    return damaged ? `what is whole is served: build ${names}` : 'the state before of this game is served';
  if (!damaged) return 'this game is not served';
  return damaged.manifest
    ? 'requests for this game get 503'
    : 'requests for this game and for the list of all games get 503';
}

/** Identifies the parts of a state that cannot be loaded, and what is served instead. */
function faultsOf(catalog: Catalog): string {
  const faults = [...catalog.failures].map(
    ([slug, { message }]) => `${slug} ${message} ${describeServed(catalog.find(slug))}`,
  );
  return faults.sort().join('\n');
}

/** Returns the message of an expected error, but the stack of a bug. */
export function describeError(error: unknown): string {
  if (error instanceof DistError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Identifies a version of index.json: each is a new file, renamed into place. */
async function readSignature(folder: string): Promise<string> {
  const stats = await stat(path.join(folder, INDEX_FILE), { bigint: true }).catch(() => undefined);
  return stats ? `${stats.ino} ${stats.mtimeNs} ${stats.size}` : 'absent';
}

/** How often to check a folder for changes. */
export const FOLLOW_MS = 200;
