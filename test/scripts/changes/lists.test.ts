import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, gameFiles } from '../../support/fixtures.ts';
import { manyRecords, testFindings, twoBuilds } from '../check/cases.ts';

const test = suite('what a build has beside the one before it');

type Lists = Record<string, Json>;
type Case = [what: string, before: Lists, after: Lists, places: string[], found?: RegExp];

const renamedTo = (shift: number, count: number) =>
  manyRecords(20, (index) => (index < count ? { name: `Name ${(index + shift) % count}` } : {}));
const rows = (first: number, count: number, more: JsonObject = {}) =>
  manyRecords(count, (index) => ({ id: `r${index + first}`, name: `Row ${index + first}`, ...more }));
const rarer = (count: number) =>
  manyRecords(200, (index) => ({ rarity: 3 + (index % 3) + (index < count ? 1 : 0) }));
const dayOf = (index: number): Json => new Date(Date.UTC(2026, 5, 30 - index)).toISOString();
const secondsOf = (index: number): Json => 1.78e9 - index * 86_400;
/** Whether a stage opens in the twelfth chapter or in one before. */
const chapterOf = (index: number): Json => (index < 2 ? 12 : 1 + (index % 11));
const over = (index: number) => ({ end: `2025-01-${10 + index}` });
const dated = (first: number, startOf = dayOf) =>
  manyRecords(30 - first, (index) => ({
    id: `r${index + first}`,
    name: `Row ${index + first}`,
    start: startOf(index + first),
  }));

const cast = (first: number, named = first): Lists => ({
  characters: rows(first, 40 - first),
  banners: ['r0', 'r5', 'r9'].slice(named).map((id) => ({ id, name: id, start: '2025-01-01', of: id })),
});
const team = (first: number) => manyRecords(9, (at) => ({ of: ['r0', 'r1', `r${30 + at}`].slice(first) }));
const CASES: readonly Case[] = [
  ['a character that is new is none', { characters: manyRecords(20) }, { characters: manyRecords(21) }, []],
  [
    'one character that is missing',
    { characters: manyRecords(20) },
    { characters: manyRecords(19) },
    ['records-lost 1.1/characters.json:1'],
    /^1 of the 20 records of characters in build 1\.0 are missing: id-19$/,
  ],
  [
    'five characters of many that are rarer',
    { characters: rarer(0) },
    { characters: rarer(5) },
    ['categories-changed 1.1/characters.json:1'],
  ],
  ['a character that left with its banner', cast(0), cast(1), []],
  ['a character that a banner names', cast(0), cast(1, 0), ['records-lost 1.1/characters.json:1']],
  ['lists without the records that left', { a: rows(0, 60), b: team(0) }, { a: rows(2, 58), b: team(2) }, []],
  ['the first five records of a dataset', { a: rows(0, 100) }, { a: rows(5, 95) }, []],
  [
    'the last five records of a dataset',
    { a: manyRecords(100) },
    { a: manyRecords(95) },
    ['records-lost 1.1/a.json:1'],
    /^5 of the 100 records of a in build 1\.0 are missing, among them the newest: id-95/,
  ],
  ['the two latest records of a dataset', { a: dated(0) }, { a: dated(2) }, ['records-lost 1.1/a.json:1']],
  [
    'the two latest records of a dataset, by seconds',
    { a: dated(0, secondsOf) },
    { a: dated(2, secondsOf) },
    ['records-lost 1.1/a.json:1'],
  ],
  ['the two records of the last chapter', { a: dated(0, chapterOf) }, { a: dated(2, chapterOf) }, []],
  [
    'six records of a dataset',
    { a: manyRecords(100) },
    { a: manyRecords(94) },
    ['records-lost 1.1/a.json:1'],
  ],
  [
    'eight events of twenty that are over',
    { a: manyRecords(20, over) },
    { a: manyRecords(20, over).slice(8) },
    [],
  ],
  ['two records of a short dataset', { a: manyRecords(6) }, { a: manyRecords(4) }, []],
  ['a rotation: 20 of 60 records are others', { a: rows(0, 60) }, { a: rows(20, 60) }, []],
  [
    'records without ids',
    { a: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] },
    { a: [{ n: 1 }] },
    ['records-lost 1.1/a.json:1'],
  ],
  [
    'names under the ids of others',
    { a: manyRecords(20) },
    { a: renamedTo(1, 20) },
    ['ids-renumbered 1.1/a.json:1'],
    /^other ids for 20 names of a: "Name 0" is id-19 and was id-0/,
  ],
  ['two of twenty names under other ids', { a: manyRecords(20) }, { a: renamedTo(1, 2) }, []],
  [
    'records without a name of their own, under other ids',
    { a: manyRecords(20, (index) => ({ name: 'Card', cost: index })) },
    { a: manyRecords(20, (index) => ({ id: `new-${index}`, name: 'Card', cost: index })) },
    ['ids-renumbered 1.1/a.json:1'],
  ],
  [
    'a dataset that is empty',
    { a: manyRecords(3) },
    { a: [] },
    ['dataset-gone 1.1/a.json:1'],
    /^nothing in the dataset "a"/,
  ],
  [
    'a list that is an object',
    { a: [{ gem: 1 }] },
    { a: { gem: 1 } },
    ['dataset-gone 1.1/a.json:1'],
    /^"a" as one object/,
  ],
];
for (const [what, before, after, places, found] of CASES)
  testFindings(
    test,
    `${what}: ${places.join(', ') || 'no finding'}`,
    twoBuilds(before, after),
    places,
    found,
  );

const removed = { '1.1/build.json': { released_at: '2026-01-02', removed: ['a.json'] } };
testFindings(
  test,
  'a dataset that is gone',
  { ...twoBuilds({ a: manyRecords(3) }, {}), ...removed },
  ['dataset-gone 1.1/build.json:1'],
  /^no dataset "a" in build 1\.1$/,
);

test('a record that has another id is proposed as renamed', async () => {
  const after = manyRecords(20, (index) => (index === 3 ? { id: 'new' } : {}));
  const { findings } = await compileFiles(
    gameFiles(twoBuilds({ characters: manyRecords(20) }, { characters: after })),
  );
  assert.equal(findings[0]?.renamed, { characters: { 'id-3': 'new' } });
  assert.match(
    findings[0]?.fix ?? '',
    /add "renamed": \{"characters":\{"id-3":"new"\}\} to .*1\.1\/build\.json, or run/,
  );
});

test('a game allows that more records are missing, and the newest', async () => {
  const checks = { 'records-lost': { max_lost_share: 0.5, max_lost_characters: 0.5 } };
  const files = {
    'game.json': { title: 'Game', checks },
    ...twoBuilds(
      { characters: rows(0, 20), a: rows(0, 20), b: rows(0, 100) },
      { characters: rows(0, 10), a: rows(0, 10), b: rows(0, 97) },
    ),
  };
  assert.equal((await compileFiles(gameFiles(files))).findings, []);
});

test.run();
