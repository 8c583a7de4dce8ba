import { LRUCache } from 'lru-cache';
import { Tinypool } from 'tinypool';
import { renamesBetween } from '../../scripts/diff/compare.ts';
import { type BuildEntry, factsOf, type GameFacts } from '../../scripts/format/dist-format.ts';
import { closePool, describeSystemError, probeFiles } from '../../scripts/system.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import type { DiffForm, DiffOutcome, DiffTask } from './diff-worker.ts';
import { DistError } from './dist-files.ts';

const KEPT_BYTES = 32 * 1024 * 1024;
/** The most diffs that are computed or wait to be computed. */
const MAX_WAITING = 16;
/** The most of them for one account: the others have their turn. */
const MAX_OF_ACCOUNT = 2;
/** In seconds: most diffs take less. */
const RETRY_AFTER = 2;
/** The limits of computing a diff: MiB of JavaScript memory, and ms, waiting time included. */
const MAX_MEBIBYTES = 512;
const MAX_MS = 30_000;
/** How long a process without work stays. */
const IDLE_MS = 10_000;
/** More files than starting a process opens. */
const PROCESS_FILES = 24;
/** The error for clients while other diffs are computed. */
const BUSY = 'many other diffs are being computed right now';

/**
 * Returns diffs of builds. They are computed one after another in a separate process, so that they neither delay requests nor use the
 * gateway's memory. Concurrent requests for one diff compute it once, and results are cached within a bound.
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

  /** @param folder the dist/ folder */
  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
    // A worker that dies while idle is replaced when there is work. One that dies at work fails that work.
    this.#pool.on('error', () => {});
  }

  /**
   * Returns the differences between two builds of a game, as JSON.
   *
   * @param account whose part of the process it uses; undefined for pages
   * @throws DistError when a file cannot be read
   * @throws HttpProblem `quota-exceeded` when the account has two under way, `unavailable` when too many others are waiting, or it exceeds its limits
   */
  async diff(
    game: GameFacts & { slug: string; builds: readonly BuildEntry[] },
    from: BuildEntry,
    to: BuildEntry,
    form: DiffForm,
    account?: string,
  ): Promise<Buffer> {
    const renamed = renamesBetween(game.builds, from, to);
    // A snapshot contains everything that a diff is made from.
    const key = `${form} ${from.snapshot.sha256} ${to.snapshot.sha256} ${JSON.stringify(renamed)}`;
    const earlier = this.#diffs.get(key) ?? this.#underWay.get(key)?.computing;
    if (earlier) return await earlier;
    if (this.#underWay.size >= MAX_WAITING) throw unavailable(BUSY);
    const others = [...this.#underWay.values()].filter((each) => each.account === account);
    if (account !== undefined && others.length >= MAX_OF_ACCOUNT) throw refuse();
    const { slug } = game;
    const task = { folder: this.#folder, slug, facts: factsOf(game), from, to, form, renamed };
    const computing = this.#computeInTurn(task).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, { account, computing });
    const json = await computing;
    this.#diffs.set(key, json);
    return json;
  }

  async close(): Promise<void> {
    await closePool(this.#pool);
  }

  #computeInTurn(task: DiffTask): Promise<Buffer> {
    const signal = AbortSignal.timeout(MAX_MS);
    const computing = this.#last.then(() => this.#compute(task, signal));
    this.#last = computing.catch(() => {});
    return computing;
  }

  async #compute(task: DiffTask, signal: AbortSignal): Promise<Buffer> {
    if (signal.aborted) throw unavailable(BUSY);
    let outcome: DiffOutcome;
    try {
      const refused = this.#pool.threads.length === 0 ? probeFiles(PROCESS_FILES) : undefined;
      if (refused) throw new Error(describeSystemError(refused));
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

function refuse(): HttpProblem {
  return new HttpProblem(
    'quota-exceeded',
    `${MAX_OF_ACCOUNT} other diffs are being computed for this account; ask again in ${RETRY_AFTER} s, and for one after the other`,
    { 'violated-policies': ['diffs'] },
    {
      'RateLimit-Policy': `"diffs";q=${MAX_OF_ACCOUNT};qu="concurrent-requests"`,
      RateLimit: '"diffs";r=0',
      'Retry-After': RETRY_AFTER,
    },
  );
}
