import { countOf } from '../../lib/count-of.ts';
import { exampleRecords, type Limits } from '../rule.ts';
import { type ListStep, percent, type StepCheck, type StepFinding } from '../step.ts';

const before = { '1.0/items.json': exampleRecords(10) };

export const datasetLossCheck: StepCheck<'max_lost_share' | 'min_lost_records'> = {
  name: 'dataset-loss',
  description: 'A dataset that is a list keeps at least half of its number of records.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    // Datasets may list what is current (banners, events), and shrink when a season ends.
    max_lost_share: { default: 0.5, min: 0, max: 1, help: 'the share of records that a dataset may lose' },
    min_lost_records: { default: 5, min: 1, max: 1e9, help: 'fewer lost records are not reported' },
  },
  passes: { ...before, '1.1/items.json': exampleRecords(5) },
  fails: { ...before, '1.1/items.json': exampleRecords(4) },
  check: ({ lists, before: { build } }, limits) =>
    lists.flatMap((list): StepFinding[] => {
      const { before, after, place } = list;
      // An empty dataset is reported by `dataset-gone`.
      if (!losesMany(list, limits) || after.list === 'characters' || after.records.length === 0) return [];
      const { max_lost_share } = limits;
      const lost = before.records.length - after.records.length;
      return [
        {
          of: after.list,
          place,
          found: `${countOf(after.records.length, 'record')} in the dataset "${after.list}", ${lost} fewer than in build ${build}`,
          expected: `at least ${max_lost_share === 0.5 ? 'half' : percent(1 - max_lost_share)} of the ${before.records.length}`,
        },
      ];
    }),
};

/** Whether a dataset has many records fewer than before. */
export function losesMany(
  { before, after }: Pick<ListStep, 'before' | 'after'>,
  { max_lost_share, min_lost_records }: Limits<'max_lost_share' | 'min_lost_records'>,
): boolean {
  const lost = before.records.length - after.records.length;
  return lost >= min_lost_records && lost > before.records.length * max_lost_share;
}
