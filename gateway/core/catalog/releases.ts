import { TIERS } from '../plans/tiers.ts';

/** An hour in ms. */
export const HOUR = 3_600_000;
/** How long the tier that waits longest waits for a build. */
export const MAX_DELAY_MS = Math.max(...Object.values(TIERS).map(({ delayHours }) => delayHours)) * HOUR;

/** Returns the position of the first build that is loaded at a time: the current one of the tier with the longest delay. */
export function firstServed(builds: readonly { released_at: string }[], now: number): number {
  return currentAt(builds, now - MAX_DELAY_MS);
}

/** Returns the position of the newest released build at a time, in builds that are oldest first; 0 when none is released. */
export function currentAt(builds: readonly { released_at: string }[], moment: number): number {
  return Math.max(
    0,
    builds.findLastIndex((build) => isReleased(build, moment)),
  );
}

/** Returns whether a build is released at a moment, in ms since 1970. */
export function isReleased({ released_at }: { released_at: string }, moment: number): boolean {
  return Date.parse(released_at) <= moment;
}
