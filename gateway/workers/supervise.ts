import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../http/log.ts';

/** When workers that have not stopped are killed, in ms. */
const WORKERS_KILL_MS = 17_000;

/** The delay before a worker that ended is replaced. It doubles while workers end soon after their start. */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
/** A worker that ran this long started well. */
const STABLE_MS = 60_000;

/**
 * Runs several processes of this command, which share its port, and replaces those that end. The first starts alone: what prevents its
 * start would prevent the others' too, and is reported once.
 *
 * @param stopped resolves when all workers should finish their open requests and stop
 * @returns the exit code: 0, or that of a worker that could not start and has printed why
 */
export async function superviseWorkers(count: number, stopped: Promise<unknown>, log: Log): Promise<number> {
  return await new WorkerSupervisor(stopped, log).run(count);
}

class WorkerSupervisor {
  readonly #stopped: Promise<unknown>;
  readonly #log: Log;
  readonly #kept: Promise<void>[] = [];
  #isOpen = true;

  constructor(stopped: Promise<unknown>, log: Log) {
    this.#stopped = stopped;
    this.#log = log;
  }

  async run(count: number): Promise<number> {
    void this.#stopped.then(() => this.#stop());
    const failure = await this.#startAll(count);
    if (failure === 0) await this.#stopped;
    else this.#stop();
    await Promise.all(this.#kept);
    return failure;
  }

  /** Starts the first worker, then the others. @returns the exit code of one that could not start, otherwise 0 */
  async #startAll(count: number): Promise<number> {
    const failure = await this.#start();
    if (failure !== 0 || !this.#isOpen) return failure;
    const others = await Promise.all(Array.from({ length: count - 1 }, () => this.#start()));
    return others.find((code) => code !== 0) ?? 0;
  }

  /** Starts a worker, and keeps it running once it listens. @returns its exit code if it ends before, otherwise 0 */
  async #start(): Promise<number> {
    const worker = this.#fork();
    const ended = once(worker, 'exit').then(([code]) => (this.#isOpen ? Number(code ?? 1) : 0));
    const failure = await Promise.race([ended, once(worker, 'listening').then(() => undefined)]);
    if (failure === undefined) this.#kept.push(this.#keep(worker));
    return failure ?? 0;
  }

  #fork(): Worker {
    const worker = cluster.fork();
    worker.once('listening', () => this.#log.info('worker ready', { pid: worker.process.pid }));
    return worker;
  }

  /** Replaces a worker each time it ends, until all are stopped. */
  async #keep(worker: Worker): Promise<void> {
    let current = worker;
    for (let failures = 0; ; ) {
      const startedAt = performance.now();
      const [code, signal] = (await once(current, 'exit')) as [number | null, string | null];
      if (!this.#isOpen) return;
      failures = performance.now() - startedAt < STABLE_MS ? failures + 1 : 1;
      const delay = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** (failures - 1));
      const { pid } = current.process;
      this.#log.error('a worker ended and is replaced', {
        pid,
        reason: signal ?? `exit code ${code}`,
        delay,
      });
      const timer = new AbortController();
      const waited = sleep(delay, undefined, timer).catch(() => {});
      await Promise.race([this.#stopped, waited]);
      timer.abort();
      if (!this.#isOpen) return;
      current = this.#fork();
    }
  }

  #stop(): void {
    this.#isOpen = false;
    this.#log.info('shutting down');
    this.#signalAll('SIGTERM');
    setTimeout(() => this.#signalAll('SIGKILL'), WORKERS_KILL_MS).unref();
  }

  #signalAll(signal: NodeJS.Signals): void {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
  }
}
