import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { Place } from '../../findings/findings.ts';
import { exampleRecords } from '../rule.ts';
import { isEmpty } from '../profile/attribute-profile.ts';
import type { BuildProfile, ListProfile } from '../profile/profile.ts';
import type { Seen, StepCheck, StepFinding } from '../step.ts';

const before = { '1.0/items.json': exampleRecords(3) };

export const datasetGoneCheck: StepCheck = {
  name: 'dataset-gone',
  description:
    'A dataset that had content still exists, and is not empty; a dataset that returns is not empty.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  passes: { ...before, '1.1/items.json': exampleRecords(1) },
  fails: { ...before, '1.1/items.json': [] },
  check: ({ before, after, build, seen }) => {
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
    return [...gone, ...findEmpty(before, after, build, seen)];
  },
};

/** Datasets that are empty, that the build before did not have, and that had content in one before it. */
function findEmpty(
  before: BuildProfile,
  after: BuildProfile,
  build: CompiledBuild,
  { filled }: Seen,
): StepFinding[] {
  return build.datasets.flatMap(({ key, place }): StepFinding[] => {
    const later = after.lists.get(key);
    if (!filled.includes(key) || before.lists.has(key) || !later || !holdsNothing(later)) return [];
    const found = `nothing in the dataset "${key}", which had content in an earlier build`;
    return [{ of: key, place, found, expected: 'a dataset with content, or none' }];
  });
}

/** Adds the datasets of a build that have content to those of earlier builds. */
export function addFilled(filled: readonly string[], { lists }: BuildProfile): string[] {
  const now = [...lists.values()].flatMap((profile) => (holdsNothing(profile) ? [] : [profile.list]));
  return [...new Set([...filled, ...now])];
}

function holdsNothing({ records }: ListProfile): boolean {
  return records.every(isEmpty);
}
