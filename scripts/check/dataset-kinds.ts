import type { CheckFinding, StepCheck } from './check.ts';

const KINDS = { list: 'a list of records', object: 'one object' };

export const datasetKindsCheck: StepCheck = {
  name: 'dataset-kinds',
  description: 'A dataset stays a list, or one object, from build to build.',
  check: (before, after) =>
    after.datasets.flatMap(({ key, kind, place }): CheckFinding[] => {
      const known = before.datasets.find((dataset) => dataset.key === key);
      if (known === undefined || known.kind === kind) return [];
      return [
        {
          place,
          found: `"${key}" as ${KINDS[kind]} in build ${after.source.build}`,
          expected: `${KINDS[known.kind]}, as in build ${before.source.build}`,
          fix: 'give it the same form in every build, or another key from this build on',
        },
      ];
    }),
};
