import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { Place } from '../../findings/findings.ts';
import { exampleRecords } from '../rule.ts';
import { type BuildProfile, isEmpty, type ListProfile } from './profile.ts';
import type { StepCheck, StepFinding } from './step.ts';

const before = { '1.0/items.json': exampleRecords(3) };

export const datasetGoneCheck: StepCheck = {
  name: 'dataset-gone',
  description:
    'A dataset that had content still exists, and is not empty; a dataset that is new or returns is not empty.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  passes: { ...before, '1.1/items.json': exampleRecords(1) },
  fails: { ...before, '1.1/items.json': [] },
  check: ({ before, after, build }) => {
    const buildFile: Place = { file: `${build.source.folder}/build.json`, pointer: '', line: 1 };
    const gone = [...before.lists.values()].flatMap((earlier): StepFinding[] => {
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
    return [...gone, ...findEmpty(before, after, build)];
  },
};

/** Datasets that are empty, and that the build before did not have. */
function findEmpty(before: BuildProfile, after: BuildProfile, build: CompiledBuild): StepFinding[] {
  return build.datasets.flatMap(({ key, place }): StepFinding[] => {
    const later = after.lists.get(key);
    if (before.lists.has(key) || later === undefined || !holdsNothing(later)) return [];
    const found = `nothing in the dataset "${key}", which build ${before.build} does not have`;
    return [{ of: key, place, found, expected: 'a dataset with content, or none' }];
  });
}

function holdsNothing({ records }: ListProfile): boolean {
  return records.every(isEmpty);
}
