import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../../support/fixtures.ts';

const test = suite('misspelt attributes');

const UNITS = [
  { uid: 'ann', name: 'Ann', hp: 9, stats: { attack: 1, defence: 2 }, skill1: 1, list: [{ cost: 1 }] },
  { uid: 'bob', name: 'Bob', hp: 8, stats: { attack: 1 }, skill1: 1, nicks: ['B'] },
  { uid: 'cid', name: 'Cid', hp: 7 },
];

async function compile(attribute: string, changes: JsonObject = {}, files: Files = {}) {
  // The name of the attribute is computed: that of an attribute without values would be the finding.
  const entry = ['{', "  'id': uid, 'name': name,", `  'a' & '': ${attribute}`, '}'];
  const compiled = await compileFiles(
    gameFiles({
      'game.json': { title: 'Game', tables: { t: 'raw/t.json' }, roster: { from: 't', entry, ...changes } },
      '1.0/characters.json': undefined,
      '1.0/raw/t.json': UNITS,
      ...files,
    }),
  );
  return {
    ...compiled,
    found: compiled.findings
      .filter(({ check }) => check === 'mapping-attributes')
      .map(({ found, expected }) => `${found} ${expected}`),
  };
}

/** An expression, the name that no row has, and the intended one. */
const MISSPELT: [expression: string, name: string, meant: string][] = [
  ['hO', 'hO', 'hp'],
  ['$.hO', 'hO', 'hp'],
  ['$$.hO', 'hO', 'hp'],
  ['stats.atack', 'atack', 'attack'],
  ['stat.attack', 'stat', 'stats'],
  ['list.cst', 'cst', 'cost'],
  ['list[0].cost + nics[0]', 'nics', 'nicks'],
  ["hO ? hO : 'none'", 'hO', 'hp'],
  ['$sum([hO, 1])', 'hO', 'hp'],
  ['$map([1], function($x) { $x * hO })[0]', 'hO', 'hp'],
  ['( $hp := hO; $hp )', 'hO', 'hp'],
  ["[1].{'x': $}[hO = 1].x & stats.defense", 'defense', 'defence'],
];
for (const [expression, name, meant] of MISSPELT) {
  test(`in ${expression} "${name}" is a warning that names "${meant}"`, async () => {
    const { found, findings, builds } = await compile(expression);
    const [first, ...others] = found;
    assert.is(
      first,
      `"${name}", which no row of table "t" has an attribute that rows have, perhaps "${meant}"`,
    );
    assert.equal([others, findings[0]?.severity, builds.length], [[], 'warning', 1]);
  });
}

/** Names that no row has, but that are not faults: dumps leave out empty attributes, and not every name is read from a row. */
const SILENT = [
  'additionalCostumes',
  'skill2',
  'hp + hO',
  'stats.attack',
  "$get($, 'hO')",
  '[stats].{ "hO": hO }.hO',
  'stats[hO = 1].attack',
  '$tables.t[0].hO',
];
for (const expression of SILENT) {
  test(`${expression} has no finding`, async () => {
    assert.equal((await compile(expression)).found, []);
  });
}

test('a name that rows with the same attributes lack is reported, although none is similar', async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ uid: String(at), name: `N${at}`, hp: at }));
  const found = async (count: number) =>
    (await compile('dodge', {}, { '1.0/raw/t.json': rows(count) })).found;
  assert.equal(await found(10), ['"dodge", which no row of table "t" has an attribute that rows have']);
  assert.equal(await found(9), []);
});

test('`where` and `record` are checked too; a name in a file is reported with its line, once for all builds', async () => {
  const { findings } = await compile(
    '1',
    { where: '$exists(hq) = false', record: { file: 'record.jsonata' } },
    {
      'record.jsonata': "/* all */\n{\n  'stats': { 'atk': stats.atack }\n}",
      '1.1/build.json': { released_at: '2026-02-01' },
    },
  );
  assert.is(findings[1]?.fix?.split('; if')[0], '"atack" is in no row of table "t"; did you mean "attack"?');
  assert.equal(placesOf(findings), [
    'mapping-attributes game.json:14 /roster/where',
    'attribute-unserved record.jsonata:3',
  ]);
});

test.run();
