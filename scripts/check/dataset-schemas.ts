import type { CompiledRecord } from '../compile/compile-build.ts';
import { type Check, listsOf, recordError } from './check.ts';

const schema = {
  'game.json': { title: 'Game', schemas: { items: 'items.schema.json' } },
  'items.schema.json': { properties: { cost: { type: 'integer' } } },
};

export const datasetSchemasCheck: Check = {
  name: 'dataset-schema',
  description: 'Records match the JSON Schemas that game.json names for them.',
  scope: 'build',
  severity: 'error',
  passes: { ...schema, '1.0/items.json': [{ cost: 1 }] },
  fails: { ...schema, '1.0/items.json': [{ cost: 'free' }] },
  *check(build) {
    const { schemas, definition } = build.source;
    const isMapped = (key: string) => definition.datasets.some((dataset) => dataset.key === key);
    const objects = build.datasets.flatMap((dataset): [string, CompiledRecord[]][] => {
      if (dataset.kind === 'list') return [];
      const { key, object, place } = dataset;
      return [[key, [{ record: object, place, raw: !isMapped(key) }]]];
    });
    for (const [key, records] of [...listsOf(build), ...objects]) {
      const mismatchesOf = schemas.get(key)?.mismatchesOf;
      if (mismatchesOf === undefined) continue;
      for (const record of records)
        for (const { pointer, found, expected } of mismatchesOf(record.record))
          yield recordError(record, pointer, found, expected);
    }
  },
};
