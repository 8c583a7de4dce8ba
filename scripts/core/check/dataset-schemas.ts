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
    for (const [key, records] of listsOf(build)) {
      const mismatchesOf = schemas.get(key)?.mismatchesOf;
      if (mismatchesOf === undefined) continue;
      for (const record of records) {
        for (const { pointer, found, expected } of mismatchesOf(record.record)) {
          yield recordError(record, pointer, found, expected);
        }
      }
    }
    for (const dataset of build.datasets) {
      const mismatchesOf = schemas.get(dataset.key)?.mismatchesOf;
      if (mismatchesOf === undefined || dataset.kind === 'list') continue;
      const raw = !definition.datasets.some(({ key }) => key === dataset.key);
      const { object, place } = dataset;
      for (const { pointer, found, expected } of mismatchesOf(object)) {
        yield recordError({ record: object, place, raw }, pointer, found, expected);
      }
    }
  },
};
