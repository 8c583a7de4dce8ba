import { LRUCache } from 'lru-cache';
import { Tinypool } from 'tinypool';
import { renamesBetween } from '../../scripts/diff/compare.ts';
import { type BuildEntry, factsOf, type GameFacts } from '../../scripts/format/dist-format.ts';
import { closePool, describeSystemError, probeFiles } from '../../scripts/system.ts';
import type { Log } from '../http/log.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import type { DiffForm, DiffOutcome, DiffTask } from './diff-worker.ts';
import { DistError } from './dist-files.ts';

/** Options of a differ. */
export interface DifferOptions {
  /** The dist/ folder. */
  folder: string;
  log: Log;
}

const KEPT_BYTES = 32 * 1024 * 1024;
/** The most diffs that are computed or wait to be computed. */
const MAX_WAITING = 16;
/** The most of them for one account: the others have their turn. */
const MAX_OF_ACCOUNT = 2;
/** In seconds: most diffs take less. */
const RETRY_AFTER = 2;

/** Returns diffs of builds. Concurrent requests for one diff compute it once, and results are cached within a bound. */
export class Differ {
  readonly #folder: string;
  readonly #process: DiffProcess;
  readonly #underWay = new Map<string, Promise<Buffer>>();
  /** How many diffs are under way for an account. */
  readonly #ofAccounts = new Map<string, number>();
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
   * @param account whose part of the process it uses; undefined for pages
   * @throws HttpProblem `quota-exceeded` when the account has two under way, `unavailable` when too many others are waiting, or it exceeds its limits
   */
  async diff(
    game: GameFacts & { slug: string; builds: readonly BuildEntry[] },
    from: BuildEntry,
    to: BuildEntry,
    form: DiffForm,
    account?: string,
  ): Promise<Buffer> {
    // A snapshot contains everything that a diff is made from.
    const { slug } = game;
    const renamed = renamesBetween(game.builds, from, to);
    const key = `${form} ${from.snapshot.sha256} ${to.snapshot.sha256} ${JSON.stringify(renamed)}`;
    const earlier = this.#diffs.get(key) ?? this.#underWay.get(key);
    if (earlier) return await earlier;
    if (this.#underWay.size >= MAX_WAITING) throw unavailable(BUSY);
    const make = () =>
      this.#keep(
        key,
        this.#process.compute({ folder: this.#folder, slug, facts: factsOf(game), from, to, form, renamed }),
      );
    return await (account === undefined ? make() : this.#countFor(account, make));
  }

  async #countFor(account: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const count = this.#ofAccounts.get(account) ?? 0;
    if (count >= MAX_OF_ACCOUNT) throw refuse();
    this.#ofAccounts.set(account, count + 1);
    try {
      return await make();
    } finally {
      const left = (this.#ofAccounts.get(account) ?? 1) - 1;
      if (left > 0) this.#ofAccounts.set(account, left);
      else this.#ofAccounts.delete(account);
    }
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

/** The limits of computing a diff: MiB of JavaScript memory, and ms. */
const MAX_MEBIBYTES = 512;
const MAX_MS = 30_000;
/** How long a process without work stays. */
const IDLE_MS = 10_000;

/** More files than starting a process opens. */
const PROCESS_FILES = 24;

/** The error for clients while other diffs are computed. */
const BUSY = 'many other diffs are being computed right now';

/**
 * Computes diffs one after another in a separate process, so that they neither delay requests nor use the gateway's memory.
 */
export class DiffProcess {
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
  #last: Promise<unknown> = Promise.resolve();

  constructor({ log }: { log: Log }) {
    this.#log = log;
    // A worker that dies while idle is replaced when there is work. One that dies at work fails that work.
    this.#pool.on('error', () => {});
  }

  /**
   * Computes a diff after those that were requested before.
   *
   * @returns its JSON
   * @throws DistError when a file cannot be read
   * @throws HttpProblem `unavailable` when it exceeds its limits, waiting time included
   */
  compute(task: DiffTask): Promise<Buffer> {
    const signal = AbortSignal.timeout(MAX_MS);
    const computing = this.#last.then(() => this.#compute(task, signal));
    this.#last = computing.catch(() => {});
    return computing;
  }

  async close(): Promise<void> {
    await closePool(this.#pool);
  }

  async #compute(task: DiffTask, signal: AbortSignal): Promise<Buffer> {
    if (signal.aborted) throw unavailable(BUSY);
    const outcome = await this.#run(task, signal);
    if ('damage' in outcome) throw new DistError(outcome.damage);
    const { buffer, byteOffset, byteLength } = outcome.json;
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  async #run(task: DiffTask, signal: AbortSignal): Promise<DiffOutcome> {
    try {
      const refused = this.#pool.threads.length === 0 ? probeFiles(PROCESS_FILES) : undefined;
      if (refused) throw new Error(describeSystemError(refused));
      return (await this.#pool.run(task, { signal })) as DiffOutcome;
    } catch (error) {
      this.#log.error('a diff could not be computed', {
        game: task.slug,
        from: task.from.build,
        to: task.to.build,
        error: String(error),
      });
      throw unavailable('this diff cannot be computed right now');
    }
  }
}
