import { inSteps, type Steps, TEXTS_A_STEP } from '../lib/work.ts';

/** How many values are sorted in one step: each is compared about ten times. */
const SORTED_A_STEP = 1024;

/** Sorts values (a merge sort whose first runs are sorted by the engine). @returns the sorted values; the given list is used as memory */
export function* sortInSteps<T>(values: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const { length } = values;
  if (length <= SORTED_A_STEP) return values.sort(compare);
  yield* inSteps(length, SORTED_A_STEP, (from, to) => {
    const run = values.slice(from, to).sort(compare);
    for (let at = from; at < to; at++) values[at] = run[at - from] as T;
  });
  let runs = values;
  let merged = new Array<T>(length);
  for (let width = SORTED_A_STEP; width < length; width *= 2) {
    yield* mergeRuns({ runs, merged, width, compare });
    [runs, merged] = [merged, runs];
  }
  return runs;
}

interface Merge<T> {
  /** Sorted runs of `width` values, one after another. */
  runs: readonly T[];
  /** Receives runs of twice the width. */
  merged: T[];
  width: number;
  compare: (a: T, b: T) => number;
}

function* mergeRuns<T>({ runs, merged, width, compare }: Merge<T>): Steps<undefined> {
  const { length } = runs;
  let left = 0;
  let right = width;
  yield* inSteps(length, TEXTS_A_STEP, (from, to) => {
    for (let at = from; at < to; at++) {
      const start = at - (at % (2 * width));
      if (at === start) [left, right] = [start, start + width];
      const middle = Math.min(start + width, length);
      const end = Math.min(start + 2 * width, length);
      const isLeft = right >= end || (left < middle && compare(runs[left] as T, runs[right] as T) <= 0);
      merged[at] = runs[isLeft ? left++ : right++] as T;
    }
  });
}
