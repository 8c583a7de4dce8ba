import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { renderEditorSchemas } from '../../../scripts/read/editor-schemas.ts';
import { parseJson } from '../../../scripts/read/json.ts';
import { DATA } from '../../support/paths.ts';

const test = suite('schemas for editors');

const GAME = 'game.schema.json';
const BUILD = 'build.schema.json';
const CORRECTIONS = 'corrections.schema.json';

/** Compiles a schema as an editor does, without the compiler's own keywords. */
function compile(text: string): ValidateFunction {
  return new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(text));
}

const schemas = await renderEditorSchemas();
const validate = new Map(Object.entries(schemas).map(([file, text]) => [file, compile(text)]));

async function readDefinition(file: string): Promise<Json> {
  const parsed = parseJson(await readFile(path.join(DATA, file), 'utf8'), file);
  assert.ok('value' in parsed);
  return parsed.value;
}

/** All properties that a schema describes, by their path in it. */
function propertiesOf(schema: unknown, at: string): [string, { description?: string }][] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, part]): [string, { description?: string }][] => [
    ...(key === 'properties'
      ? Object.entries(part as object).map(([name, property]): [string, { description?: string }] => [
          `${at}/${name}`,
          property,
        ])
      : []),
    ...propertiesOf(part, `${at}/${key}`),
  ]);
}

test('the files in data/ are up to date (npm run schemas)', async () => {
  for (const [file, text] of Object.entries(schemas)) {
    assert.fixture(await readFile(path.join(DATA, file), 'utf8'), text);
  }
});

test('every property has a description', () => {
  for (const text of Object.values(schemas)) {
    const properties = propertiesOf(JSON.parse(text), '');
    assert.ok(properties.length > 0);
    assert.equal(
      properties.filter(([, { description = '' }]) => description.length < 15).map(([at]) => at),
      [],
    );
  }
});

test('every shipped definition names its schema and matches it', async () => {
  const files = await readdir(DATA, { recursive: true });
  const definitions = files.filter((file) => /^[^/]+\/(game|[^/]+\/build)\.json$/.test(file));
  assert.ok(definitions.length > 6);
  for (const file of definitions) {
    const definition = (await readDefinition(file)) as { $schema: string };
    const schema = path.join(path.dirname(file), definition.$schema);
    assert.is(schema, file.endsWith('game.json') ? GAME : BUILD, file);
    assert.ok(existsSync(path.join(DATA, schema)));
    const holds = validate.get(schema);
    assert.ok(holds?.(definition), JSON.stringify(holds?.errors));
  }
});

const TABLES = { t: { files: 't.csv' } };
const mistakes: [file: string, definition: Json][] = [
  [GAME, {}],
  [GAME, { title: '' }],
  [GAME, { title: 'G', titel: 'G' }],
  [GAME, { title: 'G', tables: { 'a-b': 'a.json' } }],
  [GAME, { title: 'G', tables: { t: '../t.json' } }],
  [GAME, { title: 'G', tables: { t: { file: 't.csv' } } }],
  [GAME, { title: 'G', tables: { t: { files: 't.csv', format: 'xml' } } }],
  [GAME, { title: 'G', tables: TABLES, roster: { from: 't' } }],
  [GAME, { title: 'G', tables: TABLES, datasets: { d: { from: 't', entry: {} } } }],
  [GAME, { title: 'G', datasets: { d: { file: 'd.txt' } } }],
  [GAME, { title: 'G', schemas: { d: '../d.json' } }],
  [GAME, { title: 'G', changes: [{ tables: {} }] }],
  [BUILD, {}],
  [BUILD, { released_at: '1 June 2026' }],
  [BUILD, { released_at: '2026-06-01T10:00:00' }],
  [BUILD, { released_at: '2026-06-01', removed: ['/etc/x'] }],
  [CORRECTIONS, []],
  [CORRECTIONS, { corrections: [{ id: 'ann', attribute: 'stats.atk', since: '1.0', reason: 'no value' }] }],
  [CORRECTIONS, { corrections: [{ id: 'ann', attribute: 'a..b', value: 1, since: '1.0', reason: 'r' }] }],
  [CORRECTIONS, { withdrawn: [{ build: '1.0' }] }],
];
for (const [file, definition] of mistakes) {
  test(`${file} rejects ${JSON.stringify(definition)}`, () => {
    assert.is(validate.get(file)?.(definition), false);
  });
}

const fine: [file: string, definition: Json][] = [
  [GAME, { title: 'G' }],
  [GAME, { title: 'G', tables: { ...TABLES, u: 'u/*.json' }, roster: { from: 't', entry: ['{', '}'] } }],
  [GAME, { title: 'G', changes: [{ from: '2', tables: { t: null }, datasets: { d: null }, roster: null }] }],
  [BUILD, { released_at: '2026-06-01' }],
  [BUILD, { released_at: '2026-06-01T10:00:00.5+09:00', note: 'n', removed: ['a/b.json'] }],
  [
    CORRECTIONS,
    { corrections: [{ id: 'ann', attribute: 'stats.atk', value: 1, since: '1.0', reason: 'r' }] },
  ],
  [
    CORRECTIONS,
    {
      corrections: [
        { collection: 'rates', attribute: 'a', value: null, since: '1', until: '2', reason: 'r' },
      ],
    },
  ],
];
for (const [file, definition] of fine) {
  test(`${file} accepts ${JSON.stringify(definition)}`, () => {
    assert.ok(validate.get(file)?.(definition), JSON.stringify(validate.get(file)?.errors));
  });
}

test.run();
