import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log/log.ts';

/** How long a gateway may take to stop, in ms: longer than responses under way may take. */
export const STOP_MS = 16_000;

/** How long closing may take after a failure, in ms. */
const FAILED_MS = 200;

/**
 * Runs work, then closes what it used. After a failure that has only a moment, so that a failed start is reported and ends soon.
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
 * Resolves when this process receives SIGTERM or SIGINT. From then on it has a limited time to end. Before the first call, both signals end
 * the process immediately.
 *
 * @param limitMs after this time it is ended
 */
export async function untilStopped(log: Log, limitMs: number): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const end = () => {
    log.error('it did not stop in time, and is ended', { seconds: limitMs / 1000 });
    process.exit(1);
  };
  setTimeout(end, limitMs).unref();
}
