import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';

const test = suite('compiling with a mapping');

const UNITS = { a: { n: 'Ann', stars: 4 }, b: { n: 'Bob', stars: 5 }, trap: { n: 'Trap', stars: 0 } };

/** A game with the tables `units` and `ja`, and a mapping. */
function mappedGame(mapping: JsonObject, files: Files = {}): Files {
  return gameFiles({
    'game.json': {
      title: 'Game',
      tables: { units: 'raw/units.json', ja: { files: 'raw/ja.json', optional: true } },
      ...mapping,
    },
    '1.0/characters.json': undefined,
    '1.0/raw/units.json': UNITS,
    ...files,
  });
}

const ROSTER = { from: 'units', where: 'stars > 0', entry: "{ 'id': $key, 'name': n }" };

test('rows that `where` keeps become entries; the full record adds to them', async () => {
  const { builds, findings } = await compileFiles(
    mappedGame({ roster: { ...ROSTER, record: ["{ 'rarity': stars,", "  'skills': [{ 'id': 's' }] }"] } }),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.roster, [
    { id: 'a', name: 'Ann' },
    { id: 'b', name: 'Bob' },
  ]);
  assert.equal(builds[0]?.characters, [
    { id: 'a', name: 'Ann', rarity: 4, skills: [{ id: 's' }] },
    { id: 'b', name: 'Bob', rarity: 5, skills: [{ id: 's' }] },
  ]);
});

test('$lookup joins tables; a row without a match, or named like a built-in, gets nothing', async () => {
  const { builds, findings } = await compileFiles(
    mappedGame(
      {
        roster: {
          from: 'units',
          entry: "{ 'id': $key, 'name': n, 'name_ja': $lookup($tables.ja, $key).name }",
        },
      },
      {
        '1.0/raw/units.json':
          '{"a": {"n": "A"}, "b": {"n": "B"}, "constructor": {"n": "C"}, "__proto__": {"n": "P"}}',
        '1.0/raw/ja.json': { a: { name: 'ア' } },
      },
    ),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.roster, [
    { id: '__proto__', name: 'P' },
    { id: 'a', name: 'A', name_ja: 'ア' },
    { id: 'b', name: 'B' },
    { id: 'constructor', name: 'C' },
  ]);
});

test('a file per record has its stem as $key, and is joined by it', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({
      'game.json': {
        title: 'Game',
        tables: { en: 'en/*.json', ko: 'ko/*.json' },
        roster: {
          from: 'en',
          entry: "{ 'id': $string(no), 'key': $key, 'name': n, 'name_ko': $lookup($tables.ko, $key).n }",
        },
      },
      '1.0/characters.json': undefined,
      '1.0/en/hutao.json': { no: 46, n: 'Hu Tao' },
      '1.0/ko/hutao.json': { no: 46, n: '호두' },
    }),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.roster, [{ id: '46', name: 'Hu Tao', key: 'hutao', name_ko: '호두' }]);
});

const datasets: [why: string, mapping: Json, expected: Json | undefined][] = [
  [
    'row by row',
    { from: 'units', where: 'stars = 5', entry: "{ 'id': $key, 'stars': stars }" },
    [{ id: 'b', stars: 5 }],
  ],
  [
    'by one expression that returns a list',
    "[$each(units, function($u, $k) {{ 'id': $k, 'stars': $u.stars }})]",
    [
      { id: 'a', stars: 4 },
      { id: 'b', stars: 5 },
      { id: 'trap', stars: 0 },
    ],
  ],
  [
    'by one expression over several lines that returns an object',
    ["{ 'top':", '  $max(units.*.stars) }'],
    { top: 5 },
  ],
  ['by an expression with $tables', "{ 'ann': $tables.units.a.n }", { ann: 'Ann' }],
  ['from an optional table that is absent: no dataset', { from: 'ja', entry: "{ 'id': $key }" }, undefined],
  ['by an expression that selects nothing: no dataset', 'ja.*', undefined],
];
for (const [why, mapping, expected] of datasets) {
  test(`a dataset is made ${why}`, async () => {
    const { builds, findings } = await compileFiles(
      mappedGame({ roster: ROSTER, datasets: { made: mapping } }),
    );
    assert.equal(findings, []);
    assert.equal(builds[0]?.datasets.made, expected);
  });
}

/** A failing mapping, and the place and `found` of its findings. */
type Failing = [mapping: JsonObject, place: string, found: RegExp];

const failing: Failing[] = [
  [{ roster: { ...ROSTER, entry: 'n' } }, 'expression-result 1.0/raw/units.json:2 /a', /the text "Ann"/],
  [{ roster: { ...ROSTER, entry: '[n]' } }, 'expression-result 1.0/raw/units.json:2 /a', /a list of 1/],
  [{ roster: { ...ROSTER, entry: 'absent' } }, 'expression-result 1.0/raw/units.json:2 /a', /nothing/],
  [
    { roster: { ...ROSTER, entry: "{ 'id': $key, 'name': n + 1 }" } },
    'expression-result 1.0/raw/units.json:2 /a',
    /T2001/,
  ],
  [
    { roster: { ...ROSTER, entry: "{ 'id': $key, 'name': $error('no') }" } },
    'expression-result 1.0/raw/units.json:2 /a',
    /no .*D3137/,
  ],
  [
    { roster: { ...ROSTER, entry: "{ 'id': $key, 'name': n, 'f': function($x) { $x } }" } },
    'expression-result 1.0/raw/units.json:2 /a',
    /a function at "\/f"/,
  ],
  [
    { roster: { ...ROSTER, entry: "{ 'id': $key, 'name': n, 'f': [$sum] }" } },
    'expression-result 1.0/raw/units.json:2 /a',
    /a function at "\/f\/0"/,
  ],
  [
    { roster: { ...ROSTER, entry: "{ 'id': $key, 'name': n, 'f': 1 / 0 }" } },
    'expression-result 1.0/raw/units.json:2 /a',
    /./,
  ],
  [
    { roster: { ...ROSTER, record: "{ 'name': n }" } },
    'full-record 1.0/raw/units.json:2 /a',
    /"name" in both/,
  ],
  [{ roster: { ...ROSTER, record: 'n' } }, 'expression-result 1.0/raw/units.json:2 /a', /the text "Ann"/],
  [{ roster: { ...ROSTER, where: 'stars' } }, 'expression-result 1.0/raw/units.json:2 /a', /the number 4/],
  [
    { roster: ROSTER, datasets: { d: { from: 'units', entry: 'n' } } },
    'expression-result 1.0/raw/units.json:2 /a',
    /the text "Ann"/,
  ],
  [
    { roster: ROSTER, datasets: { d: '$sum(units.*.stars)' } },
    'shape game.json:16 /datasets/d',
    /the number 9/,
  ],
  [{ roster: ROSTER, datasets: { d: '[units.*.stars]' } }, 'shape game.json:16 /datasets/d', /the number 4/],
  [
    { roster: ROSTER, datasets: { d: 'units.a.n + 1' } },
    'expression-result game.json:16 /datasets/d',
    /T2001/,
  ],
];
for (const [mapping, place, found] of failing) {
  test(`${JSON.stringify(mapping)} is the finding ${place}`, async () => {
    const { findings } = await compileFiles(mappedGame(mapping));
    const [first] = findings.filter(({ check }) => check !== 'roster-size');
    assert.is(first && placesOf([first])[0], place);
    assert.match(first?.found ?? '', found);
  });
}

test('an expression fails for each row separately, and the finding names the row and the expression', async () => {
  const { findings } = await compileFiles(
    mappedGame(
      { roster: { ...ROSTER, where: 'true', entry: "{ 'id': $key, 'name': $uppercase(n) }" } },
      { '1.0/raw/units.json': '{\n"a": {"n": "Ann"},\n"b": {"n": 1},\n"c": {"n": "Cid"},\n"d": {"n": [2]}}' },
    ),
  );
  assert.equal(placesOf(findings), [
    'expression-result 1.0/raw/units.json:3 /b',
    'expression-result 1.0/raw/units.json:5 /d',
  ]);
  assert.is(findings[0]?.fix, 'correct /roster/entry in game.json');
});

test('rows of CSV tables are named by their line', async () => {
  const { findings } = await compileFiles(
    gameFiles({
      'game.json': { title: 'Game', tables: { t: 'raw/t.csv' }, datasets: { d: { from: 't', entry: 'n' } } },
      '1.0/raw/t.csv': 'id,n\na,"x\ny"\nb,z\n',
    }),
  );
  assert.equal(placesOf(findings), [
    'expression-result 1.0/raw/t.csv:2 /0',
    'expression-result 1.0/raw/t.csv:4 /1',
  ]);
});

test('a dataset that has a mapping and its own file is a finding', async () => {
  const { findings } = await compileFiles(
    mappedGame({ roster: ROSTER, datasets: { d: 'units' } }, { '1.0/d.json': [] }),
  );
  assert.equal(placesOf(findings), ['dataset-file 1.0/d.json:1']);
});

test('an undeclared table in an expression is a finding', async () => {
  const { findings } = await compileFiles(
    mappedGame({
      roster: { ...ROSTER, entry: "{ 'id': $key, 'name': n, 'name_ja': $lookup($tables.jp, $key).n }" },
      datasets: { d: "{ 'count': $count($keys($tables.units)) }" },
    }),
  );
  assert.equal(placesOf(findings), ['mapping-tables game.json:13 /roster/entry']);
  assert.equal([findings[0]?.found, findings[0]?.expected], ['the table "jp"', 'one of units, ja']);
});

test.run();
