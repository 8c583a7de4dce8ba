import type { BuildEntry } from '../../scripts/format/dist-format.ts';

/** How fresh the newest of some builds is, by what the builds say about themselves. */
export interface Freshness {
  /** When visitors and free keys first could see the newest build, ISO 8601 UTC. */
  public_at: string;
  /** How many UTC days ago it was released. */
  age_days: number;
  /** The median number of days between two of the last builds; null if there are less than three builds. */
  usual_interval_days: number | null;
  /** How many usual intervals old the newest build is, such as 1.4; null if no interval is known. */
  behind: number | null;
}

/** From how many usual intervals on a game is late. */
export const LATE = 1.5;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How many of the last intervals are looked at. */
const LAST = 12;
/** One interval is no habit. */
const MIN_INTERVALS = 2;

/**
 * Describes how fresh the newest of some builds is. When a build came to this gateway is not known to it, nor what the source of the game
 * has released since: dist/ has no clock.
 *
 * @param builds oldest first, at least one
 * @param delayHours after how many hours a build is public
 * @param now ms since 1970
 */
export function describeFreshness(builds: readonly BuildEntry[], delayHours: number, now: number): Freshness {
  const times = builds.map(({ released_at }) => Date.parse(released_at));
  const intervals = times.map((time, at) => time - (times[at - 1] ?? time)).slice(1);
  const last = intervals.slice(-LAST).sort((a, b) => a - b);
  const middle = (last[(last.length - 1) >> 1] ?? 0) + (last[last.length >> 1] ?? 0);
  const days = Math.round((middle / 2 / DAY_MS) * 10) / 10;
  const age = Math.max(0, Math.floor(now / DAY_MS) - Math.floor((times.at(-1) ?? 0) / DAY_MS));
  return {
    public_at: new Date((times.at(-1) ?? 0) + delayHours * HOUR_MS).toISOString(),
    age_days: age,
    usual_interval_days: last.length < MIN_INTERVALS ? null : days,
    behind: last.length < MIN_INTERVALS || days === 0 ? null : Math.round((age / days) * 10) / 10,
  };
}
