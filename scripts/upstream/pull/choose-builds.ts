import type { UpstreamBuild } from './group-builds.ts';

/** The builds of upstream that are to be added, and why others are not. */
export interface ChosenBuilds {
  /** To add, oldest first. */
  chosen: UpstreamBuild[];
  /** Released before the newest build that the game has, and not in the game. */
  older: UpstreamBuild[];
  /** Complete only after their settling time. */
  waiting: UpstreamBuild[];
  /** Beyond the limit. */
  beyond: UpstreamBuild[];
  /** The newest build of the game, if upstream corrected it after its settling time. */
  corrected: UpstreamBuild | undefined;
}

/** What a game has, and which builds are wanted. */
export interface Wanted {
  /** The names of the builds that the game has. */
  present: ReadonlySet<string>;
  /** The newest of them. */
  newest: { build: string; released_at: string } | undefined;
  /** Only builds released at this time or later, in ms since 1970. */
  since: number;
  limit: number;
  /** ms since 1970. */
  now: number;
}

/**
 * Chooses the builds of upstream to add. Builds are added in order: one that is not complete yet holds back those after it.
 *
 * @param builds in the order of their release
 */
export function chooseBuilds(builds: readonly UpstreamBuild[], wanted: Wanted): ChosenBuilds {
  const { present, newest, since, limit, now } = wanted;
  const after = newest ? Date.parse(newest.released_at) : Number.NEGATIVE_INFINITY;
  const missing = builds.filter(
    ({ build, released_at }) => !present.has(build) && Date.parse(released_at) >= since,
  );
  const fresh = missing.filter(({ released_at }) => Date.parse(released_at) > after);
  const unsettled = fresh.findIndex(({ settledAt }) => settledAt > now);
  const ready = unsettled === -1 ? fresh : fresh.slice(0, unsettled);
  const corrected = builds.find(({ build, corrections }) => build === newest?.build && corrections > 0);
  return {
    chosen: ready.slice(0, limit),
    older: missing.filter(({ released_at }) => Date.parse(released_at) <= after),
    waiting: unsettled === -1 ? [] : fresh.slice(unsettled),
    beyond: ready.slice(limit),
    corrected,
  };
}
