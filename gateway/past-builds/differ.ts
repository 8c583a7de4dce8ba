import { LRUCache } from 'lru-cache';
import type { BuildEntry } from '../../scripts/format/dist-format.ts';
import { unavailable } from '../http/problem.ts';
import type { Log } from '../log/log.ts';
import { BUSY, DiffProcess } from './diff-process.ts';
import type { DiffForm } from './diff-worker.ts';

/** What a differ takes. */
export interface DifferOptions {
  /** The dist/ folder. */
  folder: string;
  log: Log;
}

const KEPT_BYTES = 32 * 1024 * 1024;
/** Diffs that are computed or wait to be, in all. */
const MAX_WAITING = 16;

/** Gives diffs of builds: one that several ask for at once is computed once, and what was computed is kept as far as there is room. */
export class Differ {
  readonly #folder: string;
  readonly #process: DiffProcess;
  readonly #underWay = new Map<string, Promise<Buffer>>();
  readonly #kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (bytes, key) => bytes.length + key.length,
  });

  constructor({ folder, log }: DifferOptions) {
    this.#folder = folder;
    this.#process = new DiffProcess({ log });
  }

  /**
   * How two builds of a game differ, as JSON.
   *
   * @throws DistError when a file cannot be read
   * @throws HttpProblem `unavailable` when too many others are waiting, or it takes more than it may
   */
  async diff(
    { slug, title }: { slug: string; title: string },
    from: BuildEntry,
    to: BuildEntry,
    form: DiffForm,
  ): Promise<Buffer> {
    // A snapshot holds all that a diff is made of.
    const key = `${form} ${from.snapshot.sha256} ${to.snapshot.sha256}`;
    const known = this.#kept.get(key) ?? this.#underWay.get(key);
    if (known) return await known;
    if (this.#underWay.size >= MAX_WAITING) throw unavailable(BUSY);
    return await this.#keep(
      key,
      this.#process.compute({ folder: this.#folder, slug, title, from, to, form }),
    );
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #keep(key: string, computing: Promise<Buffer>): Promise<Buffer> {
    this.#underWay.set(key, computing);
    try {
      const json = await computing;
      this.#kept.set(key, json);
      return json;
    } finally {
      this.#underWay.delete(key);
    }
  }
}
