// Work besides requests: steps that run at an interval and when woken.
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { DistError } from '../data/dist-files.ts';
import type { Log } from '../http/log.ts';
import { StoreError } from '../store/sql.ts';

/** A function that is called again and again. @returns whether to call it again at once */
export type Job = () => Promise<boolean>;

export interface Runner {
  /** Starts a run within 50 ms, so that several calls cause one. Does nothing after `close`. */
  wake(): void;
  /** Stops the runner; resolves when the current step has ended. */
  close(): Promise<void>;
}

const SOON_MS = 50;

/**
 * Runs steps now, at an interval, and when woken. A run repeats all steps until each returns false.
 *
 * @param interval in ms
 * @param message the log message of a failure
 */
export function runJobs(
  steps: readonly Job[],
  { interval, log, message }: { interval: number; log: Log; message: string },
): Runner {
  let isOpen = true;
  let wake = () => {};
  const attempt = async (step: Job): Promise<boolean> => {
    try {
      return await step();
    } catch (error) {
      log.error(message, { error: describeError(error) });
      return false;
    }
  };
  const pause = (ms: number) => sleep(ms, undefined, { ref: false });
  const run = async () => {
    while (isOpen) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      let isBusy = false;
      for (const step of steps) {
        isBusy = (await attempt(step)) || isBusy;
        // SQLite responds within one event-loop tick: without this pause, requests would wait for all steps.
        await nextTick();
      }
      // What caused a call during the run may not be done yet.
      if (!isBusy && isOpen)
        await Promise.race([woken.then(() => isOpen && pause(SOON_MS)), pause(interval)]);
    }
  };
  const running = run();
  return {
    wake: () => wake(),
    async close() {
      isOpen = false;
      wake();
      await running;
    },
  };
}

/** Returns the message of an expected error, but the stack of a bug. */
export function describeError(error: unknown): string {
  return error instanceof StoreError || error instanceof DistError || !(error instanceof Error)
    ? String(error)
    : (error.stack ?? error.message);
}
