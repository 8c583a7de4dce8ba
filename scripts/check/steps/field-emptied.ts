import { isNameIn } from './names-lost.ts';
import { nameSome, type StepCheck, type StepFinding } from './step.ts';

export const fieldEmptiedCheck: StepCheck = {
  name: 'field-emptied',
  description: 'No attribute becomes zero, null or empty in nearly all records.',
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
          }),
        ),
    ),
};
