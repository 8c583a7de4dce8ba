import { LRUCache } from 'lru-cache';
import { renamesBetween } from '../../../scripts/shared/patches/renames-between.ts';
import type { BuildEntry } from '../../../scripts/core/format/dist-format.ts';
import { unavailable } from '../http/problem.ts';
import type { Log } from '../log/log.ts';
import { BUSY, DiffProcess } from './diff-process.ts';
import type { DiffForm } from './diff-worker.ts';

/** Options of a differ. */
export interface DifferOptions {
  /** The dist/ folder. */
  folder: string;
  log: Log;
}

const KEPT_BYTES = 32 * 1024 * 1024;
/** The most diffs that are computed or wait to be computed. */
const MAX_WAITING = 16;

/** Returns diffs of builds. Concurrent requests for one diff compute it once, and results are cached within a bound. */
export class Differ {
  readonly #folder: string;
  readonly #process: DiffProcess;
  readonly #underWay = new Map<string, Promise<Buffer>>();
  readonly #diffs = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (bytes, key) => bytes.length + key.length,
  });

  constructor({ folder, log }: DifferOptions) {
    this.#folder = folder;
    this.#process = new DiffProcess({ log });
  }

  /**
   * Returns the differences between two builds of a game, as JSON.
   *
   * @throws DistError when a file cannot be read
   * @throws HttpProblem `unavailable` when too many others are waiting, or it exceeds its limits
   */
  async diff(
    { slug, title, builds }: { slug: string; title: string; builds: readonly BuildEntry[] },
    from: BuildEntry,
    to: BuildEntry,
    form: DiffForm,
  ): Promise<Buffer> {
    // A snapshot contains everything that a diff is made from.
    const renamed = renamesBetween(builds, from, to);
    const key = `${form} ${from.snapshot.sha256} ${to.snapshot.sha256} ${JSON.stringify(renamed)}`;
    const earlier = this.#diffs.get(key) ?? this.#underWay.get(key);
    if (earlier) return await earlier;
    if (this.#underWay.size >= MAX_WAITING) throw unavailable(BUSY);
    return await this.#keep(
      key,
      this.#process.compute({ folder: this.#folder, slug, title, from, to, form, renamed }),
    );
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #keep(key: string, computing: Promise<Buffer>): Promise<Buffer> {
    this.#underWay.set(key, computing);
    try {
      const json = await computing;
      this.#diffs.set(key, json);
      return json;
    } finally {
      this.#underWay.delete(key);
    }
  }
}
