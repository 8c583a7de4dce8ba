import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Tinypool } from 'tinypool';
import type { Finding } from '../findings/findings.ts';
import { CommandError } from '../lib/command-error.ts';
import { isSystemError } from '../lib/system-error.ts';
import { failureFinding } from '../watchdog/failure-finding.ts';
import type { Limits } from '../watchdog/limits.ts';
import { readStep, type Step } from '../watchdog/step-file.ts';
import { watchSteps } from '../watchdog/watch-steps.ts';
import { startGuard } from './guard.ts';

/** Processes that work on games, each within limits. */
export interface Workers {
  /**
   * Has a worker do a task.
   *
   * @param name of the function of tasks.ts
   * @param folder the game's folder
   * @param tell gets the step that the worker is at, a few times a second
   * @returns what the function gave; a finding (with its line) where it exceeded its limits or failed
   */
  run<T>(
    name: string,
    task: object,
    folder: string,
    tell?: (step: Step) => void,
  ): Promise<{ value: T } | { findings: Finding[] }>;
  /** Ends the workers. */
  close(): Promise<void>;
}

/** Starts workers, as `startWorkers` does. */
export type StartWorkers = (jobs: number, limits: Limits, atOnce?: number) => Workers;

/** How long it may take to find the line of one place, in milliseconds. */
const LONGEST_LOCATE = 60_000;

/** The half of V8's heap for what is new: evaluating makes much that is soon gone, and with less room it is copied before. */
const NURSERY_MEBIBYTES = 32;

/**
 * Starts workers.
 *
 * They are processes and not threads: a thread that asks for too much memory in one piece takes the whole process with it, whatever its
 * resource limits say.
 *
 * @param jobs how many at most
 * @param atOnce how many of them start now; each of the others when there is a task for it
 * @throws CommandError where the system's folder for temporary files cannot be used
 */
export function startWorkers(jobs: number, limits: Limits, atOnce = 1): Workers {
  const steps = makeStepsFolder();
  const pool = new Tinypool({
    runtime: 'child_process',
    serialization: 'advanced',
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: atOnce,
    maxThreads: jobs,
    execArgv: [
      ...process.execArgv,
      `--max-old-space-size=${limits.mebibytes}`,
      `--max-semi-space-size=${NURSERY_MEBIBYTES}`,
    ],
  });
  const guard = startGuard();
  let tasks = 0;

  /** What a worker's function gives; the worker ends with this process even when the function does not. */
  function work<T>(task: object, name: string, signal: AbortSignal): Promise<T> {
    const working = pool.run(task, { name, signal });
    guard.watch(pool.threads.map(({ threadId }) => threadId));
    return working as Promise<T>;
  }

  /** The line of a place that could not be left may be as hard to find. */
  async function locate(finding: Finding): Promise<Finding[]> {
    const signal = AbortSignal.timeout(LONGEST_LOCATE);
    const located = work<Finding[]>({ findings: [finding] }, 'locate', signal);
    return await located.catch(() => [{ ...finding, place: { ...finding.place, line: 1 } }]);
  }

  return {
    async run<T>(name: string, task: object, folder: string, tell: (step: Step) => void = () => {}) {
      const stepFile = path.join(steps, String(tasks++));
      const watch = watchSteps(stepFile, limits.seconds, tell);
      try {
        return { value: await work<T>({ ...task, stepFile }, name, watch.signal) };
      } catch (error) {
        return { findings: await locate(failureFinding(error, readStep(stepFile), folder, limits)) };
      } finally {
        watch.stop();
        rmSync(stepFile, { force: true });
      }
    },
    async close() {
      await pool.destroy();
      guard.close();
      rmSync(steps, { recursive: true, force: true });
    },
  };
}

/** Makes the folder that workers write their steps to. */
function makeStepsFolder(): string {
  try {
    return mkdtempSync(path.join(tmpdir(), 'gamedata-steps-'));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandError(
      `no temporary folder can be made: ${error.message}; let TMPDIR name a folder that can be written`,
    );
  }
}
