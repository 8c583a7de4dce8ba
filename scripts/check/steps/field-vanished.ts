import { countOf } from '../../lib/count-of.ts';
import { isNameIn } from './names-lost.ts';
import { describeList, type StepCheck, type StepFinding } from './step.ts';

export const fieldVanishedCheck: StepCheck = {
  name: 'field-vanished',
  description: 'No attribute disappears from all records of a list, or from an object.',
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
