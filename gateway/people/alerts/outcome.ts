/** The outcome of an attempt to send an event. */
export type Outcome =
  | { kind: 'delivered'; detail: string; status?: number }
  /**
   * To be retried later, and not before `retryAfter`, in ms from now. `cause` is for the log only: it may reveal the gateway's network.
   * `status` is that of the response, if there was one.
   */
  | { kind: 'failed'; detail: string; status?: number; cause?: string; retryAfter?: number }
  /** Not to be retried: this event cannot be sent. */
  | { kind: 'refused'; detail: string; status?: number }
  /** Not to be retried, and no other event is to be sent either. */
  | { kind: 'gone'; detail: string; status?: number }
  /** The gateway could not send it, for a reason that only its operator can remove: to be retried, and does not count as an attempt. */
  | { kind: 'waiting'; detail: string }
  /** Aborted by the gateway: does not count as an attempt. */
  | { kind: 'interrupted' };

/** How long a delivery waits for the operator before the next attempt. */
export const WAIT_MS = 300_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The delay after each failure: the schedule of Standard Webhooks. */
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
/** A delivery is given up after this number of attempts. */
export const MAX_ATTEMPTS = DELAYS.length + 1;
const MAX_RETRY_AFTER_MS = 24 * HOUR;
/** The random part of a delay. Without it, deliveries that failed together would be retried together. */
const JITTER = 0.1;

/**
 * Returns how long to wait before the next attempt.
 *
 * @param failures how many attempts have failed, including the last one
 * @param retryAfter the shortest wait that the receiver asks for, in ms; more than a day counts as a day
 * @param random returns a number from 0 to 1
 * @returns whole ms; undefined after the last attempt
 */
export function delayAfter(
  failures: number,
  retryAfter = 0,
  random: () => number = Math.random,
): number | undefined {
  const delay = DELAYS[failures - 1];
  if (delay === undefined) return undefined;
  return Math.ceil(Math.max(delay, Math.min(retryAfter, MAX_RETRY_AFTER_MS)) * (1 + JITTER * random()));
}
