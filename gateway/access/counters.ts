/** A tier's caps on the requests of one account. */
export interface Limits {
  /** Requests in any 60 seconds. */
  minute: number;
  /** Requests in a UTC day. */
  day: number;
}

/** The requests of one account that count against its caps, as a store holds them. */
export interface Counters {
  /** When the requests of the last 60 seconds were admitted, ms since 1970, ascending. */
  times: readonly number[];
  /** The UTC day that `count` belongs to, in days since 1970. */
  day: number;
  /** How many requests were admitted on that day. */
  count: number;
}

/** How much of one cap is used. */
export interface WindowUsage {
  used: number;
  remaining: number;
  /** When `remaining` next grows, ms since 1970; null while nothing is used. */
  resetsAt: number | null;
}

/** How much of each cap is used. */
export type Usage = Record<keyof Limits, WindowUsage>;

/** The length of the sliding window. A request leaves it exactly this long after it was admitted. */
export const MINUTE_MS = 60_000;
/** The length of a UTC day. */
const DAY_MS = 86_400_000;

/** Returns the UTC day of a time (ms since 1970), in days since 1970. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** The counters of an account that has used nothing. */
export const UNUSED: Counters = { times: [], day: 0, count: 0 };

/**
 * Returns the counters at a time, without the requests that have left their window. After a clock was set back, a request that was
 * admitted in what is now the future counts as admitted now, so that no client waits longer than a window; and if it was set back by less
 * than a day, the day on which requests were counted goes on, so that no account gets that day twice.
 *
 * @param now ms since 1970
 */
export function countersAt(counters: Counters, now: number): Counters {
  const { times, day, count } = counters;
  const today = dayOf(now);
  const begun = day === today + 1 && count > 0 ? day : today;
  let gone = 0;
  while (now - (times[gone] ?? now) >= MINUTE_MS) gone++;
  const isSetBack = (times.at(-1) ?? now) > now;
  if (gone === 0 && day === begun && !isSetBack) return counters;
  const recent = gone === 0 ? times : times.slice(gone);
  return {
    times: isSetBack ? recent.map((time) => Math.min(time, now)) : recent,
    day: begun,
    count: day < today ? 0 : count,
  };
}

/**
 * Whether a cap is reached.
 *
 * @param counters from `countersAt`
 */
export function isSpent({ times, count }: Counters, limits: Limits): boolean {
  return times.length >= limits.minute || count >= limits.day;
}

/**
 * Counts one request, whatever the caps.
 *
 * @param counters from `countersAt` for the same time
 */
export function addRequest({ times, day, count }: Counters, now: number): Counters {
  return { times: [...times, now], day, count: count + 1 };
}

/**
 * Removes one request that was counted at most a minute ago.
 *
 * @param counters from `countersAt` for now
 * @param at when it was admitted, ms since 1970
 */
export function uncountRequest(counters: Counters, at: number): Counters {
  const { times, day, count } = counters;
  const index = times.indexOf(at);
  if (index === -1) return counters;
  const isToday = dayOf(at) === day;
  return { times: times.toSpliced(index, 1), day, count: isToday ? count - 1 : count };
}

/**
 * Counts requests that were admitted elsewhere, whatever the caps. They count on their day only if it is that of the counters.
 *
 * @param counters from `countersAt` for now
 * @param others counters of these requests alone
 * @param now ms since 1970
 */
export function mergeCounters(counters: Counters, others: Counters, now: number): Counters {
  const all = [...counters.times, ...countersAt(others, now).times];
  return {
    times: all.sort((a, b) => a - b),
    day: counters.day,
    count: counters.count + (others.day === counters.day ? others.count : 0),
  };
}

/** @param counters from `countersAt` for the same time */
export function describeUsage({ times, day, count }: Counters, limits: Limits): Usage {
  // After a cap was lowered there can be more requests than it allows: the later ones must leave as well.
  const first = times[Math.max(0, times.length - limits.minute)];
  return {
    minute: {
      used: times.length,
      remaining: Math.max(0, limits.minute - times.length),
      resetsAt: first === undefined ? null : first + MINUTE_MS,
    },
    day: {
      used: count,
      remaining: Math.max(0, limits.day - count),
      resetsAt: count === 0 ? null : (day + 1) * DAY_MS,
    },
  };
}
