import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Tinypool } from 'tinypool';
import { renamesBetween } from '../../scripts/diff/compare.ts';
import { type BuildEntry, descriptionOf, type GameDescription } from '../../scripts/format/dist-format.ts';
import { closePool } from '../../scripts/system.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import type { DiffOutcome, DiffTask } from './diff-worker.ts';
import { DistError } from './dist-files.ts';

const KEPT_BYTES = 32 * 1024 * 1024;
/** How many diffs may be computed or wait at once. */
const MAX_WAITING = 16;
/** How many of them may be for one account, so that others get their turn. */
const MAX_OF_ACCOUNT = 2;
/** In seconds. Most diffs take less. */
const RETRY_AFTER = 2;
/** The limits of computing a diff: MiB of JavaScript memory, and ms, including the waiting time. */
const MAX_MEBIBYTES = 512;
const MAX_MS = 30_000;
/** How long an idle process is kept. */
const IDLE_MS = 10_000;

type DiffedGame = GameDescription & { slug: string; builds: readonly BuildEntry[] };

/** Identifies what a diff is made from: the builds, and for what the game did not change, the dictionary, corrections and languages. */
export function tagOfDiff({ language, played_in, builds }: DiffedGame, from: BuildEntry, to: BuildEntry) {
  const { snapshot, attributes, amendments, diff } = to;
  const read = [from.snapshot.sha256, snapshot.sha256, attributes, amendments, diff, language, played_in];
  return hash('sha256', JSON.stringify([read, renamesBetween(builds, from, to)]));
}

/** How a diff is requested. `account` limits the account's diffs that are computed at once; it is undefined for pages. */
export interface DiffRequest extends Pick<DiffTask, 'form'> {
  account?: string | undefined;
}

/**
 * Returns diffs of builds. They are computed one at a time in a separate process, so that they neither delay requests nor use the gateway's memory.
 * Concurrent requests for the same diff compute it once; results are kept in a bounded cache.
 */
export class Differ {
  readonly #folder: string;
  readonly #log: Log;
  readonly #pool = new Tinypool({
    runtime: 'child_process',
    serialization: 'advanced',
    filename: new URL('./diff-worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    execArgv: [...process.execArgv, `--max-old-space-size=${MAX_MEBIBYTES}`],
  });
  readonly #underWay = new Map<string, { account: string | undefined; computing: Promise<Buffer> }>();
  readonly #diffs = new LRUCache<string, Buffer>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (bytes, key) => bytes.length + key.length,
  });

  #last: Promise<unknown> = Promise.resolve();

  /** @param folder dist/ */
  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
    // A worker that dies while idle is replaced when there is work. If it dies at work, that work fails.
    this.#pool.on('error', () => {});
  }

  /**
   * Returns the differences between two builds of a game, as JSON.
   *
   * @throws DistError when a file cannot be read
   * @throws HttpProblem `quota-exceeded` if the account has two diffs under way, `unavailable` if too many others wait or the diff exceeds its limits
   */
  async diff(
    game: DiffedGame,
    from: BuildEntry,
    to: BuildEntry,
    { form, account }: DiffRequest,
  ): Promise<Buffer> {
    const renamed = renamesBetween(game.builds, from, to);
    const key = `${form} ${tagOfDiff(game, from, to)}`;
    const earlier = this.#diffs.get(key) ?? this.#underWay.get(key)?.computing;
    if (earlier) return await earlier;
    if (this.#underWay.size >= MAX_WAITING)
      throw unavailable('many other diffs are being computed right now');
    const others = [...this.#underWay.values()].filter((each) => each.account === account);
    if (account !== undefined && others.length >= MAX_OF_ACCOUNT)
      throw new HttpProblem(
        'quota-exceeded',
        `${MAX_OF_ACCOUNT} other diffs are being computed for this account; ask again in ${RETRY_AFTER} s, and for one after the other`,
        { 'violated-policies': ['diffs'] },
        { 'Retry-After': RETRY_AFTER },
      );
    const about = { slug: game.slug, facts: descriptionOf(game) };
    const task = { folder: this.#folder, ...about, from, to, form, renamed };
    const signal = AbortSignal.timeout(MAX_MS);
    // One at a time: what waits in the pool would die with its process.
    const computing = this.#last
      .then(() => this.#compute(task, signal))
      .finally(() => this.#underWay.delete(key));
    this.#last = computing.catch(() => {});
    this.#underWay.set(key, { account, computing });
    const json = await computing;
    this.#diffs.set(key, json);
    return json;
  }

  async close(): Promise<void> {
    await closePool(this.#pool);
  }

  async #compute(task: DiffTask, signal: AbortSignal): Promise<Buffer> {
    let outcome: DiffOutcome;
    try {
      outcome = await this.#pool.run(task, { signal });
    } catch (error) {
      const [from, to] = [task.from.build, task.to.build];
      this.#log.error('a diff could not be computed', { game: task.slug, from, to, error: String(error) });
      throw unavailable('this diff cannot be computed right now');
    }
    if ('damage' in outcome) throw new DistError(outcome.damage);
    const { buffer, byteOffset, byteLength } = outcome.json;
    return Buffer.from(buffer, byteOffset, byteLength);
  }
}
