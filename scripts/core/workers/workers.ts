import { rmSync } from 'node:fs';
import path from 'node:path';
import { Tinypool } from 'tinypool';
import type { Finding } from '../findings/findings.ts';
import { closePool } from '../lib/close-pool.ts';
import { failureFinding } from '../watchdog/failure-finding.ts';
import type { Limits } from '../watchdog/limits.ts';
import { readStep, type Step } from '../watchdog/step-file.ts';
import { watchSteps } from '../watchdog/watch-steps.ts';
import { startGuard } from './guard.ts';
import { doorsOfWorkers } from './parts.ts';
import { makeStepsFolder } from './steps-folder.ts';

/** Processes that work on games, each within limits. */
export interface Workers {
  /**
   * Runs a task in a worker.
   *
   * @param name of the function in tasks.ts
   * @param folder the game's folder
   * @param onStep gets the worker's current step, a few times per second
   * @returns what the function returned; or a finding (with its line) if it exceeded its limits or failed
   */
  run<T>(
    name: string,
    task: object,
    folder: string,
    onStep?: (step: Step) => void,
  ): Promise<{ value: T } | { findings: Finding[] }>;
  /** Ends the workers. */
  close(): Promise<void>;
}

/** Starts workers, as `startWorkers` does. */
export type StartWorkers = (jobs: number, limits: Limits, startNow?: number) => Workers;

/** The time limit for finding the line of one place. */
const MAX_LOCATE_MS = 60_000;

/** The part of V8's heap for new objects. Evaluating makes many short-lived ones, which a smaller part would copy. */
const YOUNG_GENERATION_MEBIBYTES = 32;

/**
 * Starts workers. They are processes, because a thread that allocates too much memory at once ends the whole process despite its limits.
 *
 * @param jobs the maximum number of workers
 * @param startNow how many of them start immediately; the others start when there is a task for them
 * @throws CommandError if the system's folder for temporary files cannot be used
 */
export function startWorkers(jobs: number, limits: Limits, startNow = 1): Workers {
  return new ProcessWorkers(jobs, limits, startNow);
}

class ProcessWorkers implements Workers {
  readonly #limits: Limits;
  readonly #steps = makeStepsFolder();
  readonly #pool: Tinypool;
  readonly #guard = startGuard(this.#steps);
  #tasks = 0;

  constructor(jobs: number, limits: Limits, startNow: number) {
    this.#limits = limits;
    this.#pool = new Tinypool({
      runtime: 'child_process',
      serialization: 'advanced',
      filename: new URL('./worker.js', import.meta.url).href,
      argv: [doorsOfWorkers() ?? []].flat(),
      minThreads: startNow,
      maxThreads: jobs,
      execArgv: [
        ...process.execArgv,
        `--max-old-space-size=${limits.mebibytes}`,
        `--max-semi-space-size=${YOUNG_GENERATION_MEBIBYTES}`,
      ],
    });
  }

  async run<T>(
    name: string,
    task: object,
    folder: string,
    onStep: (step: Step) => void = () => {},
  ): Promise<{ value: T } | { findings: Finding[] }> {
    const stepFile = path.join(this.#steps, String(this.#tasks++));
    const watch = watchSteps(stepFile, this.#limits.seconds, onStep);
    try {
      return {
        value: await this.#work<T>(
          { ...task, stepFile, mebibytes: this.#limits.mebibytes },
          name,
          watch.signal,
        ),
      };
    } catch (error) {
      const finding = failureFinding(error, readStep(stepFile), folder, this.#limits);
      return { findings: await this.#locate(finding) };
    } finally {
      watch.stop();
      rmSync(stepFile, { force: true });
    }
  }

  async close(): Promise<void> {
    await closePool(this.#pool);
    this.#guard.close();
    rmSync(this.#steps, { recursive: true, force: true });
  }

  /** Runs a worker's function. The worker ends with this process, even if the function does not end. */
  #work<T>(task: object, name: string, signal: AbortSignal): Promise<T> {
    const working = this.#pool.run(task, { name, signal });
    this.#guard.watch(this.#pool.threads.map(({ threadId }) => threadId));
    return working as Promise<T>;
  }

  /** Finds the line of a finding in a worker: reading the file may exceed the limits again. */
  async #locate(finding: Finding): Promise<Finding[]> {
    const signal = AbortSignal.timeout(MAX_LOCATE_MS);
    const located = this.#work<Finding[]>({ findings: [finding] }, 'locate', signal);
    return await located.catch(() => [{ ...finding, place: { ...finding.place, line: 1 } }]);
  }
}
