import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';
import { linesOf, mappedAsIs, table, testRows } from './cases.ts';

const test = suite('check dataset-schema');

function withSchema(key: string, schema: Json | string, files: Files): Files {
  return gameFiles({
    'game.json': { title: 'Game', schemas: { [key]: 'schemas/s.json' } },
    'schemas/s.json': schema,
    ...files,
  });
}

const ITEM: Json = {
  type: 'object',
  required: ['id', 'cost'],
  properties: {
    cost: { type: 'integer', minimum: 1, description: 'a number of gems' },
    day: { format: 'date' },
    constructor: { type: 'string' },
  },
};

test('every record of a list is checked, and placed at its row', async () => {
  const items = linesOf(
    '{"id": "i1", "cost": 0}',
    '{"id": "i2", "cost": 1}',
    '{"id": "i3", "day": "1.2.2026"}',
  );
  const { findings } = await compileFiles(withSchema('items', ITEM, { '1.0/items.json': items }));
  assert.equal(
    findings.map((finding) => [...placesOf([finding]), finding.found, finding.expected]),
    [
      ['dataset-schema 1.0/items.json:2 /0/cost', 'the number 0', 'a number of gems'],
      ['dataset-schema 1.0/items.json:4 /2', 'no "cost"', '"cost" to be present'],
      ['dataset-schema 1.0/items.json:4 /2/day', 'the text "1.2.2026"', 'must match format "date"'],
    ],
  );
});

test('a finding about a mapped list is placed at the raw row, and names the attribute of the record', async () => {
  const { 'game.json': game, ...rows } = mappedAsIs(
    'd',
    linesOf('{"id": "1", "cost": 1}', '{"id": "2", "cost": -1}'),
  );
  const schemas = { ...JSON.parse(String(game)), schemas: { d: 'schemas/s.json' } };
  const { findings } = await compileFiles(withSchema('d', ITEM, { ...rows, 'game.json': schemas }));
  assert.equal(placesOf(findings), ['dataset-schema 1.0/raw/rows.json:3 /1']);
  assert.is(findings[0]?.found, 'the number -1 at "/cost" of the compiled record "2"');
});

test('a schema applies to full records, and one of an object to the whole object', async () => {
  const ann = [{ id: 'ann', name: 'Ann', skills: [{ id: 1 }] }];
  const characters = withSchema('characters', { required: ['skills'] }, { '1.0/characters.json': ann });
  assert.equal((await compileFiles(characters)).findings, []);
  const planner = { '1.0/pull_planner.json': '{\n"a": 1,\n"pity": "90"}' };
  const object = withSchema('pull_planner', { properties: { pity: { type: 'integer' } } }, planner);
  assert.equal(placesOf((await compileFiles(object)).findings), [
    'dataset-schema 1.0/pull_planner.json:3 /pity',
  ]);
});

/** Schemas that cannot be used. */
testRows(
  test,
  table`
    {¶"type": "object"                                      | file-syntax schemas/s.json:2                      | well-formed
    []                                                      | schema-file schemas/s.json:1                      | draft 7
    {"properties": {¶"a": {"type": "int"}}}                 | schema-file schemas/s.json:1                      | draft 7
    {"items": {¶"requird": []}}                             | schema-file schemas/s.json:1                      | draft 7
    {"items":¶{"$ref": "http://example.org/s.json"}}        | schema-file schemas/s.json:1                      | draft 7
    {"items":¶{"$ref": "#/definitions/x"}}                  | schema-file schemas/s.json:1                      | draft 7
    {¶"pattern": "(?=a)"}                                   | schema-file schemas/s.json:1                      | RE2
    {¶"format": "email"}                                    | schema-file schemas/s.json:1                      | draft 7
    {¶"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema-file schemas/s.json:1                 | draft 7
    {"then": {}}                                            | schema-file schemas/s.json:1                      | draft 7
  `,
  (schema) => withSchema('items', schema, { '1.0/items.json': [] }),
);

test('a schema that is nested too deep is a finding', async () => {
  const schema = `${'{"not":'.repeat(5000)}{}${'}'.repeat(5000)}`;
  const { findings } = await compileFiles(withSchema('items', schema, { '1.0/items.json': [] }));
  assert.equal(placesOf(findings), ['schema-file schemas/s.json:1']);
});

/** Names of schemas in game.json. */
testRows(
  test,
  table`
    {"itmes": "schemas/s.json"}     | dataset-schema game.json:1 /schemas/itmes  | one of characters, items, pull_planner
    {"items": "schemas/none.json"}  | schema-file game.json:1 /schemas/items
    {"items": "../s.json"}          | definition game.json:1 /schemas/items
  `,
  (schemas) => ({
    'game.json': `{"title": "Game", "schemas": ${schemas}}`,
    'schemas/s.json': {},
    '1.0/items.json': [],
  }),
);

test('catastrophic patterns take linear time', async () => {
  const schema = { properties: { a: { pattern: '^(a+)+$' } } };
  const rows = [{ a: `${'a'.repeat(100_000)}!` }];
  const { findings } = await compileFiles(withSchema('items', schema, { '1.0/items.json': rows }));
  assert.equal(placesOf(findings), ['dataset-schema 1.0/items.json:3 /0/a']);
});

test.run();
