import type { BuildContent } from '../format/build-content.ts';
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
 */
export function diffStep(before: BuildContent | undefined, after: BuildContent): StepDiff {
  const diff = diffBuilds(before, after);
  return { diff: before ? diff : null, history: summariseDiff(diff), timeline: timelineOf(diff) };
}
