import { setTimeout as wait } from 'node:timers/promises';
import type { FileRef } from '../../scripts/format/dist-format.ts';
import { inParallel, isSystemError } from '../../scripts/system.ts';
import type { Log } from '../http/log.ts';
import { DistError } from '../data/dist-folder.ts';

/** Options of an ArchiveFetcher. */
export interface ArchiveFetcherOptions {
  /** Fetches a file unless it is there. Rejects with a DistError. */
  fetch: (ref: FileRef) => Promise<void>;
  /** Called when all files of a game are there. */
  finish: (slug: string, manifest: FileRef) => Promise<void>;
  log: Log;
  /** How long to wait before files that could not be fetched are tried again, in ms. */
  retryMs?: number;
}

interface Archive {
  manifest: FileRef;
  files: readonly FileRef[];
}

/** How many files are fetched at once: requests that need one are not to wait long for it. */
const AT_ONCE = 4;
const RETRY_MS = 10_000;

/** Fetches the files of a copy that no request needs at once, such as snapshots and past builds, while the others are served. */
export class ArchiveFetcher {
  readonly #options: ArchiveFetcherOptions;
  readonly #waiting = new Map<string, Archive>();
  readonly #end = new AbortController();
  #running: Promise<void> | undefined;
  #reported = '';

  constructor(options: ArchiveFetcherOptions) {
    this.#options = options;
  }

  /** Returns whether files of a game are missing. */
  has(slug: string): boolean {
    return this.#waiting.has(slug);
  }

  /** Notes which files of a game are missing: those of its newest manifest, or none. */
  set(slug: string, manifest: FileRef, files: readonly FileRef[]): void {
    if (files.length > 0) this.#waiting.set(slug, { manifest, files });
    else this.#waiting.delete(slug);
  }

  /** Begins to fetch what is missing, unless that is under way. */
  start(): void {
    if (this.#waiting.size === 0) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Fetches nothing more. */
  close(): void {
    this.#end.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    const { log, retryMs = RETRY_MS } = this.#options;
    while (!signal.aborted) {
      for (const [slug, archive] of this.#waiting) await this.#fetchGame(slug, archive);
      if (this.#waiting.size === 0) {
        log.info('past builds fetched');
        return;
      }
      await wait(retryMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #fetchGame(slug: string, archive: Archive): Promise<void> {
    const { fetch, finish } = this.#options;
    try {
      await inParallel(archive.files, AT_ONCE, async (ref) => {
        if (!this.#end.signal.aborted) await fetch(ref);
      });
      if (this.#end.signal.aborted || this.#waiting.get(slug) !== archive) return;
      this.#waiting.delete(slug);
      await finish(slug, archive.manifest);
    } catch (error) {
      if (!(error instanceof DistError || isSystemError(error))) throw error;
      this.#report(error.message);
    }
  }

  #report(problem: string): void {
    if (problem !== this.#reported && !this.#end.signal.aborted)
      this.#options.log.error('past builds not fetched yet', { error: problem });
    this.#reported = problem;
  }
}
