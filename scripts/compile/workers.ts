import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { locateFindings } from '../check/report.ts';
import type { GamePlan } from '../dist/plan.ts';
import { type CheckName, errorAt, type Finding, type Place } from '../findings.ts';
import * as system from '../system.ts';
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
export type StartWorkers = (jobs: number, limits: system.Limits, startNow?: number) => Workers;

type Message =
  | { value: unknown }
  | { failure: Pick<Error, 'message' | 'stack'> }
  | (Step & { isStage: boolean });

/** The part of V8's heap for new objects. Evaluation makes many short-lived ones, which a smaller part would copy. */
const YOUNG_GENERATION_MEBIBYTES = 32;
const WORKER_ENDED = 'the process ended';
const POLL_INTERVAL_MS = 100;
/** A stage may take this many times its limit in real time, because it waits for a processor on a busy machine. */
const MAX_WAITING = 10;

/** Workers that are processes, because a thread that allocates too much memory at once ends the whole process in spite of its limits. */
export const startWorkers: StartWorkers = (jobs, limits, startNow = 1) => {
  const all = new Set<ChildProcess>();
  const waiting: ((worker: ChildProcess) => void)[] = [];
  const start = (): ChildProcess => {
    const worker = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
      serialization: 'advanced',
      execArgv: [
        ...process.execArgv,
        `--max-old-space-size=${limits.mebibytes}`,
        `--max-semi-space-size=${YOUNG_GENERATION_MEBIBYTES}`,
        // While it is smaller, objects that will soon be garbage are moved to the old generation.
        `--min-semi-space-size=${YOUNG_GENERATION_MEBIBYTES}`,
      ],
    });
    all.add(worker);
    return worker;
  };
  const idle = Array.from({ length: startNow }, start);
  const hasEnded = ({ exitCode, signalCode, killed }: ChildProcess) =>
    exitCode !== null || signalCode !== null || killed;
  const take = async (): Promise<ChildProcess> => {
    const worker = idle.pop();
    if (worker === undefined)
      return all.size < jobs ? start() : new Promise((resolve) => waiting.push(resolve));
    if (!hasEnded(worker)) return worker;
    // The system killed it while it waited.
    all.delete(worker);
    return await take();
  };
  /** Gives a worker to the next task. One that has ended is replaced if there is a task. */
  const give = (worker: ChildProcess) => {
    if (hasEnded(worker)) all.delete(worker);
    const next = waiting.shift();
    if (next) next(hasEnded(worker) ? start() : worker);
    else if (!hasEnded(worker)) idle.push(worker);
  };
  return {
    async run<T>(name: keyof typeof TASKS, task: Task, folder: string, onStep = (_: Step) => {}) {
      const worker = await take();
      let step: Step | undefined;
      let isLate = false;
      // Time in the queue does not count, because no stage has begun.
      let begun = Number.POSITIVE_INFINITY;
      let end = Number.POSITIVE_INFINITY;
      const timer = setInterval(() => {
        if (clockOf(worker.pid) - begun <= limits.seconds && performance.now() <= end) return;
        isLate = true;
        worker.kill('SIGKILL');
      }, POLL_INTERVAL_MS);
      try {
        const work = new Promise<T>((resolve, reject) => {
          worker.on('message', (message: Message) => {
            if ('value' in message) return resolve(message.value as T);
            if ('failure' in message) return reject(message.failure);
            step = message;
            onStep(message);
            if (!message.isStage) return;
            begun = clockOf(worker.pid);
            end = performance.now() + limits.seconds * 1000 * MAX_WAITING;
          });
          worker.on('exit', () => reject(new Error(WORKER_ENDED)));
          worker.send({ name, task });
        });
        return { value: await work };
      } catch (error) {
        return { findings: await describeFailure(isLate, system.errorOf(error), step, folder, limits) };
      } finally {
        clearInterval(timer);
        worker.removeAllListeners();
        give(worker);
      }
    },
    async close() {
      const ended = [...all].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
      for (const worker of all) worker.kill('SIGKILL');
      await Promise.all(ended);
      all.clear();
    },
  };
};

/** The unit of times in /proc on all architectures that Node.js supports (USER_HZ). */
const TICKS_A_SECOND = 100;

/** The processor time of a process in seconds, so that a busy machine is no fault; the time of day if the system does not report it. */
function clockOf(pid: number | undefined): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it is in parentheses, and may contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  } catch {
    return performance.now() / 1000;
  }
}

/** The finding about a game whose worker was killed or failed, at the worker's last step. */
async function describeFailure(
  isLate: boolean,
  { message, stack }: Error,
  step: Step | undefined,
  folder: string,
  { seconds, mebibytes }: system.Limits,
): Promise<Finding[]> {
  const place = step?.place ?? { file: path.posix.join(folder, 'game.json'), pointer: '', line: 1 };
  const report = async (check: CheckName, found: string, expected: string, fix: string) =>
    await locateFindings([errorAt(check, place, `${step?.doing ?? 'starting'}, ${found}`, expected, fix)]);
  if (isLate) {
    const fix = 'look for an expression that does not end, or allow more with --time-limit';
    const found = `when the limit of ${seconds} s was reached`;
    return await report('time-limit', found, `at most ${seconds} s of processor time for a build`, fix);
  }
  if (message === WORKER_ENDED) {
    const fix = 'look for a value that grows without end, or allow more with --memory-limit';
    const expected = `at most ${mebibytes} MiB of memory for a game`;
    return await report('memory-limit', 'when its process needed too much memory', expected, fix);
  }
  const limit = system.describeLimit(new Error(message));
  const fix = limit ? 'make room or raise the limit' : 'report it together with the file';
  return limit
    ? await report('system-limit', `when the system refused: ${limit}`, 'room and open files', fix)
    : await report('internal-error', `when gamedata itself failed: ${stack ?? message}`, 'a finding', fix);
}

/** Compiles games, several at once. */
export type Compiler = ReturnType<typeof startCompiler>;

/**
 * Starts a compiler.
 *
 * @param jobs the maximum number of games that are compiled at once
 * @param games how many games will be compiled: a worker starts at once for each, up to `jobs`
 * @param start starts the workers
 */
export function startCompiler(
  jobs: number,
  limits: system.Limits,
  games = 1,
  start: StartWorkers = startWorkers,
) {
  const workers = start(jobs, limits, Math.min(jobs, games));
  return {
    /**
     * Compiles and checks games, after downloading the files that their builds reference. A game cannot prevent others from being compiled: exceeding
     * its limits is a finding.
     *
     * @param data the folder of the game folders
     * @returns plans, findings (with lines) and the coverage of the newest builds that were compiled, in the order of `slugs`
     * @throws CommandError if files cannot be written
     */
    async compile(
      data: string,
      slugs: readonly string[],
      progress: system.Progress,
      options: CompileOptions = {},
    ) {
      const { upstream = { cache: system.DEFAULT_UPSTREAM_CACHE, allowLocal: false } } = options;
      const missing = new Map<string, Finding[]>();
      const compileOne = async (slug: string): Promise<Compiled> => {
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
        if (failure !== undefined) throw new system.CommandError(failure);
        if (compiled.value.value) progress.done(describePlan(compiled.value.value));
        return compiled.value;
      };
      const { provideReferences } = await import('../upstream/add/references.ts');
      for (const slug of slugs)
        missing.set(slug, await provideReferences(path.posix.join(data, slug), upstream));
      // The longest first: otherwise one worker could still be compiling it when the others are done.
      const work = new Map(slugs.map((slug) => [slug, estimateWork(path.join(data, slug))]));
      const longestFirst = [...work].sort(([, a], [, b]) => b - a).map(([slug]) => slug);
      const begun = new Map(longestFirst.map((slug) => [slug, compileOne(slug)]));
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

/** Estimates how long a game takes: most builds inherit most files of the one before. */
function estimateWork(folder: string): number {
  return system.sizeOfFolder(folder) * readdirSync(folder).length;
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
