import { setImmediate as nextTick } from 'node:timers/promises';
import type { Step } from './report-failures.ts';

/** What a runner of steps takes. */
export interface StepRunnerOptions {
  /** Steps that do not fail, in their order. */
  steps: readonly Step[];
  /** How often they are taken though nobody asks for it, in ms. */
  interval: number;
}

/** How long what `wakeSoon` was called for waits, so that it is done together, in ms. */
const SOON_MS = 20;

/** Takes steps until none has anything to do, now and then and when it is woken. */
export class StepRunner {
  readonly #steps: readonly Step[];
  readonly #timer: NodeJS.Timeout;
  #isOpen = true;
  #running: Promise<void> | undefined;
  /** Whether it was woken while it was running. */
  #isWanted = false;
  #soon: NodeJS.Timeout | undefined;

  constructor({ steps, interval }: StepRunnerOptions) {
    this.#steps = steps;
    this.#timer = setInterval(() => this.wake(), interval);
    this.#timer.unref();
  }

  /** Begins now, or again after the steps that are being taken. */
  wake(): void {
    this.#isWanted = this.#running !== undefined;
    if (this.#running) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isWanted) this.wakeSoon();
    });
  }

  /** As `wake`, a moment later. Both do nothing once it is closed. */
  wakeSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.wake();
    }, SOON_MS);
  }

  /** Takes no more steps; resolves when the last has ended. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let isBusy = true; isBusy && this.#isOpen; ) isBusy = await this.#runRound();
  }

  /** @returns whether a step had anything to do */
  async #runRound(): Promise<boolean> {
    let isBusy = false;
    for (const step of this.#steps) {
      isBusy = (await step()) || isBusy;
      // LMDB answers within the tick: without this no request would be answered before all is done.
      await nextTick();
    }
    return isBusy;
  }
}
