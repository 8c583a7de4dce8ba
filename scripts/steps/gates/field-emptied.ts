import { exampleRecords } from '../rule.ts';
import { isNameIn } from './names-lost.ts';
import { nameSome, type StepCheck, type StepFinding } from '../step.ts';

/** Two builds of ten characters, where some of the later ones have no attack. */
const emptied = (count: number) => ({
  '1.0/characters.json': exampleRecords(10, () => ({ stats: { atk: 9 } })),
  '1.1/characters.json': exampleRecords(10, (index) => ({ stats: { atk: index < count ? 0 : 9 } })),
});

export const fieldEmptiedCheck: StepCheck<'min_lost_share' | 'min_lost_records'> = {
  name: 'field-emptied',
  description: 'No attribute becomes zero, null or empty in nearly all records.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    // The other values may come from another source.
    min_lost_share: {
      ...{ default: 0.9, min: 0, max: 1 },
      help: 'the share of lost values from which an attribute is reported',
    },
    min_lost_records: {
      ...{ default: 5, min: 1, max: 1e9 },
      help: 'an attribute that fewer records had is only reported if all had it',
    },
  },
  // Three lost values of ten are reported by `values-lost`.
  passes: emptied(2),
  fails: emptied(9),
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ after, place, changes }) =>
      changes
        .filter(({ key, change }) => change === 'emptied' && !isNameIn(after, key))
        .map(
          ({ key, had, lost }): StepFinding => ({
            of: `${after.list}.${key}`,
            place,
            found: `"${key}" zero, empty or absent in ${lost.length} of ${had} records of ${after.list}: ${nameSome(lost)}`,
            expected: `values, as in build ${build}`,
            changed: { attributes: [key], count: lost.length, all: had },
          }),
        ),
    ),
};
