/** What became of an attempt to send an event. */
export type Outcome =
  | { kind: 'delivered'; detail: string }
  /** Tried again later; not before `retryAfter`, in ms from now. */
  | { kind: 'failed'; detail: string; retryAfter?: number }
  /** Never to be tried again: this event cannot be sent. */
  | { kind: 'refused'; detail: string }
  /** Never to be tried again, nor with any other event. */
  | { kind: 'gone'; detail: string }
  /** Broken off by the gateway itself: no attempt at all. */
  | { kind: 'interrupted' };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** After each failure, the schedule of Standard Webhooks. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const LONGEST_DELAY = 24 * HOUR;
/** How much later than planned at most, so that what failed together is not tried together. */
const JITTER = 0.1;

/**
 * How long to wait after a failure.
 *
 * @param failures how many there were, this one included
 * @param retryAfter the least that the other end asks for, in ms; more than a day is a day
 * @param random from 0 to 1
 * @returns whole ms; undefined where it is not tried again
 */
export function delayAfter(
  failures: number,
  retryAfter = 0,
  random: () => number = Math.random,
): number | undefined {
  const delay = DELAYS[failures - 1];
  if (delay === undefined) return undefined;
  return Math.ceil(Math.max(delay, Math.min(retryAfter, LONGEST_DELAY)) * (1 + JITTER * random()));
}
