// Work besides requests: steps that run at an interval.
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../data/follow-dist.ts';
import type { Log } from '../http/log.ts';
import { StoreError } from '../store/sql.ts';

export interface Runner {
  /** Stops the runner; resolves when the current step has ended. */
  close(): Promise<void>;
}

/**
 * Runs steps now and at an interval. A run repeats all steps until each returns false. A failure that occurs several times in a row is logged once.
 *
 * @param steps return whether to call them again at once
 * @param interval in ms
 * @param message the log message of a failure
 */
export function runJobs(
  steps: readonly (() => Promise<boolean>)[],
  { interval, log, message }: { interval: number; log: Log; message: string },
): Runner {
  const stop = new AbortController();
  const { signal } = stop;
  const reported = new Map<object, string>();
  const attempt = async (step: () => Promise<boolean>): Promise<boolean> => {
    try {
      const isBusy = await step();
      reported.delete(step);
      return isBusy;
    } catch (failure) {
      const error = describeFailure(failure);
      if (error !== reported.get(step)) log.error(message, { error });
      reported.set(step, error);
      return false;
    }
  };
  const run = async () => {
    while (!signal.aborted) {
      let isBusy = false;
      for (const step of steps) {
        isBusy = (await attempt(step)) || isBusy;
        // SQLite responds within one event-loop tick: without this pause, requests would wait for all steps.
        await nextTick();
      }
      if (!isBusy) await sleep(interval, undefined, { ref: false, signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** Returns the message of an expected error, but the stack of a bug. */
export const describeFailure = (error: unknown): string =>
  error instanceof StoreError ? error.message : describeError(error);
