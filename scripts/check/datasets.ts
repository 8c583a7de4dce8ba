import { DATASET_KEY } from '../dist-format.ts';
import type { Finding } from '../findings.ts';
import type { Check } from './check.ts';

const RESERVED = new Set(['characters', 'compare', 'history', 'snapshot', 'diff', 'facets']);
const REQUIRED = ['pull_planner'];
const validKey = new RegExp(DATASET_KEY);

export const datasetKeysCheck: Check = {
  name: 'dataset-keys',
  description: 'Dataset keys are snake_case and none is an address of its own.',
  check: ({ datasets }) =>
    datasets.flatMap(({ key, place }): Finding[] => {
      const expected = !validKey.test(key)
        ? 'a snake_case key of at most 64 characters'
        : RESERVED.has(key)
          ? `a key other than ${[...RESERVED].join(', ')}, which have a meaning of their own`
          : undefined;
      if (expected === undefined) return [];
      return [
        { check: 'dataset-keys', severity: 'error', place, found: `a dataset named "${key}"`, expected },
      ];
    }),
};

export const requiredDatasetsCheck: Check = {
  name: 'required-datasets',
  description: 'Every build has the datasets that every game must have.',
  check: ({ source, datasets }) =>
    REQUIRED.filter((key) => !datasets.some((dataset) => dataset.key === key)).map((key) => ({
      check: 'required-datasets',
      severity: 'error',
      place: { file: `${source.folder}/build.json`, pointer: '', line: 1 },
      found: `no dataset "${key}" in build ${source.build}`,
      expected: `"${key}" in every build of every game`,
      fix: `write ${source.folder}/${key}.json (what a pull costs, pity and guarantees), or map it in game.json`,
    })),
};
