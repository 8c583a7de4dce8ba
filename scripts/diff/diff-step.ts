import type { BuildContent } from '../format/build-content.ts';
import type { Renames } from '../format/dist-format.ts';
import { type BuildDiff, diffBuilds } from './diff-builds.ts';
import { summariseDiff } from './history.ts';
import { type Changed, countPages, pageOf } from './history-pages.ts';
import { type TimelineEntry, timelineOf } from './timeline.ts';

/** The changes of a build, in the three forms that dist/ holds. */
export interface StepDiff {
  /** Null for the first build. */
  diff: BuildDiff | null;
  /** Its pages; one, unless a list is long. */
  history: [first: Changed, ...more: Changed[]];
  timeline: TimelineEntry[];
}

/**
 * Compares a build with the one before it.
 *
 * @param before undefined for the first build, in which everything is new
 * @param renamed the records that the build renumbered
 */
export function diffStep(before: BuildContent | undefined, after: BuildContent, renamed: Renames): StepDiff {
  const diff = diffBuilds(before, after, renamed);
  const all = summariseDiff(diff);
  const more = Array.from({ length: countPages(all) - 1 }, (_, at) => pageOf(all, at + 2));
  return { diff: before ? diff : null, history: [pageOf(all, 1), ...more], timeline: timelineOf(diff) };
}
