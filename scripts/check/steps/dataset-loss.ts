import { countOf } from '../../lib/count-of.ts';
import type { StepCheck, StepFinding } from './step.ts';
import { MAX_DATASET_LOST_SHARE, MIN_LOST_RECORDS } from './thresholds.ts';

export const datasetLossCheck: StepCheck = {
  name: 'dataset-loss',
  description: 'A dataset that is a list keeps at least half of its number of records.',
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ before, after, place }): StepFinding[] => {
      const lost = before.records.length - after.records.length;
      const few = lost < MIN_LOST_RECORDS || lost <= before.records.length * MAX_DATASET_LOST_SHARE;
      // An empty dataset is reported by `dataset-gone`.
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
