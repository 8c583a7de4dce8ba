import { NO_TIMES, Times } from './times.ts';

/** The caps of a tier on the requests of one account. */
export interface Limits {
  /** Requests in any 60 seconds. */
  minute: number;
  /** Requests in a UTC day. */
  day: number;
}

/** What one account has used of its caps, as a store keeps it. */
export interface Counters {
  /** When the requests of the last 60 seconds were admitted. */
  times: Times;
  /** The UTC day that `count` is of, in days since 1970. */
  day: number;
  /** How many requests were admitted on that day. */
  count: number;
}

/** What is used of one cap. */
export interface WindowUsage {
  used: number;
  remaining: number;
  /** When `remaining` next grows, ms since 1970; null while nothing is used. */
  resetsAt: number | null;
}

/** What is used of each cap. */
export type Usage = Record<keyof Limits, WindowUsage>;

/** The window that slides with the clock, in ms. A request leaves it exactly so long after it was admitted. */
export const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Things may be told in another order than they were timed: each is less late than this, in ms. */
const LATE_MS = 1000;

/**
 * When something happens that comes after others: what is a little late happens with the last of them; what is later is of a clock that
 * was set back.
 *
 * @param at by its clock, ms since 1970
 */
export function timeAfter(last: number, at: number): number {
  return at < last && last - at < LATE_MS ? last : at;
}

/** The counters of an account that has used nothing. */
export const UNUSED: Counters = { times: NO_TIMES, day: 0, count: 0 };

/**
 * The counters as they are at a time: what has left its window is gone. After a clock was set back, what was admitted in what is
 * now the future counts as admitted now, so that nobody waits for longer than a window.
 *
 * @param now ms since 1970
 */
export function countersAt(counters: Counters, now: number): Counters {
  const { times, day, count } = counters;
  const today = Math.floor(now / DAY_MS);
  let gone = 0;
  while (now - (times.at(gone) ?? now) >= MINUTE_MS) gone++;
  const isSetBack = (times.at(-1) ?? now) > now;
  if (gone === 0 && day === today && !isSetBack) return counters;
  const recent = times.from(gone);
  return {
    times: isSetBack ? new Times(recent.toArray().map((time) => Math.min(time, now))) : recent,
    day: today,
    count: day < today ? 0 : count,
  };
}

/**
 * Counts one request, if no cap is reached.
 *
 * @param counters as `countersAt` gives them for the same time
 * @returns undefined when a cap is reached
 */
export function countRequest(counters: Counters, limits: Limits, now: number): Counters | undefined {
  return isSpent(counters, limits) ? undefined : addRequest(counters, now);
}

/**
 * Whether a cap is reached.
 *
 * @param counters as `countersAt` gives them
 */
export function isSpent({ times, count }: Counters, limits: Limits): boolean {
  return times.length >= limits.minute || count >= limits.day;
}

/**
 * Counts one request, whatever the caps.
 *
 * @param counters as `countersAt` gives them for the same time
 */
export function addRequest({ times, day, count }: Counters, now: number): Counters {
  return { times: times.add(now), day, count: count + 1 };
}

/**
 * Takes one request back that was counted at a time, at most a minute ago.
 *
 * @param counters of now
 * @param at when it was admitted, ms since 1970
 */
export function uncountRequest(counters: Counters, at: number): Counters {
  const { times, day, count } = counters;
  const list = times.toArray();
  const index = list.indexOf(at);
  if (index === -1) return counters;
  const isToday = Math.floor(at / DAY_MS) === day;
  return { times: new Times(list.toSpliced(index, 1)), day, count: isToday ? count - 1 : count };
}

/** @param counters as `countersAt` gives them for the same time */
export function describeUsage({ times, day, count }: Counters, limits: Limits): Usage {
  // Of more requests than the cap, which was lowered, the later ones have to leave as well.
  const first = times.at(Math.max(0, times.length - limits.minute));
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

/** The counters as a line of numbers: the day, its count, the times. */
export function writeCounters({ times, day, count }: Counters): string {
  return [day, count, ...times.toArray()].join(' ');
}

/** @param line as `writeCounters` writes it; none for an account that has used nothing */
export function readCounters(line: string | null | undefined): Counters {
  if (!line) return UNUSED;
  const [day = 0, count = 0, ...times] = line.split(' ').map(Number);
  return { times: new Times(times), day, count };
}
