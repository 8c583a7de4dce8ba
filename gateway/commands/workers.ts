import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Log } from '../log/log.ts';

/** How long the place of a worker that ended stays empty: twice as long each time, while they end soon after their start. */
const SHORTEST_MS = 100;
const LONGEST_MS = 30_000;
/** A worker that ran for so long had a good start. */
const STEADY_MS = 60_000;

/**
 * Runs so many processes of this very command, which share its port, and replaces those that end. The first starts alone: what keeps it
 * from starting would keep the others, and is told once.
 *
 * @param stopped resolves when all are to finish what is under way and end
 * @returns the exit code: 0, or that of a worker that could not start, which has told why
 */
export async function superviseWorkers(count: number, stopped: Promise<unknown>, log: Log): Promise<number> {
  let isOpen = true;
  const kept: Promise<void>[] = [];
  const stop = () => {
    isOpen = false;
    log.info('shutting down');
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  };
  const fork = (): Worker => {
    const worker = cluster.fork();
    worker.once('listening', () => log.info('worker ready', { pid: worker.process.pid }));
    return worker;
  };
  const keep = async (worker: Worker): Promise<void> => {
    for (let current = worker, failures = 0; isOpen; current = fork()) {
      const startedAt = performance.now();
      const [code, signal] = (await once(current, 'exit')) as [number | null, string | null];
      if (!isOpen) return;
      failures = performance.now() - startedAt < STEADY_MS ? failures + 1 : 1;
      const delay = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (failures - 1));
      const { pid } = current.process;
      log.error('a worker ended and is replaced', { pid, reason: signal ?? `exit code ${code}`, delay });
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, delay))]);
    }
  };
  const start = async (): Promise<number> => {
    const worker = fork();
    const ended = once(worker, 'exit').then(([code]) => (isOpen ? Number(code ?? 1) : 0));
    const failure = await Promise.race([ended, once(worker, 'listening').then(() => undefined)]);
    if (failure === undefined) kept.push(keep(worker));
    return failure ?? 0;
  };

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
}
