// Work beside requests: steps that run at an interval and when woken.
import { setImmediate as nextTick } from 'node:timers/promises';
import { DistError } from '../data/dist-files.ts';
import type { Log } from '../http/log.ts';
import { StoreError } from '../store/sql.ts';

/** A function that is called again and again. @returns whether to call it again at once */
export type Step = () => Promise<boolean>;

/** How long `wakeSoon` waits, so that several calls cause one run. */
const SOON_MS = 50;

/** Runs steps. A run repeats all steps until none of them wants it. A failure is logged, once if it occurs several times in a row. */
export class StepRunner {
  readonly #steps: readonly Step[];
  readonly #timer: NodeJS.Timeout;
  #isOpen = true;
  #running: Promise<void> | undefined;
  /** Whether `wake` was called during the current run. */
  #isWokenAgain = false;
  #soon: NodeJS.Timeout | undefined;

  /** @param interval how often the steps run without being woken, in ms @param message the log message of a failure */
  constructor(steps: readonly Step[], { interval, log, message }: RunnerOptions) {
    this.#steps = steps.map((step) => reportFailures(step, log, message));
    this.#timer = setInterval(() => this.wake(), interval);
    this.#timer.unref();
    this.wake();
  }

  /** Starts a run now, or another one after the current run. Does nothing after `close`. */
  wake(): void {
    if (!this.#isOpen) return;
    this.#isWokenAgain = this.#running !== undefined;
    if (this.#running) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isWokenAgain) this.wakeSoon();
    });
  }

  /** Calls `wake` after `SOON_MS`. Does nothing after `close`. */
  wakeSoon(): void {
    if (!this.#isOpen) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.wake();
    }, SOON_MS);
  }

  /** Stops the runner; resolves when the current step has ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let isBusy = true; isBusy && this.#isOpen; ) {
      isBusy = false;
      for (const step of this.#steps) {
        isBusy = (await step()) || isBusy;
        // SQLite responds within one event-loop tick: without this pause, requests would wait for all steps.
        await nextTick();
      }
    }
  }
}

interface RunnerOptions {
  interval: number;
  log: Log;
  message: string;
}

function reportFailures(step: Step, log: Log, message: string): Step {
  let reported = '';
  return async () => {
    try {
      const isBusy = await step();
      reported = '';
      return isBusy;
    } catch (error) {
      const text = describeError(error);
      if (text !== reported) log.error(message, { error: text });
      reported = text;
      return false;
    }
  };
}

/** Returns the message of an expected error, but the stack of a bug. */
export function describeError(error: unknown): string {
  return error instanceof StoreError || error instanceof DistError || !(error instanceof Error)
    ? String(error)
    : (error.stack ?? error.message);
}
