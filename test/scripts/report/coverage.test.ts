import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuildCoverage } from '../../../scripts/check/coverage.ts';
import { surveyContent } from '../../../scripts/changes/survey.ts';
import { coverBuild, renderCoverage } from '../../../scripts/report/coverage.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { manyRecords } from '../check/cases.ts';

const test = suite('coverage');

/** The profile of a build with these characters, and with a dataset. */
function profileOf(build: string, characters: JsonObject[], items?: JsonObject[]) {
  const encode = (records: JsonObject[]) => records.map((record) => JSON.stringify(record));
  const datasets = items ? [['items', { kind: 'list', records: encode(items) }] as const] : [];
  return surveyContent({
    ...{ game: 'game', title: 'Game', build, released_at: '2026-01-01T00:00:00Z' },
    ...{ roster: encode(characters), characters: encode(characters), datasets: new Map(datasets) },
  });
}

function cover(characters: JsonObject[], before?: JsonObject[]): BuildCoverage {
  return coverBuild('game', profileOf('1.1', characters), before && profileOf('1.0', before));
}

const attributesOf = ({ collections }: BuildCoverage) => collections[0]?.attributes ?? [];

test('numbers have a range, texts are counted, lists have a range of lengths, and null is no value', () => {
  const records = [
    { id: 'a', n: -1, tags: [], flag: true, none: null, stats: { atk: 2 } },
    { id: 'b', n: 4.5, tags: ['x', 'y'], flag: true, none: null, stats: {} },
  ];
  assert.equal(attributesOf(cover(records)), [
    { attribute: 'id', has: 2, distinct: 2, moved: false },
    { attribute: 'n', has: 2, min: -1, max: 4.5, moved: false },
    { attribute: 'tags', has: 2, min: 0, max: 2, moved: false },
    { attribute: 'flag', has: 2, distinct: 1, moved: false },
    { attribute: 'none', has: 0, moved: false },
    { attribute: 'stats.atk', has: 1, min: 2, max: 2, moved: false },
  ]);
});

const before = manyRecords(20, (index) => ({ atk: 100 + index, def: 5, region: `R${index % 8}` }));

const MOVES: [what: string, change: (record: JsonObject, index: number) => JsonObject, moved: string[]][] = [
  ['new values', (record) => ({ ...record, atk: 150 }), []],
  [
    'a value that one record lacks',
    ({ def, ...record }, index) => (index > 0 ? { ...record, def: def ?? 0 } : record),
    ['def'],
  ],
  ['an attribute that is gone', ({ atk, ...record }) => record, ['atk']],
  ['an attribute that is new', (record) => ({ ...record, speed: 1 }), ['speed']],
  ['numbers that are ten times as large', (record) => ({ ...record, atk: Number(record.atk) * 10 }), ['atk']],
  ['a negative number', (record, index) => ({ ...record, atk: index === 0 ? -1 : 100 }), ['atk']],
  ['fewer different texts', (record) => ({ ...record, region: 'R1' }), ['region']],
  [
    'what moved most, first',
    ({ atk, ...record }, index) => (index < 10 ? { ...record, def: null } : record),
    ['atk', 'def'],
  ],
];
for (const [what, change, moved] of MOVES) {
  test(`${what}: moved is ${moved.join(', ') || 'nothing'}`, () => {
    const found = attributesOf(cover(before.map(change), before));
    assert.equal(
      found.filter((attribute) => attribute.moved).map(({ attribute }) => attribute),
      moved,
    );
    assert.equal(
      found.slice(0, moved.length).map(({ attribute }) => attribute),
      moved,
    );
  });
}

test('new records with the same attributes move nothing', () => {
  assert.equal(
    attributesOf(cover([...before, ...before], before)).filter(({ moved }) => moved),
    [],
  );
});

test('a table shows what moved, and all if that is wanted', () => {
  const after = before.map(({ atk, ...record }) => record);
  const coverage = [coverBuild('game', profileOf('1.1', after, []), profileOf('1.0', before))];
  assert.is(
    renderCoverage(coverage, 'moved'),
    [
      'game 1.1, before it 1.0',
      '  characters: 20 records, 5 attributes, 1 moved',
      '    atk  20/20 → 0/20  100–119 → nothing',
      '  items: 0 records, 0 attributes',
      '',
    ].join('\n'),
  );
  assert.match(renderCoverage(coverage, 'all'), /\n {4}region {2}20\/20 +8 distinct\n/);
  assert.is(renderCoverage(coverage, 'none'), '');
});

test('a dataset that is gone is listed, and a long table is cut', () => {
  const items = manyRecords(2, () => ({ cost: 3 }));
  const gone = coverBuild('game', profileOf('1.1', before), profileOf('1.0', before, items));
  assert.match(renderCoverage([gone], 'moved'), '  items: 2 → 0 records, 3 attributes, 3 moved\n');
  const wide = cover([Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, index]))]);
  assert.match(
    renderCoverage([wide], 'moved'),
    /\n {4}a11 {2}1\/1 {2}11\n {4}and 18 more: --coverage all\n$/,
  );
  assert.not.match(renderCoverage([wide], 'all'), 'more');
});

test.run();
