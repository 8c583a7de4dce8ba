/** How long a request waits for a store by default, in ms, and the bounds of what can be set. */
export const DEFAULT_WAIT_MS = 250;
export const MIN_WAIT_MS = 50;
export const MAX_WAIT_MS = 5000;

/** How long a request waits for each thing that it needs from a store on another machine, in ms. */
export interface Deadlines {
  /** In all, to find its key and be counted. */
  total: number;
  /** To read records. */
  find: number;
  /** To find out whether a cap is reached. */
  count: number;
  /** Until what was counted without the store is added to it, before a request is counted. */
  merge: number;
}

/** Divides the time that a request waits for a store. */
export function divideWait(total = DEFAULT_WAIT_MS): Deadlines {
  return { total, find: 0.36 * total, count: 0.6 * total, merge: 0.4 * total };
}
