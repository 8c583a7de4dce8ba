import type { Finding } from '../findings.ts';
import type { StepCheck } from './check.ts';

const KINDS = { list: 'a list of records', object: 'one object' };

export const datasetKindsCheck: StepCheck = {
  name: 'dataset-kinds',
  description: 'A dataset stays a list, or one object, from build to build.',
  check: (before, after) =>
    after.datasets.flatMap(({ key, kind, place }): Finding[] => {
      const known = before.datasets.find((dataset) => dataset.key === key);
      if (known === undefined || known.kind === kind) return [];
      return [
        {
          check: 'dataset-kinds',
          severity: 'error',
          place,
          found: `"${key}" as ${KINDS[kind]} in build ${after.source.build}`,
          expected: `${KINDS[known.kind]}, as in build ${before.source.build}`,
        },
      ];
    }),
};
