import { setImmediate as nextTick } from 'node:timers/promises';
import type { Step } from './report-failures.ts';

/** Options of a `StepRunner`. */
export interface StepRunnerOptions {
  /** Called in this order; they never reject. */
  steps: readonly Step[];
  /** How often the steps run without being woken, in ms. */
  interval: number;
}

/** How long `wakeSoon` waits, so that several calls cause one run. */
const SOON_MS = 50;

/** Runs steps at an interval and when woken. A run repeats all steps until none of them wants it. */
export class StepRunner {
  readonly #steps: readonly Step[];
  readonly #timer: NodeJS.Timeout;
  #isOpen = true;
  #running: Promise<void> | undefined;
  /** Whether `wake` was called during the current run. */
  #isWokenAgain = false;
  #soon: NodeJS.Timeout | undefined;

  constructor({ steps, interval }: StepRunnerOptions) {
    this.#steps = steps;
    this.#timer = setInterval(() => this.wake(), interval);
    this.#timer.unref();
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
    for (let isBusy = true; isBusy && this.#isOpen; ) isBusy = await this.#runRound();
  }

  /** Runs each step once. @returns whether a step wants another round */
  async #runRound(): Promise<boolean> {
    let isBusy = false;
    for (const step of this.#steps) {
      isBusy = (await step()) || isBusy;
      // SQLite responds within one event-loop tick: without this pause, requests would wait for all steps.
      await nextTick();
    }
    return isBusy;
  }
}
