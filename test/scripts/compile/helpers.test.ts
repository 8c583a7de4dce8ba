import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';

const test = suite('functions that all expressions of a game share');

const HELPERS = `/* What several expressions need. */
$nameOf := function($key) { $get($tables.texts, $key) };
$stars := function($rank) { $fromZero($rank) };
$item := function($key) { {'id': $key, 'name': $nameOf($key)} };
`;

function gameOf(helpers: string | undefined, mapping: JsonObject = {}, files: Files = {}): Files {
  return gameFiles({
    'game.json': {
      title: 'Game',
      helpers: 'mapping/helpers.jsonata',
      tables: { units: 'raw/units.json', texts: 'raw/texts.json' },
      roster: {
        from: 'units',
        entry: "{'id': $key, 'name': $nameOf(n), 'rarity': $stars(s), 'item': $item(i)}",
      },
      datasets: { items: '[units.*.$item(i)]' },
      ...mapping,
    },
    '1.0/characters.json': undefined,
    '1.0/raw/units.json': { a: { n: 't1', s: 4, i: 't2' } },
    '1.0/raw/texts.json': { t1: 'Ann', t2: 'Sword' },
    '1.1/build.json': { released_at: '2026-02-01' },
    '1.1/raw/texts.json': { t1: 'Anna', t2: 'Sword' },
    'mapping/helpers.jsonata': helpers,
    ...files,
  });
}

for (const text of [HELPERS, `(\n${HELPERS})`]) {
  test(`every expression may call them, and they read the tables of its build: ${text.slice(0, 2)}`, async () => {
    const { builds, findings } = await compileFiles(gameOf(text));
    assert.equal(findings, []);
    const item = { id: 't2', name: 'Sword' };
    assert.equal(builds[0]?.characters, [{ id: 'a', item, name: 'Ann', rarity: 5 }]);
    assert.equal(builds[1]?.characters, [{ id: 'a', item, name: 'Anna', rarity: 5 }]);
    assert.equal(builds[1]?.datasets.items, [item]);
  });
}

for (const [engine, text] of [
  ['without promises', '$byName := $tables.texts ~> $each(function($v, $k) {{$v: $k}}) ~> $merge;'],
  [
    'with promises',
    '$byName := ($x := [$y := 1]; $merge($each($tables.texts, function($v, $k) {{$v: $k}})));',
  ],
])
  test(`data is made once for the tables of a build, and anew when they change, ${engine}`, async () => {
    const helpers = `${text}\n$keyOf := function($name) { $lookup($byName, $name) };`;
    const roster = { from: 'units', entry: "{'id': $key, 'name': n, 'own': $keyOf(n), 'of': $byName.Ann}" };
    const files = {
      '1.0/raw/units.json': { a: { n: 'Ann' }, b: { n: 'Sword' } },
      '1.1/raw/texts.json': { t1: 'Ann', t9: 'Sword' },
      '1.2/build.json': { released_at: '2026-03-01' },
      '1.2/raw/texts.json': { t5: 'Ann', t9: 'Sword' },
    };
    const { builds, findings } = await compileFiles(gameOf(helpers, { roster, datasets: {} }, files));
    assert.equal(findings, []);
    const found = builds.map(({ characters }) => characters.map(({ own, of }) => [own, of]));
    assert.equal(found, [
      [
        ['t1', 't1'],
        ['t2', 't1'],
      ],
      [
        ['t1', 't1'],
        ['t9', 't1'],
      ],
      [
        ['t5', 't5'],
        ['t9', 't5'],
      ],
    ]);
  });

test('data that fails is reported in its line', async () => {
  const { findings } = await compileFiles(
    gameOf("\n$stars := $number('x');", {
      roster: { from: 'units', entry: "{'id': $key, 'name': n, 'rarity': $stars}" },
      datasets: {},
    }),
  );
  assert.match(findings[0]?.fix ?? '', /mapping\/helpers\.jsonata:2/);
});

/** A file of functions, and what is wrong with it: its place and what was found. */
const FAULTS: [text: string, place: string, found: RegExp][] = [
  ['$a := function($x) {\n  $x +\n};', 'expression-syntax mapping/helpers.jsonata:3', /S0211|S0207/],
  ['$a := function($x) {\n  $x', 'expression-syntax mapping/helpers.jsonata:2', /S0202|S0203/],
  ['$a := function() { 1 };\n$a(2);', 'expression-syntax mapping/helpers.jsonata:2', /defines nothing/],
  [
    '$a := function() { 1 };\n\n$a := function() { 2 }',
    'expression-syntax mapping/helpers.jsonata:3',
    /second \$a/,
  ],
  ['$first := function() { 1 }', 'expression-syntax mapping/helpers.jsonata:1', /second \$first/],
  [
    '$a := function() {\n  $tables.unitz.a\n}',
    'mapping-tables mapping/helpers.jsonata:2',
    /the table "unitz"/,
  ],
  ['$a := function() {\n  $nothing(1)\n}', 'expression-syntax mapping/helpers.jsonata:2', /\$nothing/],
  ['$a := $key', 'expression-syntax mapping/helpers.jsonata:1', /\$key/],
  ['$a := function() { $key }', 'expression-syntax mapping/helpers.jsonata:1', /\$key/],
];
for (const [text, place, found] of FAULTS) {
  test(`the fault in ${JSON.stringify(text)} has its line`, async () => {
    const simple = { roster: { from: 'units', entry: "{'id': $key, 'name': n}" }, datasets: {} };
    const { findings } = await compileFiles(gameOf(text, simple));
    assert.equal(placesOf(findings), [place]);
    assert.match(findings[0]?.found ?? '', found);
  });
}

test('a failure in a function names its line and the expression that calls it', async () => {
  const failing = "\n$stars := function($rank) {\n  $number($rank & 'x')\n};\n";
  const { findings } = await compileFiles(
    gameOf(
      failing,
      {
        roster: { from: 'units', entry: { file: 'mapping/entry.jsonata' } },
        datasets: {},
      },
      { 'mapping/entry.jsonata': "{\n 'id': $key, 'name': n,\n 'rarity': $stars(s)\n}" },
    ),
  );
  assert.is(findings[0]?.check, 'expression-result');
  assert.match(
    findings[0]?.fix ?? '',
    /^correct .*mapping\/helpers\.jsonata:3, which .*mapping\/entry\.jsonata:1 calls$/,
  );
});

test('a misspelt function is near one of the game', async () => {
  const { findings } = await compileFiles(
    gameOf(HELPERS, { roster: { from: 'units', entry: "{'id': $key, 'name': $nameof(n)}" }, datasets: {} }),
  );
  assert.match(findings[0]?.found ?? '', /did you mean \$nameOf\?/);
});

test.run();
