import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';
import { table, testFindings, testRows } from '../check/cases.ts';

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

/** Compiles without findings. @returns the builds */
async function compile(files: Files) {
  const { builds, findings } = await compileFiles(files);
  assert.equal(placesOf(findings), []);
  return builds;
}

/** What `roster` has beside "from", and the roster and the full records. */
const ROSTERS: [mapping: JsonObject, roster: JsonObject[], records?: JsonObject[]][] = [
  [{ where: 'stars = 4', entry: ROSTER.entry }, [{ id: 'a', name: 'Ann' }]],
  [
    {
      where: 'stars = 4',
      entry: ROSTER.entry,
      record: ["{ 'rarity': stars,", "  'skills': [{ 'id': 's' }] }"],
    },
    [{ id: 'a', name: 'Ann' }],
    [{ id: 'a', name: 'Ann', rarity: 4, skills: [{ id: 's' }] }],
  ],
];
for (const [mapping, roster, records = roster] of ROSTERS)
  test(`rows become entries, to which the full record adds: ${JSON.stringify(mapping)}`, async () => {
    const [build] = await compile(mappedGame({ roster: { from: 'units', ...mapping } }));
    assert.equal([build?.roster, build?.characters], [roster, records]);
  });

test('$lookup joins tables; a row without a match, or named like a built-in, gets nothing', async () => {
  const [build] = await compile(
    mappedGame(
      {
        roster: {
          from: 'units',
          entry: "{ 'id': $key, 'name': n, 'name_ja': $lookup($tables.ja, $key).name }",
        },
      },
      {
        '1.0/raw/units.json': '{"a": {"n": "A"}, "constructor": {"n": "C"}, "__proto__": {"n": "P"}}',
        '1.0/raw/ja.json': { a: { name: 'ア' } },
      },
    ),
  );
  assert.equal(build?.roster, [
    { id: '__proto__', name: 'P' },
    { id: 'a', name: 'A', name_ja: 'ア' },
    { id: 'constructor', name: 'C' },
  ]);
});

const DATASETS: [mapping: Json, expected: Json | undefined][] = [
  [{ from: 'units', where: 'stars = 5', entry: "{ 'id': $key, 'stars': stars }" }, [{ id: 'b', stars: 5 }]],
  ["[$each(units, function($u, $k) {{ 'id': $k }})]", [{ id: 'a' }, { id: 'b' }, { id: 'trap' }]],
  [["{ 'top':", '  $max(units.*.stars) }'], { top: 5 }],
  ["{ 'ann': $tables.units.a.n }", { ann: 'Ann' }],
  [{ from: 'ja', entry: "{ 'id': $key }" }, undefined],
  ['ja.*', undefined],
];
for (const [mapping, expected] of DATASETS)
  test(`a dataset is made by ${JSON.stringify(mapping)}`, async () => {
    const [build] = await compile(mappedGame({ roster: ROSTER, datasets: { made: mapping } }));
    assert.equal(build?.datasets.made, expected);
  });

/** A member of the mapping of the roster, and the finding about the first row. */
testRows(
  test,
  table`
    entry: n                                                   | expression-result 1.0/raw/units.json:2 /a | the text "Ann"
    entry: [n]                                                 | expression-result 1.0/raw/units.json:2 /a | a list of 1
    entry: absent                                              | expression-result 1.0/raw/units.json:2 /a | nothing
    entry: { 'id': $key, 'name': n + 1 }                       | expression-result 1.0/raw/units.json:2 /a | T2001…correct /roster/entry in game.json
    entry: { 'id': $key, 'name': $error('no') }                | expression-result 1.0/raw/units.json:2 /a | no …D3137
    entry: { 'id': $key, 'name': n, 'f': function($x) { $x } } | expression-result 1.0/raw/units.json:2 /a | a function at "/f"
    entry: { 'id': $key, 'name': n, 'f': [$sum] }              | expression-result 1.0/raw/units.json:2 /a | a function at "/f/0"
    entry: { 'id': $key, 'name': n, 'f': 1 / 0 }               | expression-result 1.0/raw/units.json:2 /a
    entry: { 'id': $key, 'name': $lookup($tables.jp, 'a').n }  | mapping-tables game.json:13 /roster/entry | the table "jp"; one of units, ja
    record: { 'name': n }                                      | full-record 1.0/raw/units.json:2 /a       | "name" in both
    record: n                                                  | expression-result 1.0/raw/units.json:2 /a | the text "Ann"
    where: stars                                               | expression-result 1.0/raw/units.json:2 /a | the number 4
  `,
  (text) => {
    const [member = '', expression = ''] = text.split(/: (.*)/s);
    const files = mappedGame({ roster: { ...ROSTER, where: 'true', [member]: expression } });
    return { ...files, '1.0/raw/units.json': { a: UNITS.a } };
  },
);
testRows(
  test,
  table`
    $sum(units.*.stars)  | shape game.json:16 /datasets/d             | the number 9
    [units.a.stars]      | shape game.json:16 /datasets/d             | the number 4
    units.a.n + 1        | expression-result game.json:16 /datasets/d | T2001
  `,
  (d) => mappedGame({ roster: ROSTER, datasets: { d } }),
);

testFindings(
  test,
  'an expression fails for each row separately, also of CSV',
  mappedGame(
    { tables: { t: 'raw/t.csv' }, datasets: { d: { from: 't', entry: "{ 'n': $uppercase(n) }" } } },
    { '1.0/characters.json': [{ id: 'a', name: 'A' }], '1.0/raw/t.csv': 'id,n:number\na,\n"b\nb",1\nc,2\n' },
  ),
  ['expression-result 1.0/raw/t.csv:3 /1', 'expression-result 1.0/raw/t.csv:5 /2'],
);
testFindings(
  test,
  'a dataset that has a mapping and its own file is a finding',
  mappedGame({ roster: ROSTER, datasets: { d: 'units' } }, { '1.0/d.json': [] }),
  ['dataset-file 1.0/d.json:1'],
);

const NAMES = "'name_ja': $get($tables.names_jp, $key), 'name_en': $get($tables.names_en, $key)";

function regionalGame(mapping: JsonObject = {}, files: Files = {}): Files {
  return gameFiles({
    'game.json': {
      title: 'Game',
      regions: { jp: 'jp/', kr: 'server/kr', en: 'en/' },
      tables: {
        cards: { files: 'cards.json', key: 'id', regions: true, optional: true },
        names: { files: 'names.json', regions: ['jp', 'en'] },
      },
      roster: { from: 'cards', entry: `{'id': $key, 'name': n, ${NAMES}}` },
      ...mapping,
    },
    '1.0/characters.json': undefined,
    '1.0/jp/cards.json': '[{"id": 1, "n": "Ichi"}, {"id": 2, "n": "Ni"}]',
    '1.0/server/kr/cards.json': '[{"id": 2, "n": "I"}, {"id": 3, "n": "Sam"}]',
    '1.0/jp/names.json': { '1': 'one-ja', '2': 'two-ja', '3': 'three-ja' },
    '1.0/en/names.json': { '1': 'one', '2': 'two', '3': 'three' },
    ...files,
  });
}

test('a list is the union of the tables of all regions by key, and the first region counts', async () => {
  for (const from of ['cards', ['cards_jp', 'cards_kr', 'cards_en']]) {
    const roster = { from, entry: `{'id': $key, 'name': n, ${NAMES}}` };
    const all = { from: ['cards_kr', 'cards_jp'], entry: "{'id': $key, 'n': n}" };
    const [build] = await compile(regionalGame({ roster, datasets: { all } }));
    assert.equal(build?.characters, [
      { id: '1', name: 'Ichi', name_en: 'one', name_ja: 'one-ja' },
      { id: '2', name: 'Ni', name_en: 'two', name_ja: 'two-ja' },
      { id: '3', name: 'Sam', name_en: 'three', name_ja: 'three-ja' },
    ]);
    const { all: union = [] } = build?.datasets ?? {};
    assert.match(JSON.stringify(union), '"n":"I"');
  }
});

test('a region that a change removes is empty, and may still be named', async () => {
  const onlyJp = { cards: { files: 'cards.json', key: 'id', regions: ['jp'] } };
  const overrides = ['records-lost', 'values-lost'].map((check) => ({
    check,
    reason: 'The region is closed.',
  }));
  const builds = await compile(
    regionalGame(
      {
        datasets: { kr: '{"count": $count($keys($tables.cards_kr))}' },
        changes: [
          { from: '1.1', tables: onlyJp },
          { from: '1.2', tables: { names: null } },
        ],
      },
      {
        '1.1/build.json': { released_at: '2026-01-02', overrides: overrides.slice(0, 1) },
        '1.2/build.json': { released_at: '2026-01-03', overrides: overrides.slice(1) },
      },
    ),
  );
  assert.equal(
    builds.map(({ characters }) => characters.length),
    [3, 2, 2],
  );
  assert.equal(builds[2]?.characters[0], { id: '1', name: 'Ichi' });
});

test.run();
