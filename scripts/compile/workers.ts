import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildCoverage } from '../check/coverage.ts';
import { locateFindings } from '../check/report.ts';
import type { GamePlan } from '../dist/plan.ts';
import { type CheckName, errorAt, type Finding, type Place, type WithFindings } from '../findings.ts';
import {
  CommandError,
  DEFAULT_UPSTREAM_CACHE,
  describeLimit,
  errorOf,
  type Limits,
  type Progress,
  sizeOfFolder,
} from '../system.ts';
import { countOf } from '../text.ts';
import type { CompileOptions } from './game.ts';
import type { Compiled, TASKS, Task } from './tasks.ts';

/** The current step of a worker: the start of a sentence, such as "evaluating data/x/game.json /roster/entry", and its place. */
interface Step {
  doing: string;
  place: Place;
}

/** Processes that work on games, each within limits. */
interface Workers {
  /**
   * Runs a task in a worker.
   *
   * @param folder the game's folder
   * @param onStep receives the steps of the worker
   * @returns the task's result; or a finding with its line if the task exceeded its limits or failed
   */
  run<T>(
    name: keyof typeof TASKS,
    task: Task,
    folder: string,
    onStep?: (step: Step) => void,
  ): Promise<{ value: T } | { findings: Finding[] }>;
  close(): Promise<void>;
}

/** Starts up to `jobs` workers, `startNow` of them at once. */
export type StartWorkers = (jobs: number, limits: Limits, startNow?: number) => Workers;

export const startWorkers: StartWorkers = (...options) => new ProcessWorkers(...options);

type Message =
  | { value: unknown }
  | { failure: Pick<Error, 'message' | 'stack'> }
  | (Step & { isStage: boolean });

/** The part of V8's heap for new objects. Evaluation makes many short-lived ones, which a smaller part would copy. */
const YOUNG_GENERATION_MEBIBYTES = 32;
const POLL_INTERVAL_MS = 100;
/** A stage may take this many times its limit in real time, because it waits for a processor on a busy machine. */
const MAX_WAITING = 10;

/** Workers that are processes, because a thread that allocates too much memory at once ends the whole process in spite of its limits. */
class ProcessWorkers implements Workers {
  readonly #jobs: number;
  readonly #limits: Limits;
  readonly #all = new Set<ChildProcess>();
  readonly #idle: ChildProcess[] = [];
  readonly #waiting: ((worker: ChildProcess) => void)[] = [];

  /**
   * @param jobs the maximum number of workers
   * @param startNow how many start at once; the others start when there is a task for them
   */
  constructor(jobs: number, limits: Limits, startNow = 1) {
    this.#jobs = jobs;
    this.#limits = limits;
    for (let count = 0; count < startNow; count++) this.#idle.push(this.#start());
  }

  async run<T>(
    name: keyof typeof TASKS,
    task: Task,
    folder: string,
    onStep: (step: Step) => void = () => {},
  ): Promise<{ value: T } | { findings: Finding[] }> {
    const worker = await this.#take();
    let step: Step | undefined;
    const watch = new StageWatch(worker, this.#limits.seconds);
    try {
      const work = new Promise<T>((resolve, reject) => {
        worker.on('message', (message: Message) => {
          if ('value' in message) resolve(message.value as T);
          else if ('failure' in message) reject(message.failure);
          else {
            step = message;
            onStep(message);
            if (message.isStage) watch.begin();
          }
        });
        worker.on('exit', () => reject(new Error(WORKER_ENDED)));
        worker.send({ name, task });
      });
      return { value: await work };
    } catch (error) {
      return { findings: await describeFailure(watch.isLate, errorOf(error), step, folder, this.#limits) };
    } finally {
      watch.stop();
      worker.removeAllListeners();
      this.#give(worker);
    }
  }

  async close(): Promise<void> {
    const ended = [...this.#all].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of this.#all) worker.kill('SIGKILL');
    await Promise.all(ended);
    this.#all.clear();
  }

  #start(): ChildProcess {
    const worker = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
      serialization: 'advanced',
      execArgv: [
        ...process.execArgv,
        `--max-old-space-size=${this.#limits.mebibytes}`,
        `--max-semi-space-size=${YOUNG_GENERATION_MEBIBYTES}`,
      ],
    });
    this.#all.add(worker);
    return worker;
  }

  async #take(): Promise<ChildProcess> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.size < this.#jobs) return this.#start();
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a worker to the next task. One that has ended is replaced if there is a task. */
  #give(worker: ChildProcess): void {
    const hasEnded = worker.exitCode !== null || worker.signalCode !== null || worker.killed;
    if (hasEnded) this.#all.delete(worker);
    const next = this.#waiting.shift();
    if (next) next(hasEnded ? this.#start() : worker);
    else if (!hasEnded) this.#idle.push(worker);
  }
}

/** Kills a worker whose stage takes too long. Time in the queue does not count, because no stage has begun. */
class StageWatch {
  isLate = false;
  readonly #pid: number | undefined;
  readonly #timer: NodeJS.Timeout;
  #worked: number | undefined;
  #begun = Number.POSITIVE_INFINITY;

  /** @param seconds of processor time, so that a slow or busy machine is not a fault; of real time if the system does not report processor time */
  constructor(worker: ChildProcess, seconds: number) {
    this.#pid = worker.pid;
    this.#timer = setInterval(() => {
      const lasted = performance.now() / 1000 - this.#begun;
      const spent = this.#worked === undefined ? lasted : (processorTime(this.#pid) ?? 0) - this.#worked;
      if (lasted < 0 || (spent <= seconds && lasted <= seconds * MAX_WAITING)) return;
      this.isLate = true;
      worker.kill('SIGKILL');
    }, POLL_INTERVAL_MS);
  }

  begin(): void {
    this.#worked = processorTime(this.#pid);
    this.#begun = performance.now() / 1000;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** The unit of times in /proc on all architectures that Node.js supports (USER_HZ). */
const TICKS_A_SECOND = 100;

/** The processor time of a process in seconds; undefined if the system does not report it. */
function processorTime(pid: number | undefined): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it is in parentheses, and may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  } catch {
    return undefined;
  }
}

const WORKER_ENDED = 'the process ended';

/** The finding about a game whose worker was killed or failed, at the worker's last step. */
async function describeFailure(
  isLate: boolean,
  { message, stack }: Error,
  step: Step | undefined,
  folder: string,
  { seconds, mebibytes }: Limits,
): Promise<Finding[]> {
  const doing = step?.doing ?? 'starting';
  const place = step?.place ?? { file: path.posix.join(folder, 'game.json'), pointer: '', line: 1 };
  const limit = describeLimit(new Error(message));
  const problem: [check: CheckName, found: string, expected: string, fix: string] = isLate
    ? [
        'time-limit',
        `when the limit of ${seconds} s was reached`,
        `at most ${seconds} s of processor time for a build`,
        'look for an expression that does not end, or allow more with --time-limit',
      ]
    : message === WORKER_ENDED
      ? [
          'memory-limit',
          'when its process needed too much memory',
          `at most ${mebibytes} MiB of memory for a game`,
          'look for a value that grows without end, or allow more with --memory-limit',
        ]
      : limit !== undefined
        ? [
            'system-limit',
            `when the system refused: ${limit}`,
            'room on the disk, and enough open files',
            'make room or raise the limit',
          ]
        : [
            'internal-error',
            `when gamedata itself failed: ${stack ?? message}`,
            'a finding about the data',
            'report it together with the file',
          ];
  const [check, found, ...rest] = problem;
  return await locateFindings([errorAt(check, place, `${doing}, ${found}`, ...rest)]);
}

/** The plans of games, their findings, and the coverage of the newest builds that were compiled. */
type CompiledGames = WithFindings<GamePlan[]> & { coverage: BuildCoverage[] };

/** Compiles games, several at once. */
export interface Compiler {
  /**
   * Compiles and checks games, after downloading the files that their builds reference. A game cannot prevent others from being compiled: exceeding
   * its limits is a finding.
   *
   * @param data the folder of the game folders
   * @returns plans and findings (with lines) in the order of `slugs`; a game without a plan has only findings
   * @throws CommandError if files cannot be written
   */
  compile(
    data: string,
    slugs: readonly string[],
    progress: Progress,
    options?: CompileOptions,
  ): Promise<CompiledGames>;
  close(): Promise<void>;
}

/**
 * Starts a compiler.
 *
 * @param jobs the maximum number of games that are compiled at once
 * @param games how many games will be compiled: a worker starts at once for each, up to `jobs`
 * @param start starts the workers
 */
export function startCompiler(
  jobs: number,
  limits: Limits,
  games = 1,
  start: StartWorkers = startWorkers,
): Compiler {
  const workers = start(jobs, limits, Math.min(jobs, games));
  return {
    async compile(data, slugs, progress, options = {}) {
      const { upstream = { cache: DEFAULT_UPSTREAM_CACHE, allowLocal: false }, only } = options;
      const missing = new Map<string, Finding[]>();
      const compileOnce = async (slug: string): Promise<Compiled> => {
        const folder = path.posix.join(data, slug);
        const notFetched = missing.get(slug) ?? [];
        if (notFetched.length > 0) return { value: undefined, findings: await locateFindings(notFetched) };
        const compiled = await workers.run<Compiled>(
          'compile',
          { folder, slug, options },
          folder,
          ({ doing }) => progress.step(`${slug}: ${doing}`),
        );
        if ('findings' in compiled) return { value: undefined, findings: compiled.findings };
        const { failure } = compiled.value;
        if (failure !== undefined) throw new CommandError(failure);
        if (compiled.value.value) progress.done(describePlan(compiled.value.value));
        return compiled.value;
      };
      const { provideReferences } = await import('../upstream/add/references.ts');
      const provide = async (slug: string) =>
        missing.set(slug, await provideReferences(path.posix.join(data, slug), upstream, only));
      const compileOne = async (slug: string): Promise<Compiled> => {
        const compiled = await compileOnce(slug);
        const isDamaged = compiled.findings.some(({ check }) => check === 'upstream-file');
        if (!isDamaged || missing.get(slug)?.length !== 0) return compiled;
        // Reading removed the damaged copies; they are downloaded again, once.
        await provide(slug);
        return await compileOnce(slug);
      };
      for (const slug of slugs) await provide(slug);
      // The largest first: otherwise one worker could still be compiling it when the others are done.
      const sizes = new Map(slugs.map((slug) => [slug, sizeOfFolder(path.join(data, slug))]));
      const largestFirst = [...sizes].sort(([, a], [, b]) => b - a).map(([slug]) => slug);
      const begun = new Map(largestFirst.map((slug) => [slug, compileOne(slug)]));
      // After a failure no worker may still be writing.
      await Promise.allSettled(begun.values());
      const outcomes = await Promise.all(slugs.flatMap((slug) => begun.get(slug) ?? []));
      return {
        value: outcomes.flatMap(({ value }) => value ?? []),
        findings: outcomes.flatMap(({ findings }) => findings),
        coverage: outcomes.flatMap(({ coverage }) => coverage ?? []),
      };
    },
    close: () => workers.close(),
  };
}

function describePlan({ slug, entries }: GamePlan): string {
  const newest = entries.at(-1);
  const parts = [
    countOf(entries.length, 'build'),
    countOf(newest?.characters.count ?? 0, 'character'),
    countOf(newest?.datasets.length ?? 0, 'dataset'),
  ];
  return `${slug}: ${parts.join(', ')}`;
}
