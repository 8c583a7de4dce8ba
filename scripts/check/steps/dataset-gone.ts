import type { Place } from '../../findings/findings.ts';
import { exampleRecords } from '../rule.ts';
import { isEmpty, type ListProfile } from './profile.ts';
import type { StepCheck, StepFinding } from './step.ts';

const before = { '1.0/items.json': exampleRecords(3) };

export const datasetGoneCheck: StepCheck = {
  name: 'dataset-gone',
  description: 'A dataset that had content still exists, and is not empty.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  passes: { ...before, '1.1/items.json': exampleRecords(1) },
  fails: { ...before, '1.1/items.json': [] },
  check: ({ before, after, build }) => {
    const buildFile: Place = { file: `${build.source.folder}/build.json`, pointer: '', line: 1 };
    return [...before.lists.values()].flatMap((earlier): StepFinding[] => {
      const { list } = earlier;
      const later = after.lists.get(list);
      if (list === 'characters' || holdsNothing(earlier) || (later && !holdsNothing(later))) return [];
      const dataset = build.datasets.find(({ key }) => key === list);
      return [
        {
          of: list,
          place: dataset?.place ?? buildFile,
          found: `${later ? 'nothing in the' : 'no'} dataset "${list}" in build ${after.build}`,
          expected: `a dataset with content, as in build ${before.build}`,
        },
      ];
    });
  },
};

function holdsNothing({ records }: ListProfile): boolean {
  return records.every(isEmpty);
}
