import type { BuildContent } from '../format/build-content.ts';
import type { Renames } from '../format/dist-format.ts';
import { type BuildDiff, diffBuilds } from './diff-builds.ts';
import { type BuildHistory, summariseDiff } from './history.ts';
import { type TimelineEntry, timelineOf } from './timeline.ts';

/** The changes of a build, in the three forms that dist/ holds. */
export interface StepDiff {
  /** Null for the first build. */
  diff: BuildDiff | null;
  history: BuildHistory;
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
  return { diff: before ? diff : null, history: summariseDiff(diff), timeline: timelineOf(diff) };
}
