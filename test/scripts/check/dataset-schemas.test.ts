import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';
import { linesOf } from './cases.ts';

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
    kind: { enum: ['a', 'b'] },
    constructor: { type: 'string' },
  },
};
const ITEMS = linesOf(
  '{"id": "i1", "cost": 0}',
  '{"id": "i2", "cost": 1}',
  '{"id": "i3", "day": "1.2.2026"}',
);

test('every record of a list is checked, and placed at its row', async () => {
  const { findings } = await compileFiles(withSchema('items', ITEM, { '1.0/items.json': ITEMS }));
  assert.equal(placesOf(findings), [
    'dataset-schema 1.0/items.json:2 /0/cost',
    'dataset-schema 1.0/items.json:4 /2',
    'dataset-schema 1.0/items.json:4 /2/day',
  ]);
  assert.equal(
    findings.map(({ found, expected }) => [found, expected]),
    [
      ['the number 0', 'a number of gems'],
      ['no "cost"', '"cost" to be present'],
      ['the text "1.2.2026"', 'must match format "date"'],
    ],
  );
});

test('a finding about a mapped list is placed at the raw row, and names the attribute of the record', async () => {
  const { findings } = await compileFiles(
    withSchema('items', ITEM, {
      'game.json': {
        title: 'Game',
        tables: { rows: 'raw/rows.json' },
        datasets: { items: { from: 'rows', entry: "{'id': $string(n), 'cost': n}" } },
        schemas: { items: 'schemas/s.json' },
      },
      '1.0/raw/rows.json': linesOf('{"n": 1}', '{"n": -1}'),
    }),
  );
  assert.equal(placesOf(findings), ['dataset-schema 1.0/raw/rows.json:3 /1']);
  assert.is(findings[0]?.found, 'the number -1 at "/cost" of the compiled record "-1"');
});

test('a schema of characters applies to full records, and one of an object to the whole object', async () => {
  const characters = await compileFiles(
    withSchema(
      'characters',
      { required: ['skills'] },
      { '1.0/characters.json': [{ id: 'ann', name: 'Ann', skills: [{ id: 1 }] }] },
    ),
  );
  assert.equal(characters.findings, []);
  const object = await compileFiles(
    withSchema(
      'pull_planner',
      { properties: { pity: { type: 'integer' } } },
      {
        '1.0/pull_planner.json': '{\n"a": 1,\n"pity": "90"}',
      },
    ),
  );
  assert.equal(placesOf(object.findings), ['dataset-schema 1.0/pull_planner.json:3 /pity']);
});

test('a schema of a dataset that no build has is a finding', async () => {
  const { findings } = await compileFiles(withSchema('itmes', ITEM, { '1.0/items.json': [] }));
  assert.equal(placesOf(findings), ['dataset-schema game.json:4 /schemas/itmes']);
  assert.is(findings[0]?.expected, 'one of characters, items, pull_planner');
});

const refs = Object.fromEntries(
  Array.from({ length: 40 }, (_, level) => [
    `d${level}`,
    { allOf: Array(2).fill(level === 39 ? true : { $ref: `#/definitions/d${level + 1}` }) },
  ]),
);
const bad: [name: string, schema: Json | string, place: string, expected: RegExp][] = [
  ['is cut off', '{\n"type": "object"', 'json-syntax schemas/s.json:2', /well-formed/],
  ['is not a schema', '[]', 'schema-file schemas/s.json:1', /object or boolean/],
  [
    'names an unknown type',
    '{"properties": {\n"a": {"type": "int"}}}',
    'schema-file schemas/s.json:2 /properties/a/type',
    /integer/,
  ],
  [
    'has an unknown keyword',
    '{"items": {\n"requird": []}}',
    'schema-file schemas/s.json:2 /items/requird',
    /required/,
  ],
  [
    'refers to another file',
    '{"items":\n{"$ref": "http://example.org/s.json"}}',
    'schema-file schemas/s.json:2 /items/$ref',
    /into this file/,
  ],
  [
    'refers to nothing',
    '{"items":\n{"$ref": "#/definitions/x"}}',
    'schema-file schemas/s.json:2 /items/$ref',
    /something in this file/,
  ],
  [
    'refers to a property that every object inherits',
    '{"$ref": "#/constructor"}',
    'schema-file schemas/s.json:1 /$ref',
    /something in this file/,
  ],
  [
    'refers to itself',
    '{"items":\n{"$ref": "#"}}',
    'schema-file schemas/s.json:2 /items/$ref',
    /references without a cycle/,
  ],
  [
    'expands to too many subschemas',
    { definitions: refs, $ref: '#/definitions/d0' },
    'schema-file schemas/s.json:1',
    /at most 2000/,
  ],
  [
    'is nested too deep',
    `${'{"not":'.repeat(5000)}{}${'}'.repeat(5000)}`,
    'schema-file schemas/s.json:1',
    /nesting/,
  ],
  [
    'has a pattern with a lookahead',
    '{\n"pattern": "(?=a)"}',
    'schema-file schemas/s.json:2 /pattern',
    /RE2/,
  ],
  [
    'has a pattern with too many repetitions',
    '{\n"pattern": "(a{900}){900}"}',
    'schema-file schemas/s.json:2 /pattern',
    /RE2/,
  ],
  [
    'has an invalid pattern of names',
    '{"patternProperties": {\n"[": {}}}',
    'schema-file schemas/s.json:2 /patternProperties/[',
    /RE2/,
  ],
  ['has an unknown format', '{\n"format": "email"}', 'schema-file schemas/s.json:2 /format', /date-time/],
  [
    'is of another draft',
    '{\n"$schema": "https://json-schema.org/draft/2020-12/schema"}',
    'schema-file schemas/s.json:2 /$schema',
    /draft-07/,
  ],
  ['has no effect', '{"then": {}}', 'schema-file schemas/s.json:1', /draft 7/],
];
for (const [name, schema, place, expected] of bad) {
  test(`a schema that ${name} is a finding in its file`, async () => {
    const { findings } = await compileFiles(withSchema('items', schema, { '1.0/items.json': [] }));
    assert.equal(placesOf(findings), [place]);
    assert.match(findings[0]?.expected ?? '', expected);
  });
}

test('a schema that does not exist, or is outside the folder, is a finding in game.json', async () => {
  for (const [file, place] of [
    ['schemas/none.json', 'schema-file game.json:4 /schemas/items'],
    ['../s.json', 'definition game.json:4 /schemas/items'],
  ] as const) {
    const files = { 'game.json': { title: 'Game', schemas: { items: file } }, '1.0/items.json': [] };
    assert.equal(placesOf((await compileFiles(gameFiles(files))).findings), [place]);
  }
});

test('catastrophic patterns and the comparison of elements take linear time', async () => {
  const { findings } = await compileFiles(
    withSchema(
      'items',
      {
        properties: { a: { pattern: '^(a+)+$' }, n: { uniqueItems: true } },
        patternProperties: { '^(k|k|kk)+$': { type: 'number' } },
      },
      {
        '1.0/items.json': [
          { a: `${'a'.repeat(100_000)}!` },
          { n: Array.from({ length: 100_000 }, (_, index) => ({ index })) },
          { [`${'k'.repeat(60)}!`]: 'x' },
        ],
      },
    ),
  );
  assert.equal(placesOf(findings), ['dataset-schema 1.0/items.json:3 /0/a']);
});

test('of a record with very many mismatches only the first is reported', async () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]));
  const { findings } = await compileFiles(
    withSchema('items', { additionalProperties: { type: 'string' } }, { '1.0/items.json': many }),
  );
  assert.is(findings.length, 1);
  assert.is(findings[0]?.more, undefined);
});

test.run();
