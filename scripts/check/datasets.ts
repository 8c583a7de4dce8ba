import type { CompiledDataset } from '../compile/compile-build.ts';
import { DATASET_KEY, REQUIRED_DATASETS, RESERVED_DATASET_KEYS } from '../format/dist-format.ts';
import { type Check, type CheckFinding, hasFaultyFile } from './check.ts';

const reserved = new Set<string>(RESERVED_DATASET_KEYS);
const validKey = new RegExp(DATASET_KEY);

export const datasetKeysCheck: Check = {
  name: 'dataset-keys',
  description: 'Dataset keys are snake_case, and none is an address that the API uses for something else.',
  scope: 'build',
  severity: 'error',
  passes: { '1.0/level_costs.json': [] },
  fails: { '1.0/history.json': [] },
  check: ({ datasets }) =>
    datasets.flatMap(({ key, place }): CheckFinding[] => {
      const expected = expectKey(key);
      if (expected === undefined) return [];
      return [
        {
          place,
          found: `a dataset named "${key}"`,
          expected,
          ...(key === 'characters' && {
            fix: 'the roster is mapped by "roster" in game.json; a raw file of this name goes into "tables" there',
          }),
        },
      ];
    }),
};

function expectKey(key: string): string | undefined {
  if (!validKey.test(key))
    return 'a key in snake_case: words of lowercase letters and digits, joined by one "_", starting with a letter; at most 64 characters';
  return reserved.has(key)
    ? `a key other than ${RESERVED_DATASET_KEYS.join(', ')}, whose addresses the API uses for something else`
    : undefined;
}

export const requiredDatasetsCheck: Check = {
  name: 'required-datasets',
  description: 'Every build has the datasets that every game must have, and they are not empty.',
  scope: 'build',
  severity: 'error',
  passes: { '1.0/pull_planner.json': { currency: 'Gem' } },
  fails: { '1.0/pull_planner.json': {} },
  check: ({ source, datasets }, readFindings) =>
    REQUIRED_DATASETS.flatMap((key): CheckFinding[] => {
      const dataset = datasets.find((candidate) => candidate.key === key);
      if (dataset && !isEmpty(dataset)) return [];
      return [
        {
          place: dataset?.place ?? { file: `${source.folder}/build.json`, pointer: '', line: 1 },
          found: `${dataset ? 'an empty' : 'no'} dataset "${key}" in build ${source.build}`,
          expected: `"${key}" in every build of every game`,
          fix: `write ${source.folder}/${key}.json (what a pull costs, pity and guarantees), or map it in game.json`,
          follows: dataset === undefined && hasFaultyFile(readFindings, key),
        },
      ];
    }),
};

function isEmpty(dataset: CompiledDataset): boolean {
  const objects = dataset.kind === 'list' ? dataset.records.map(({ record }) => record) : [dataset.object];
  return objects.every((object) => Object.keys(object).length === 0);
}
