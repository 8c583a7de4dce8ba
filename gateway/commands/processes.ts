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
 * Runs work, then closes what it opened, the last first. After a failure, closing gets only a moment, so that a failed start is reported soon.
 *
 * @param work calls its argument with what closes a resource
 * @throws what the work throws
 */
export async function closeAfter(
  work: (onClose: (close: () => unknown) => void) => Promise<void>,
): Promise<void> {
  const closers: (() => unknown)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) await close();
  };
  await work((close) => closers.push(close)).catch(async (error: unknown) => {
    await Promise.race([closeAll().catch(() => {}), sleep(FAILED_MS, undefined, { ref: false })]);
    throw error;
  });
  await closeAll();
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

/** The pause before a worker is replaced, so that one that always ends at its start leaves the processor to others. */
const PAUSE_MS = 1000;
/** Passes the parent's clock to a worker. */
const CLOCK_VARIABLE = 'GATEWAY_WORKER_CLOCK';
/** How often the parent reads its clock, in ms. */
const CLOCK_MS = 1000;

/** Returns the parent's clock as `SteadyClock` accepts it; undefined in a process that is not a worker. */
export function clockOfMaster(): number | undefined {
  const shared = process.env[CLOCK_VARIABLE];
  return cluster.isWorker && shared !== undefined ? Number(shared) : undefined;
}

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
  const kept: Promise<void>[] = [];
  let isOpen = true;
  const stop = () => {
    isOpen = false;
    log.info('shutting down');
    signalAll('SIGTERM');
    setTimeout(signalAll, WORKERS_KILL_MS, 'SIGKILL').unref();
  };
  const fork = (): Worker => {
    clock.now();
    const worker = cluster.fork({ [CLOCK_VARIABLE]: String(clock.shared) });
    worker.once('listening', () => log.info('worker ready', { pid: worker.process.pid }));
    return worker;
  };
  /** Replaces a worker whenever it ends, until all are stopped. */
  const keep = async (first: Worker): Promise<void> => {
    for (let worker = first; ; worker = fork()) {
      const [code, signal] = (await once(worker, 'exit')) as [number | null, string | null];
      const reason = signal ?? `exit code ${code}`;
      if (isOpen) log.error('a worker ended and is replaced', { pid: worker.process.pid, reason });
      await Promise.race([stopped, sleep(PAUSE_MS, undefined, { ref: false })]);
      if (!isOpen) return;
    }
  };
  /** Starts a worker, and keeps it running once it listens. @returns its exit code if it ends before, otherwise 0 */
  const start = async (): Promise<number> => {
    const worker = fork();
    const ended = once(worker, 'exit').then(([code]) => (isOpen ? Number(code ?? 1) : 0));
    const failure = await Promise.race([ended, once(worker, 'listening').then(() => undefined)]);
    if (failure === undefined) kept.push(keep(worker));
    return failure ?? 0;
  };
  try {
    void stopped.then(stop);
    let failure = await start();
    if (failure === 0 && isOpen) {
      const others = await Promise.all(Array.from({ length: count - 1 }, start));
      failure = others.find((code) => code !== 0) ?? 0;
    }
    if (failure === 0) await stopped;
    else stop();
    await Promise.all(kept);
    return failure;
  } finally {
    clearInterval(timer);
  }
}

function signalAll(signal: NodeJS.Signals): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
}
