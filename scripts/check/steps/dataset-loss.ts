import { countOf } from '../../lib/count-of.ts';
import type { StepCheck, StepFinding } from './step.ts';
import { DATASET_LOST_SHARE, FEWEST } from './thresholds.ts';

export const datasetLossCheck: StepCheck = {
  name: 'dataset-loss',
  description: 'A dataset that is a list has not fewer than half as many records as before.',
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ before, after, place }): StepFinding[] => {
      const lost = before.records.length - after.records.length;
      const few = lost < FEWEST || lost <= before.records.length * DATASET_LOST_SHARE;
      // An empty one is as good as gone, which is told.
      if (few || after.list === 'characters' || after.records.length === 0) return [];
      return [
        {
          of: after.list,
          place,
          found: `${countOf(after.records.length, 'record')} in the dataset "${after.list}", ${lost} fewer than in build ${build}`,
          expected: `at least half of the ${before.records.length}`,
        },
      ];
    }),
};
