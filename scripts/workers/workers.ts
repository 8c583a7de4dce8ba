import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Tinypool } from 'tinypool';
import type { Finding } from '../findings/findings.ts';
import { closePool } from '../lib/close-pool.ts';
import { CommandError } from '../lib/command-error.ts';
import { describeSelf, findState, type LockHolder } from '../lib/lock-holder.ts';
import { describeSystemError, isSystemError } from '../lib/system-error.ts';
import { failureFinding, watchSteps } from '../watchdog/failure-finding.ts';
import type { Limits } from '../watchdog/limits.ts';
import { readStep, type Step } from '../watchdog/step-file.ts';

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

/** Ends processes, and removes a folder, when this process has ended. */
export interface Guard {
  /** @param pids the processes to end, instead of those of the previous call */
  watch(pids: readonly number[]): void;
  /** Stops guarding. */
  close(): void;
}

/** The shell's input ends when this process ends, for whatever reason. */
const SCRIPT = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids; rm -rf "$1"';

/**
 * Starts a guard: a shell that waits. Without a `sh` there is no guard. A worker notices the end of this process only when its JavaScript
 * returns to the event loop, which an endless expression never does.
 *
 * @param folder the folder to remove
 */
export function startGuard(folder: string): Guard {
  const shell = spawn('sh', ['-c', SCRIPT, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => {}).unref();
  shell.stdin.on('error', () => {});
  let watched = '';
  const watch = (pids: readonly number[]) => {
    const line = `${pids.join(' ')}\n`;
    if (line !== watched) shell.stdin.write(line);
    watched = line;
  };
  return {
    watch,
    close() {
      watch([]);
      shell.stdin.end();
    },
  };
}

const PREFIX = 'gamedata-steps-';
const HOLDER_FILE = 'holder.json';

/**
 * Makes the folder that workers write their steps to, and removes those that killed processes of this machine left.
 *
 * @throws CommandError if the system's folder for temporary files cannot be used
 */
export function makeStepsFolder(): string {
  const temporary = tmpdir();
  let folder: string | undefined;
  try {
    removeLeft(temporary);
    folder = mkdtempSync(path.join(temporary, PREFIX));
    writeFileSync(path.join(folder, HOLDER_FILE), JSON.stringify(describeSelf(folder)));
    return folder;
  } catch (error) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    if (!isSystemError(error)) throw error;
    throw new CommandError(
      `cannot make a temporary folder: ${describeSystemError(error)}; set TMPDIR to a folder that can be written`,
    );
  }
}

function removeLeft(temporary: string): void {
  for (const name of readdirSync(temporary)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(temporary, name);
    const holder = readHolder(folder);
    if (holder && findState(holder) === 'dead') rmSync(folder, { recursive: true, force: true });
  }
}

function readHolder(folder: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, HOLDER_FILE), 'utf8'));
  } catch {
    return undefined;
  }
}
