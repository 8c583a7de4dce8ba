import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';

const test = suite('tables of several regions');

const REGIONS = { jp: 'jp/', kr: 'server/kr', en: 'en/' };

function regionalGame(mapping: JsonObject = {}, files: Files = {}): Files {
  return gameFiles({
    'game.json': {
      title: 'Game',
      regions: REGIONS,
      tables: {
        cards: { files: 'cards.json', key: 'id', regions: true, optional: true },
        names: { files: 'names.json', regions: ['jp', 'en'] },
      },
      roster: {
        from: 'cards',
        entry:
          "{'id': $key, 'name': n, 'name_ja': $get($tables.names_jp, $key), 'name_en': $get($tables.names_en, $key)}",
      },
      ...mapping,
    },
    '1.0/characters.json': undefined,
    '1.0/jp/cards.json': [
      { id: 1, n: 'Ichi' },
      { id: 2, n: 'Ni' },
    ],
    '1.0/server/kr/cards.json': [
      { id: 2, n: 'I' },
      { id: 3, n: 'Sam' },
    ],
    '1.0/jp/names.json': { '1': 'one-ja', '2': 'two-ja', '3': 'three-ja' },
    '1.0/en/names.json': { '1': 'one', '2': 'two', '3': 'three' },
    ...files,
  });
}

test('a roster is the union of the tables of all regions by key, and the first region counts', async () => {
  for (const from of ['cards', ['cards_jp', 'cards_kr', 'cards_en']]) {
    const game = regionalGame();
    const raw = game['game.json'] as JsonObject;
    const { builds, findings } = await compileFiles({
      ...game,
      'game.json': { ...raw, roster: { ...(raw.roster as JsonObject), from } },
    });
    assert.equal(findings, []);
    assert.equal(builds[0]?.characters, [
      { id: '1', name: 'Ichi', name_en: 'one', name_ja: 'one-ja' },
      { id: '2', name: 'Ni', name_en: 'two', name_ja: 'two-ja' },
      { id: '3', name: 'Sam', name_en: 'three', name_ja: 'three-ja' },
    ]);
  }
});

test('the order in `from` is the order of precedence, for datasets too', async () => {
  const { builds, findings } = await compileFiles(
    regionalGame({ datasets: { all: { from: ['cards_kr', 'cards_jp'], entry: "{'id': $key, 'n': n}" } } }),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.datasets.all, [
    { id: '1', n: 'Ichi' },
    { id: '2', n: 'I' },
    { id: '3', n: 'Sam' },
  ]);
});

test('a region that a change removes is empty, and may still be named', async () => {
  const { builds, findings } = await compileFiles(
    regionalGame(
      {
        datasets: { kr: '$count($keys($tables.cards_kr)) ~> function($n) { {"count": $n} }' },
        changes: [
          { from: '1.1', tables: { cards: { files: 'cards.json', key: 'id', regions: ['jp'] } } },
          { from: '1.2', tables: { names: null } },
        ],
      },
      {
        '1.1/build.json': {
          released_at: '2026-01-02',
          overrides: [{ check: 'records-lost', reason: 'The region is closed.' }],
        },
        '1.2/build.json': {
          released_at: '2026-01-03',
          overrides: [{ check: 'values-lost', reason: 'The names are gone.' }],
        },
      },
    ),
  );
  assert.equal(placesOf(findings.filter(({ check }) => check !== 'mapping-tables')), []);
  assert.equal(findings, []);
  assert.equal(
    builds.map(({ characters }) => characters.length),
    [3, 2, 2],
  );
  assert.equal(builds[2]?.characters[0], { id: '1', name: 'Ichi' });
});

/** What game.json says, the place of the only finding, and what it found. */
const FAULTS: [JsonObject, string, RegExp][] = [
  [
    {
      tables: { cards: { files: 'cards.json', key: 'id', regions: ['jp', 'cn'] } },
      roster: { from: 'cards', entry: "{'id': $key, 'name': n}" },
    },
    'definition /tables/cards/regions',
    /the region "cn"/,
  ],
  [
    {
      tables: { cards: { files: 'cards.json', key: 'id', regions: ['jp'] }, cards_jp: 'jp/cards.json' },
      roster: { from: 'cards', entry: "{'id': $key, 'name': n}" },
    },
    'definition /tables/cards',
    /"cards_jp", the name of the table of a region and of another table/,
  ],
  [
    {
      tables: { cards: { files: 'cards.json', regions: ['jp', 'kr'] } },
      roster: { from: 'cards', entry: "{'id': $string(id), 'name': n}" },
    },
    'shape ',
    /a list, as the table "cards_jp"/,
  ],
  [
    {
      tables: { cards: { files: 'cards.json', key: 'id', regions: ['jp'] } },
      roster: { from: ['cards_jp', 'cards_tw'], entry: "{'id': $key, 'name': n}" },
    },
    'mapping-tables /roster/from',
    /the table "cards_tw"/,
  ],
];
for (const [mapping, place, found] of FAULTS) {
  test(`a fault of regions is reported: ${found.source}`, async () => {
    const { findings } = await compileFiles(regionalGame(mapping));
    assert.equal(`${findings[0]?.check} ${findings[0]?.place.pointer}`, place);
    assert.match(findings[0]?.found ?? '', found);
  });
}

test.run();
