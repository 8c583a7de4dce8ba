import { performance } from 'node:perf_hooks';
import { bucketOf, type Histogram, newHistogram } from './histogram.ts';

/** Upper bounds of the event loop's lag, in seconds. */
export const LAG_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** How often the lag is measured, in ms. */
const INTERVAL_MS = 100;

/**
 * Measures how late timers fire. It does not use the histogram of `perf_hooks`, because each reader would reset it: two scrapers would
 * each get only a part of the values.
 */
export class EventLoop {
  readonly lag: Histogram = newHistogram(LAG_BOUNDS);
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();

  constructor() {
    this.#timer = setInterval(() => this.#measure(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** How long the event loop was busy since the process started, in seconds. */
  get busySeconds(): number {
    return performance.eventLoopUtilization().active / 1000;
  }

  /** Stops measuring. */
  close(): void {
    clearInterval(this.#timer);
  }

  #measure(): void {
    const now = performance.now();
    const seconds = Math.max(0, now - this.#last - INTERVAL_MS) / 1000;
    this.#last = now;
    const bucket = bucketOf(LAG_BOUNDS, seconds);
    this.lag.counts[bucket] = (this.lag.counts[bucket] ?? 0) + 1;
    this.lag.sum += seconds;
  }
}
