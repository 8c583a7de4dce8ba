import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, filesOf, INDEX_FILE } from '../../scripts/format/dist-format.ts';
import type { Log } from '../http/log.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { type DegradedState, DegradedStates, DistError, DistFiles } from './dist-files.ts';

/** How often to check a folder for changes. */
export const FOLLOW_MS = 200;
/** How long to wait before a failed state is loaded again. */
const RETRY_MS = 2000;

interface FollowOptions {
  /** ms since 1970. */
  now: () => number;
  log: Log;
  /** How often to check, in ms. */
  interval: number;
  /** Where to report what is degraded. */
  degraded?: DegradedStates;
  /** Keeps the folder a copy of a published dist/; absent if it is none. */
  copy?: DistCopy;
}

/** What keeps a folder a copy of a published dist/. */
interface DistCopy {
  /** Why the folder differs from its source; undefined if it does not. */
  readonly failure: string | undefined;
  /** Downloads a damaged file of the folder again. */
  fetch(ref: FileRef): Promise<void>;
  close(): void;
}

/**
 * Opens a dist/ folder and follows it. When its index changes, the new state is loaded and then replaces the old one in one step. A game that cannot
 * be loaded keeps its old state; if none can, all do. Failures are logged, and loading is retried.
 *
 * @throws DistError when the first state cannot be loaded
 */
export async function followDist(folder: string, options: FollowOptions): Promise<DistFollower> {
  const signature = await readSignature(folder);
  return new DistFollower(folder, options, await openCatalog(folder, options.now()), signature);
}

/** Follows a dist/ folder, and holds the newest state that could be loaded. */
export class DistFollower {
  /** Each request reads this once and uses the same catalog until its end. */
  catalog: Catalog;
  readonly folder: string;
  /** The files that are read on demand. */
  readonly files: DistFiles;
  /** When the served state was loaded, in ms since 1970, and why a newer one is not served or only partly, if so. */
  readonly #state: { loadedAt: number; failure: string | undefined };
  readonly #options: FollowOptions;
  readonly #degraded: DegradedStates;
  readonly #timer: NodeJS.Timeout;
  /** The signature of the index whose games are all loaded. */
  #seen: string;
  /** The last attempt that failed in part, and how often it failed with the same faults. */
  #tried = { signature: '', faults: '', times: 0, at: 0 };
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<Catalog> | undefined;

  constructor(folder: string, options: FollowOptions, catalog: Catalog, signature: string) {
    const { log, interval, now, copy, degraded = new DegradedStates() } = options;
    this.folder = folder;
    this.#options = options;
    this.#degraded = degraded;
    this.catalog = catalog;
    this.#state = { loadedAt: now(), failure: undefined };
    const isNamed = async (file: string) => isNamedIn(await this.loadNewest(), file);
    const refetch = copy && ((ref: FileRef) => copy.fetch(ref));
    this.files = new DistFiles({ folder, log, degraded, isNamed, refetch });
    this.#seen = catalog.failures.size === 0 ? signature : '';
    this.#tried = { signature, faults: faultsOf(catalog), times: 2, at: performance.now() };
    this.#report(catalog);
    this.#timer = setInterval(() => void this.loadNewest(), interval).unref();
  }

  get state(): { loadedAt: number; failure: string | undefined } {
    const { loadedAt, failure = this.#options.copy?.failure } = this.#state;
    return { loadedAt, failure };
  }

  /** The parts of the data whose newest state is not served. */
  get degraded(): readonly DegradedState[] {
    return this.#degraded.list;
  }

  /**
   * Checks for a newer state now. A check under way may have missed the change that the caller knows of, so the caller waits for the next check.
   *
   * @returns the newest state that could be loaded
   */
  loadNewest(): Promise<Catalog> {
    this.#next ??= this.#last.then(async () => {
      this.#next = undefined;
      await this.#reload();
      return this.catalog;
    });
    this.#last = this.#next;
    return this.#next;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#options.copy?.close();
  }

  async #reload(): Promise<void> {
    const { log, now } = this.#options;
    const { folder } = this;
    const signature = await readSignature(folder);
    const isOutdated = this.catalog.isIncompleteAt(now());
    if (signature === this.#seen && !isOutdated) {
      // The index that failed may have been replaced by the previous one.
      if (this.#state.failure !== undefined) this.#report(this.catalog);
      return;
    }
    // The state may just be incomplete, for example on a network folder: retry, but log once.
    const before = this.#tried;
    if (signature === before.signature && before.faults !== '' && performance.now() - before.at < RETRY_MS)
      return;
    try {
      const catalog = await openCatalog(folder, now(), this.catalog);
      const times = this.#countAttempt(signature, faultsOf(catalog));
      // The folder may still be being copied: if all games can be loaded at the second attempt, they switch together.
      // Further attempts with the same faults change nothing: the catalog keeps its caches.
      if (times > 0 && times !== 2) return;
      this.catalog = catalog;
      this.#state.loadedAt = now();
      this.#degraded.keep((observer) => !observer.includes('/') || isNamedIn(catalog, observer));
      this.#seen = times === 0 ? signature : '';
      this.#report(catalog);
      if (times === 0) log.info('dist reloaded', { folder });
    } catch (error) {
      const times = this.#countAttempt(signature, describeError(error));
      this.#state.failure = describeError(error);
      const problem = `${this.#state.failure}; the state before is served`;
      this.#degraded.set('index', [{ game: undefined, problem }]);
      if (times === 1)
        log.error('dist not reloaded, serving the state before', { folder, error: this.#state.failure });
    }
  }

  /** @returns how often the state has failed in this way; 0 without faults */
  #countAttempt(signature: string, faults: string): number {
    const before = this.#tried;
    const isSame = signature === before.signature && faults === before.faults;
    const times = faults === '' ? 0 : isSame ? before.times + 1 : 1;
    this.#tried = { signature, faults, times, at: performance.now() };
    return times;
  }

  /** Reports and logs the games that are not loaded. */
  #report(catalog: Catalog): void {
    const parts = [...catalog.failures].map(([game, { message }]) => {
      const { builds = [], since } = catalog.find(game) ?? {};
      // Without its manifest, nobody may learn that there is such a game.
      const unserved = since === undefined ? 'this game is not served' : 'requests for this game get 503';
      const served = `build ${builds.map(({ build }) => build).join(', ')} is served`;
      return { game, problem: `${message}; ${builds.length > 0 ? served : unserved}` };
    });
    this.#degraded.set('index', parts);
    this.#state.failure = parts.map(({ game, problem }) => `${game}: ${problem}`).join('; ') || undefined;
    for (const { game, problem } of parts)
      this.#options.log.error('a game cannot be loaded', { game, error: problem });
  }
}

function isNamedIn({ loaded }: Catalog, file: string): boolean {
  return loaded.some(({ builds }) => builds.some((entry) => filesOf(entry).some((ref) => ref.file === file)));
}

/** Identifies the games of a state that cannot be loaded, and why. */
function faultsOf({ failures }: Catalog): string {
  return [...failures].map(([slug, { message }]) => `${slug} ${message}`).join('\n');
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
