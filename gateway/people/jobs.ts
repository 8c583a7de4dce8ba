// Work besides requests: steps that run at an interval and when woken.
import { setImmediate as nextTick } from 'node:timers/promises';
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
 * Runs steps now and at an interval. A run repeats all steps until each returns false. A failure is logged once if it occurs several times in a row.
 *
 * @param interval in ms
 * @param message the log message of a failure
 */
export function runJobs(
  steps: readonly Job[],
  { interval, log, message }: { interval: number; log: Log; message: string },
): Runner {
  const reported = new Map<Job, string>();
  let isOpen = true;
  let soon: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const attempt = async (step: Job): Promise<boolean> => {
    try {
      const isBusy = await step();
      reported.delete(step);
      return isBusy;
    } catch (error) {
      const text = describeError(error);
      if (text !== reported.get(step)) log.error(message, { error: text });
      reported.set(step, text);
      return false;
    }
  };
  const run = async () => {
    for (let isBusy = true; isBusy && isOpen; ) {
      isBusy = false;
      for (const step of steps) {
        isBusy = (await attempt(step)) || isBusy;
        // SQLite responds within one event-loop tick: without this pause, requests would wait for all steps.
        await nextTick();
      }
    }
  };
  const start = () => {
    soon = undefined;
    // The current run may not see the change that caused a call during it.
    if (running) wake();
    else if (isOpen)
      running = run().finally(() => {
        running = undefined;
      });
  };
  const wake = () => {
    if (isOpen) soon ??= setTimeout(start, SOON_MS);
  };
  const timer = setInterval(() => running ?? start(), interval).unref();
  start();
  return {
    wake,
    async close() {
      isOpen = false;
      clearInterval(timer);
      clearTimeout(soon);
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
