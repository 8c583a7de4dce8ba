import type { StepCheck, StepFinding } from '../step.ts';

const KINDS = { list: 'a list of records', object: 'one object' };

export const datasetKindsCheck: StepCheck = {
  name: 'dataset-kinds',
  description: 'A dataset that is a list stays a list, and one that is an object stays an object.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  passes: { '1.0/items.json': [{ gem: 1 }], '1.1/items.json': [{ gem: 2 }] },
  fails: { '1.0/items.json': [{ gem: 1 }], '1.1/items.json': { gem: 1 } },
  check: ({ before, after, build }) =>
    build.datasets.flatMap(({ key, kind, place }): StepFinding[] => {
      const listBefore = before.lists.get(key);
      if (listBefore === undefined || listBefore.kind === kind) return [];
      return [
        {
          of: key,
          place,
          found: `"${key}" as ${KINDS[kind]} in build ${after.build}`,
          expected: `${KINDS[listBefore.kind]}, as in build ${before.build}`,
          fix: 'give it the same form in every build, or use another key from this build on',
        },
      ];
    }),
};
