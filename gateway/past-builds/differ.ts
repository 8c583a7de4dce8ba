import { LRUCache } from 'lru-cache';
import { Tinypool } from 'tinypool';
import type { BuildEntry } from '../../scripts/format/dist-format.ts';
import { DistError } from '../catalog/dist-folder.ts';
import { unavailable } from '../http/problem.ts';
import type { Log } from '../log/log.ts';
import type { DiffForm, DiffOutcome, DiffTask } from './diff-worker.ts';

/** Computes diffs of builds. */
export interface Differ {
  /**
   * How two builds of a game differ, as JSON.
   *
   * @throws DistError when a file cannot be read
   * @throws HttpProblem `unavailable` when too many others are waiting, or it takes more than it may
   */
  diff(
    game: { slug: string; title: string },
    from: BuildEntry,
    to: BuildEntry,
    form: DiffForm,
  ): Promise<Buffer>;
  close(): Promise<void>;
}

const KEPT_BYTES = 32 * 1024 * 1024;
/** Diffs that are computed or wait to be, in all. */
const MOST_WAITING = 16;
/** What computing may take, in MiB of JavaScript memory, and in ms. */
const MOST_MEBIBYTES = 512;
const LONGEST_MS = 30_000;
/** How long a worker without work stays, in ms. */
const IDLE_MS = 10_000;

const BUSY = 'many other diffs are being computed right now';

/**
 * Makes a differ. Diffs are computed one after the other in a process of their own, so that they neither hold a request up nor can take
 * the gateway's memory; one that several ask for at once is computed once, and what was computed is kept as far as there is room.
 *
 * @param folder the dist/ folder
 */
export function createDiffer(folder: string, log: Log): Differ {
  const kept = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (bytes, key) => bytes.length + key.length,
  });
  const underWay = new Map<string, Promise<Buffer>>();
  const pool = new Tinypool({
    runtime: 'child_process',
    serialization: 'advanced',
    filename: new URL('./diff-worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    execArgv: [...process.execArgv, `--max-old-space-size=${MOST_MEBIBYTES}`],
  });
  // A worker that dies without work is replaced when there is work; one that dies at work fails that work.
  pool.on('error', () => {});
  let last: Promise<unknown> = Promise.resolve();

  async function run(task: DiffTask, signal: AbortSignal): Promise<DiffOutcome> {
    if (signal.aborted) throw unavailable(BUSY);
    try {
      return (await pool.run(task, { signal })) as DiffOutcome;
    } catch (error) {
      log.error('a diff could not be computed', {
        game: task.slug,
        from: task.from.build,
        to: task.to.build,
        error: String(error),
      });
      throw unavailable('this diff cannot be computed right now');
    }
  }

  async function compute(task: DiffTask, signal: AbortSignal): Promise<Buffer> {
    const outcome = await run(task, signal);
    if ('damage' in outcome) throw new DistError(outcome.damage);
    const { buffer, byteOffset, byteLength } = outcome.json;
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  return {
    async diff({ slug, title }, from, to, form) {
      // A snapshot holds all that a diff is made of.
      const key = `${form} ${from.snapshot.sha256} ${to.snapshot.sha256}`;
      const known = kept.get(key) ?? underWay.get(key);
      if (known) return await known;
      if (underWay.size >= MOST_WAITING) {
        throw unavailable(BUSY);
      }
      // From now on: who waits for others waits no longer than for its own.
      const signal = AbortSignal.timeout(LONGEST_MS);
      const computing = last.then(() => compute({ folder, slug, title, from, to, form }, signal));
      last = computing.catch(() => {});
      underWay.set(key, computing);
      try {
        const json = await computing;
        kept.set(key, json);
        return json;
      } finally {
        underWay.delete(key);
      }
    },
    close: () => pool.destroy(),
  };
}
