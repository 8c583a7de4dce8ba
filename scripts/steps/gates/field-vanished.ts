import { countOf } from '../../lib/count-of.ts';
import { exampleRecords } from '../rule.ts';
import { isNameIn } from './names-lost.ts';
import { describeList, type StepCheck, type StepFinding } from '../step.ts';

/** Two builds of 20 characters; only those of the first one have a region, if any. */
const vanished = (count: number) => ({
  '1.0/characters.json': exampleRecords(20, (index) => (index < count ? { region: 'North' } : {})),
  '1.1/characters.json': exampleRecords(20),
});

export const fieldVanishedCheck: StepCheck<'min_lost_records'> = {
  name: 'field-vanished',
  description: 'No attribute disappears from all records of a list, or from an object.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    min_lost_records: {
      ...{ default: 5, min: 1, max: 1e9 },
      help: 'an attribute that fewer records had is only reported if all had it',
    },
  },
  passes: vanished(4),
  fails: vanished(5),
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ after, place, changes }) =>
      changes
        .filter(({ key, change }) => change === 'vanished' && !isNameIn(after, key))
        .map(
          ({ key, had }): StepFinding => ({
            of: `${after.list}.${key}`,
            place,
            found: `no "${key}" in ${describeList(after)}`,
            expected:
              after.kind === 'object'
                ? `"${key}", as in build ${build}`
                : `"${key}" in ${countOf(had, 'record')}, as in build ${build}`,
          }),
        ),
    ),
};
