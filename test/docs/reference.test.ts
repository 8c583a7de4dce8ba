import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHANGE_CHECKS, checkSettings } from '../../scripts/changes/change-checker.ts';
import { CONTENT_CHECKS } from '../../scripts/changes/content-checks.ts';
import { DEFINITION_CHECKS } from '../../scripts/changes/definition-checks.ts';
import { LIST_CHECKS } from '../../scripts/changes/list-checks.ts';
import { VALUE_CHECKS } from '../../scripts/changes/value-checks.ts';
import { CHECKS as ONE_BUILD_CHECKS } from '../../scripts/check/rules.ts';
import { compileExpression } from '../../scripts/compile/expression.ts';
import { LIBRARY } from '../../scripts/compile/library.ts';
import { compileMappings } from '../../scripts/compile/mapping.ts';
import { type BuildDefinition, defineBuilds, listExpressionFiles } from '../../scripts/read/definition.ts';
import {
  aliasesSchema,
  attributesSchema,
  buildSchema,
  gameSchema,
  type RawGameDefinition,
} from '../../scripts/read/game-schema.ts';
import { parseJson } from '../../scripts/read/json.ts';
import { checkSchema, compileSchema } from '../../scripts/read/schema.ts';
import { checkEvent } from '../gateway/openapi/open-api-check.ts';
import { DEFINITION_RULES } from '../scripts/check/reported/definition-rules.ts';
import { FILE_RULES } from '../scripts/check/reported/file-rules.ts';
import { MACHINE_RULES, RECORD_RULES } from '../scripts/check/reported/limit-rules.ts';
import { MAPPING_RULES } from '../scripts/check/reported/mapping-rules.ts';
import { ROOT } from '../support/paths.ts';
import { readBlock, readPage, readTable } from './pages.ts';

const MAPPING = 'docs/maintainers/mapping.md';
const CHECKS = 'docs/maintainers/checks.md';

const BETWEEN_CHECKS = [...LIST_CHECKS, ...VALUE_CHECKS];

const reference = suite('the pages');

reference('show an event in the form in which it is sent', async () => {
  checkEvent(await readBlock('docs/consumers/pro.md', 'json', 'event'));
});

/** Fails unless the compiler accepts a definition. @param file the text of each of its expression files */
function checkDefinition(raw: RawGameDefinition, file = '{}'): void {
  const builds = ['1.0', ...(raw.changes ?? []).map(({ from }) => from)];
  const texts = new Map([...listExpressionFiles(raw).keys()].map((name) => [name, file]));
  const { value: definitions, findings } = defineBuilds(raw, 'game.json', builds, texts);
  assert.equal(findings, []);
  const sources = definitions.map((definition, index) => ({
    build: builds[index] as string,
    folder: 'x',
    released_at: '2026-01-01',
    note: null,
    removed: [],
    releasedIn: {},
    references: [],
    amended: [],
    overrides: [],
    carried: {},
    as_of: {},
    schemas: new Map(),
    checks: {},
    corrections: [],
    aliases: {},
    renamed: {},
    renamedAt: { file: 'x', pointer: '' },
    definition,
  }));
  assert.equal(compileMappings({ folder: 'x', builds: sources }).findings, []);
}

for (const role of ['game.json', 'game.json with regions']) {
  reference(`show a ${role} that the compiler accepts`, async () => {
    const parsed = parseJson(await readBlock(MAPPING, 'jsonc', role), MAPPING);
    assert.ok('value' in parsed);
    const place = { file: MAPPING, pointer: '' };
    assert.equal(checkSchema(compileSchema(gameSchema), parsed.value, 'definition', place), []);
    checkDefinition(parsed.value as unknown as RawGameDefinition);
  });
}

for (const [role, name, rest] of [
  ['helpers', "$nameOf(name, 'en')", ", 'rarity': $starsOf(rank)"],
  ['index', '$japaneseOf(name)', ''],
] as const) {
  reference(`show ${role} of a game that the compiler accepts`, async () => {
    const file = 'mapping/helpers.jsonata';
    const entry = `{ 'id': $key, 'name': ${name}${rest} }`;
    const tables = { units: 'units.json', texts: 'texts.json', translations: 'translations.json' };
    const raw = { title: 'Game', helpers: file, tables, roster: { from: 'units', entry } };
    checkDefinition(raw, await readBlock(MAPPING, 'jsonata', role));
  });
}

for (const [file, check, schema] of [
  ['attributes.json', 'attributes-file', attributesSchema],
  ['aliases.json', 'aliases', aliasesSchema],
] as const) {
  reference(`show an ${file} that the compiler accepts`, async () => {
    const parsed = parseJson(await readBlock(MAPPING, 'jsonc', file), MAPPING);
    assert.ok('value' in parsed);
    const place = { file: MAPPING, pointer: '' };
    assert.equal(checkSchema(compileSchema<unknown>(schema), parsed.value, check, place), []);
  });
}

reference('have every function of the library, with an example whose result is correct', async () => {
  const rows = readTable(await readPage(MAPPING), '| function |').map((cells) => cells.map(unquote));
  assert.equal(
    rows.map(([signature = '']) => signature.replace(/^\$(\w+)\(.*$/, '$1')),
    Object.keys(LIBRARY),
  );
  for (const [signature = '', , example = '', gives = ''] of rows) {
    assert.ok(example.startsWith(signature.slice(0, signature.indexOf('('))));
    const compiled = compileExpression(example, { file: MAPPING, pointer: '' });
    assert.ok('value' in compiled);
    assert.equal(await compiled.value.evaluate({}, {}), JSON.parse(gives));
  }
});

for (const [head, checks] of [
  ['| check | what holds from build to build', BETWEEN_CHECKS],
  ['| check | what every build says', CONTENT_CHECKS],
  ['| check | what holds in every build', ONE_BUILD_CHECKS],
  ['| check | what holds of a mapping', DEFINITION_CHECKS],
  ['| check | what holds of every file', FILE_RULES],
  ['| check | what holds of the definition', DEFINITION_RULES],
  ['| check | what holds of every expression', MAPPING_RULES],
  ['| check | what holds of released builds', RECORD_RULES],
  ['| check | what holds of the machine', MACHINE_RULES],
] as const) {
  reference(`list every check below "${head}" with its description, and nothing else`, async () => {
    const rows = readTable(await readPage(CHECKS), head);
    assert.equal(
      rows.map(([name = '', description]) => ({ name: unquote(name), description })),
      checks.map(({ name, description }) => ({ name, description })),
    );
  });
}

reference('list every threshold of every check with its default and its range', async () => {
  const rows = readTable(await readPage(CHECKS), '| threshold |');
  const thresholds = CHANGE_CHECKS.flatMap(({ name, thresholds = {} }) =>
    Object.entries(thresholds).map(([key, { default: value, min = 0, max = 1, help }]) => [
      `${name}.${key}`,
      `${value} (${min} to ${max})`,
      help,
    ]),
  );
  assert.equal(
    rows.map(([name = '', value, meaning]) => [unquote(name), value, meaning]),
    thresholds,
  );
});

reference('set a threshold in a game.json that the compiler accepts', async () => {
  const parsed = parseJson(await readBlock(CHECKS, 'jsonc', 'game.json'), CHECKS);
  assert.ok('value' in parsed);
  const { checks } = parsed.value as unknown as RawGameDefinition;
  const place = { file: CHECKS, pointer: '' };
  assert.equal(checkSchema(compileSchema(gameSchema), parsed.value, 'definition', place), []);
  assert.equal(checkSettings('data/x', checks ?? {}), []);
  assert.ok(checks);
});

reference('show a build with an override that the compiler accepts', async () => {
  const parsed = parseJson(await readBlock(CHECKS, 'jsonc', 'build.json'), CHECKS);
  assert.ok('value' in parsed);
  const place = { file: CHECKS, pointer: '' };
  assert.equal(checkSchema(compileSchema(buildSchema), parsed.value, 'definition', place), []);
  const { overrides } = parsed.value as unknown as BuildDefinition;
  assert.ok(BETWEEN_CHECKS.some(({ name }) => name === overrides[0]?.check));
});

reference('list every dependency with its reason, and nothing else', async () => {
  const rows = readTable(await readPage('docs/ARCHITECTURE.md'), '| dependency |');
  const { dependencies, optionalDependencies } = JSON.parse(
    await readFile(path.join(ROOT, 'package.json'), 'utf8'),
  ) as { dependencies: object; optionalDependencies: object };
  assert.equal(
    rows.map(([name]) => name),
    Object.keys({ ...dependencies, ...optionalDependencies }).sort(),
  );
  for (const [name, reason = ''] of rows) assert.ok(reason.length > 3, name);
});

/** The text of a cell that holds code. */
function unquote(cell: string): string {
  return cell.replace(/^`(.*)`$/, '$1');
}

reference.run();
