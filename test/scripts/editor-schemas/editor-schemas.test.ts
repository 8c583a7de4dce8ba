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

const schemas = renderEditorSchemas();
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

test('a definition of another form is rejected', () => {
  const misspelt = { title: 'G', titel: 'G' };
  for (const [file, definition] of [
    [GAME, misspelt],
    [BUILD, {}],
    [CORRECTIONS, []],
  ] as const)
    assert.is(validate.get(file)?.(definition), false);
});

test.run();
