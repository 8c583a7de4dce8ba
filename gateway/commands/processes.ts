import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../../scripts/system.ts';
import { SteadyClock } from '../data/clock.ts';
import type { Log } from '../http/log.ts';

/** How long a gateway may take to stop, in ms; longer than responses under way may take. */
export const STOP_MS = 16_000;

/** How long closing may take after a failure, in ms. */
const FAILED_MS = 200;

/**
 * Runs work, then closes its resources. After a failure, closing gets only a moment, so that a failed start is reported soon.
 *
 * @throws what the work throws
 */
export async function closeAfter<T>(work: () => Promise<T>, close: () => Promise<unknown>): Promise<T> {
  const outcome = await work().catch(async (error: unknown) => {
    await Promise.race([close().catch(() => {}), sleep(FAILED_MS, undefined, { ref: false })]);
    throw error;
  });
  await close();
  return outcome;
}

/**
 * Resolves when this process receives SIGTERM or SIGINT; then the process has a limited time to end. Before the first call, both signals end it at
 * once.
 *
 * @param limitMs the process is killed after this time
 */
export async function untilStopped(log: Log, limitMs: number): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const end = () => {
    log.error('it did not stop in time, and is ended', { seconds: limitMs / 1000 });
    process.exit(1);
  };
  setTimeout(end, limitMs).unref();
}

/**
 * Makes a server listen.
 *
 * @param option the option that sets the port, for the message
 * @returns the address, such as `http://127.0.0.1:3000`
 * @throws CommandError when the port cannot be used
 */
export async function listenOn(server: Server, port: number, host: string, option: string): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRINUSE'
        ? `it is in use: stop the other program, or choose another port with ${option}`
        : message;
    throw new CommandError(`cannot listen on port ${port} of ${host}: ${reason}`);
  }
  const { address, port: actual, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}

/** When workers that have not stopped are killed, in ms. */
const WORKERS_KILL_MS = 17_000;

/** The pause before a worker is replaced. It doubles while workers end soon after their start. */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
/** Passes the parent's clock to a worker. */
const CLOCK_VARIABLE = 'GATEWAY_WORKER_CLOCK';
/** How often the parent reads its clock, in ms. */
const CLOCK_MS = 1000;

/** Returns the parent's clock as `SteadyClock` accepts it; undefined in a process that is not a worker. */
export function clockOfMaster(): number | undefined {
  const shared = process.env[CLOCK_VARIABLE];
  return cluster.isWorker && shared !== undefined ? Number(shared) : undefined;
}

/** A worker that has run this long started well. */
const STABLE_MS = 60_000;

/**
 * Runs several processes of this command, which share its port, and replaces those that end. The first starts alone: whatever prevents its start
 * would prevent the others' too, and is reported once.
 *
 * @param stopped resolves when all workers should finish their open requests and stop
 * @returns the exit code: 0, or that of a worker that could not start and has printed why
 */
export async function superviseWorkers(count: number, stopped: Promise<unknown>, log: Log): Promise<number> {
  const clock = new SteadyClock({ log });
  const timer = setInterval(clock.now, CLOCK_MS);
  try {
    return await new WorkerSupervisor(stopped, log, clock).run(count);
  } finally {
    clearInterval(timer);
  }
}

class WorkerSupervisor {
  readonly #stopped: Promise<unknown>;
  readonly #log: Log;
  readonly #clock: SteadyClock;
  readonly #kept: Promise<void>[] = [];
  #isOpen = true;

  constructor(stopped: Promise<unknown>, log: Log, clock: SteadyClock) {
    this.#stopped = stopped;
    this.#log = log;
    this.#clock = clock;
  }

  async run(count: number): Promise<number> {
    void this.#stopped.then(() => this.#stop());
    const failure = await this.#startAll(count);
    if (failure === 0) await this.#stopped;
    else this.#stop();
    await Promise.all(this.#kept);
    return failure;
  }

  /** Starts the first worker, then the others. @returns the exit code of a worker that could not start, otherwise 0 */
  async #startAll(count: number): Promise<number> {
    const failure = await this.#start();
    if (failure !== 0 || !this.#isOpen) return failure;
    const others = await Promise.all(Array.from({ length: count - 1 }, () => this.#start()));
    return others.find((code) => code !== 0) ?? 0;
  }

  /** Starts a worker, and keeps it running after it listens. @returns its exit code if it ends before, otherwise 0 */
  async #start(): Promise<number> {
    const worker = this.#fork();
    const ended = once(worker, 'exit').then(([code]) => (this.#isOpen ? Number(code ?? 1) : 0));
    const failure = await Promise.race([ended, once(worker, 'listening').then(() => undefined)]);
    if (failure === undefined) this.#kept.push(this.#keep(worker));
    return failure ?? 0;
  }

  #fork(): Worker {
    this.#clock.now();
    const worker = cluster.fork({ [CLOCK_VARIABLE]: String(this.#clock.shared) });
    worker.once('listening', () => this.#log.info('worker ready', { pid: worker.process.pid }));
    return worker;
  }

  /** Replaces a worker whenever it ends, until all are stopped. */
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
