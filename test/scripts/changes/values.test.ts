import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, gameFiles } from '../../support/fixtures.ts';
import { manyRecords, testFindings, twoBuilds } from '../check/cases.ts';

const test = suite('values that changed');

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** A name of letters only. */
const nameOf = (index: number) =>
  `Unit ${LETTERS[index % 26]?.toUpperCase()}${LETTERS[Math.floor(index / 26) % 26]}`;
const dayOf = (index: number) => `2025-03-${String(10 + (index % 18))}T04:00:00.000Z`;
const half = (index: number) => index % 2 === 0;

/** Sixty records, as a game has them. */
const usual = (index: number): JsonObject => ({
  name: nameOf(index),
  name_fr: `Le ${nameOf(index)}`,
  title: `Song of ${nameOf(index)}`,
  rarity: 3 + (index % 3),
  element: ['Fire', 'Ice', 'Wind'][index % 3] ?? '',
  is_new: index % 9 === 0,
  day: dayOf(index),
  rate: 1.6 + index / 100,
  level: 10 * (1 + (index % 5)),
  stats: { hp: 900 + 7 * index, atk: 101 + index },
  costs: [{ gold: 100 + index }, { gold: 300 + 2 * index }, { gold: 900 + 3 * index }],
  ...(index % 4 === 0 && { bonus: 5 + index }),
});

type Change = (index: number, record: JsonObject) => JsonObject;
const stats = (hp: number, atk: number) => ({ stats: { hp, atk } });
const only =
  (count: number, change: Change): Change =>
  (index, record) =>
    index < count ? change(index, record) : {};
const without = (...names: string[]) => Object.fromEntries(names.map((name) => [name, null]));

/** What changes in the later build, and the checks that find something, with what they say of the first. */
const CASES: readonly [what: string, change: Change, checks: string[], found?: RegExp][] = [
  ['nothing', () => ({}), []],
  ['balance of some stats', only(24, (index) => stats(900 + 7 * index + (index % 7) - 3, 101 + index)), []],

  [
    'a stat of all that is zero',
    (index) => stats(900 + 7 * index, 0),
    ['values-lost'],
    /^"stats\.atk" zero, empty, absent or shorter in 60 of 60 records of a: id-0, id-1, id-2 and 57 more$/,
  ],
  ['an attribute of all that is gone', () => without('level'), ['values-lost']],
  [
    'an object that three records lost',
    only(3, () => without('stats')),
    ['values-lost'],
    /^"stats" zero, empty, absent or shorter in 3 of 60 records of a: id-0, id-1, id-2$/,
  ],
  ['a value that two records lost', only(2, () => without('level')), []],
  ['a value of a minority that some lost', only(9, () => without('bonus')), []],
  ['names in a language that a tenth lost', only(6, () => without('name_fr')), ['values-lost']],
  [
    'rows of lists that are shorter',
    only(6, (index) => ({ costs: [{ gold: 100 + index }] })),
    ['values-lost'],
  ],
  [
    'rows of lists that lack a value',
    only(6, () => ({ costs: [{ gold: null }, { gold: null }, { gold: null }] })),
    ['values-lost'],
  ],
  [
    'lists that have each row twice',
    (_, { costs }) => ({ costs: [...(costs as []), ...(costs as [])] }),
    ['values-changed'],
    /have each element twice in 60 of 60 values$/,
  ],

  [
    'numbers ten times as high',
    (index) => stats(10 * (900 + 7 * index), 10 * (101 + index)),
    ['values-changed'],
    /^"stats\.atk", "stats\.hp" of a are multiplied by 10 in 60 of 60 values: "stats\.atk" of "id-0" was the number 101 and is the number 1010$/,
  ],
  [
    'three numbers ten times as high',
    only(3, (index) => stats(900 + 7 * index, 10 * (101 + index))),
    ['values-changed'],
  ],
  [
    'numbers a tenth higher',
    (index) => stats(900 + 7 * index, Math.round(1.1 * (101 + index))),
    ['values-changed'],
    /have changed in/,
  ],
  [
    'numbers one higher',
    (index) => stats(901 + 7 * index, 101 + index),
    ['values-changed'],
    /have changed in 60 of 60/,
  ],
  [
    'numbers that are negative',
    (index) => stats(900 + 7 * index, -101 - index),
    ['values-changed'],
    /multiplied by -1/,
  ],
  [
    'numbers without their decimals',
    (index) => ({ rate: Math.trunc(1.6 + index / 100) }),
    ['values-changed'],
    /have lost their decimals/,
  ],
  ['one number for all', () => ({ level: 7 }), ['values-changed'], /are now all the number 7/],
  ['one number for a tenth', only(6, (index) => stats(900 + 7 * index, 1)), ['values-changed']],
  [
    'other numbers in most records',
    (index) => stats(900 + ((index * 37) % 211), 101 + index),
    ['values-changed'],
    /have changed in/,
  ],
  [
    'the numbers of other records',
    (index) => stats(900 + 7 * ((index * 7) % 60), 101 + index),
    ['values-moved'],
    /are those of other records in/,
  ],
  [
    'a position of lists that is ten times as high',
    (_, { costs }) => ({
      costs: (costs as JsonObject[]).map(({ gold }, at) => ({ gold: Number(gold) * (at === 1 ? 10 : 1) })),
    }),
    ['values-changed'],
  ],
  [
    'nothing that is zero now',
    (index) => (index % 4 === 0 ? {} : { bonus: 0 }),
    ['values-changed'],
    /^"bonus" of a are zero where they had no value in 45 of 60 values/,
  ],
  [
    'dates that are a day late',
    only(6, (index) => ({ day: dayOf(index).replace(/-(\d\d)T/, (_, day) => `-${Number(day) + 1}T`) })),
    ['values-changed'],
    /are 24 h later in 6 of 60/,
  ],
  [
    'dates of most that are some hours late',
    (index) => ({ day: dayOf(index).replace('T04', 'T13') }),
    ['values-changed'],
    /are 9 h later/,
  ],
  [
    'dates of a few that are some hours late',
    only(6, (index) => ({ day: dayOf(index).replace('T04', 'T13') })),
    [],
  ],
  [
    'dates with day and month exchanged',
    only(3, (index) => ({ day: `2025-${10 + index}-03T04:00:00.000Z` })),
    ['values-changed'],
    /have day and month exchanged in 3/,
  ],
  [
    'texts in capitals',
    (index) => ({ title: `SONG OF ${nameOf(index)}` }),
    ['values-changed'],
    /have other capitals or spaces/,
  ],
  [
    'half of the texts cut off',
    (index) => (half(index) ? { title: `Song of ${nameOf(index)}`.slice(0, 14) } : {}),
    ['values-changed'],
    /are cut off after 14 characters in 30 of 60/,
  ],
  [
    'one text for a tenth',
    only(6, () => ({ title: 'Soon' })),
    ['values-changed'],
    /are now all the text "Soon"/,
  ],

  ['a number that is a text', (index) => ({ level: `${10 * index}` }), ['field-kinds'], /^a text/],
  [
    'numbers inside lists that are texts',
    only(5, (index) => ({ costs: [{ gold: `${index},0` }, { gold: 1 }, { gold: 2 }] })),
    ['field-kinds'],
    /^texts as "costs\.gold" of a, in 5 of 180 values$/,
  ],

  [
    'another element for one in six',
    only(20, (index) => (half(index) ? { element: 'Wind' } : {})),
    ['categories-changed'],
  ],
  ['another element for five', only(5, () => ({ element: 'Wind' })), []],
  [
    'an element that none had for four',
    only(4, () => ({ element: 'Iec' })),
    ['categories-changed'],
    /have values that none had in 4 of 60/,
  ],
  [
    'a rarity that is one higher for a third',
    only(20, (index) => ({ rarity: 4 + (index % 3) })),
    ['categories-changed'],
  ],
  ['other flags for a third', only(20, (index) => ({ is_new: index % 9 !== 0 })), ['categories-changed']],

  ['a corrected name', only(1, () => ({ name: 'Anne' })), []],
  ['seven other names', only(7, (index) => ({ name: `Hero ${LETTERS[index]}` })), ['names-changed']],
  ['two names that were swapped', only(2, (index) => ({ name: nameOf(1 - index) })), ['names-changed']],
  ['a name that another record has', only(1, () => ({ name: nameOf(40) })), ['names-changed']],
  ['a name of question marks', only(1, () => ({ name: '???' })), ['names-changed']],
  ['another title', only(1, () => ({ title: 'Song of Nobody' })), []],
  ['names with other numbers', (index) => ({ name_fr: `Le ${nameOf(index)} +7` }), ['values-changed']],

  [
    'a number that is a quarter',
    only(1, () => stats(900, 25)),
    ['values-jumped'],
    /^"stats\.atk" jumped in 1 of 60 values of a: id-0 was 101 and is 25$/,
  ],
  ['a number that is exactly twice', only(1, () => stats(900, 202)), ['values-jumped']],
  ['a number that is not quite twice', only(1, () => stats(900, 199)), []],
  [
    'a number inside a list that is ten times as high',
    only(1, () => ({ costs: [{ gold: 100 }, { gold: 3000 }, { gold: 900 }] })),
    ['values-jumped'],
  ],
  [
    'a number that is a million times as high',
    only(1, () => ({ costs: [{ gold: 1e8 }, { gold: 300 }, { gold: 900 }] })),
    ['values-jumped'],
  ],
  ['a date before all games', only(1, () => ({ day: '1970-01-01T00:00:00.000Z' })), ['values-jumped']],
  ['all numbers of another record', only(1, () => stats(907, 102)), []],
];
for (const [what, change, checks, found] of CASES)
  test(`${what}: ${checks.join(', ') || 'no finding'}`, async () => {
    const after = (index: number) => ({ ...usual(index), ...change(index, usual(index)) });
    const files = twoBuilds({ a: manyRecords(60, usual) }, { a: manyRecords(60, after) });
    const { findings } = await compileFiles(gameFiles(files));
    const said = findings.map((finding) => finding.found).join('\n');
    assert.equal([...new Set(findings.map(({ check }) => check))], checks, said);
    if (found) assert.match(said, found, said);
  });

test('all numbers of another record, which had others, are found', async () => {
  const list = (copied: boolean) =>
    manyRecords(20, (index) => {
      const of = copied && index === 3 ? 4 : index;
      return { atk: 100 + of, def: 200 + 3 * of, hp: 900 + 7 * of };
    });
  const { findings } = await compileFiles(gameFiles(twoBuilds({ a: list(false) }, { a: list(true) })));
  assert.equal(
    findings.map(({ check, found }) => [check, found]),
    [['values-jumped', 'all numbers of another record in 1 of 20 records of a: id-3 has those of id-4']],
  );
});

testFindings(
  test,
  'an attribute of an object that is gone is found, and one that is zero is not',
  twoBuilds({ a: { gem: 1, coin: 2 } }, { a: { coin: 0 } }),
  ['values-lost 1.1/a.json:1'],
);
const numbered = (factor: number) =>
  Array.from({ length: 20 }, (_, at) => (factor === 1 ? at : 19 - at)).map((no) => ({
    no,
    atk: factor * (100 + no),
  }));
testFindings(
  test,
  'records without ids are compared by a key that they have',
  twoBuilds({ a: numbered(1) }, { a: numbered(10) }),
  ['values-changed 1.1/a.json:1'],
  /^"atk" of a are multiplied by 10 in 20 of 20 values: "atk" of "0" was/,
);
testFindings(
  test,
  'new records need a name in some language, if nearly all others have one in many',
  twoBuilds(
    {
      a: manyRecords(20, (index) => ({
        name_de: `D ${index}`,
        name_fr: `F ${index}`,
        name_es: `E ${index}`,
      })),
    },
    {
      a: manyRecords(22, (index) =>
        index < 20 ? { name_de: `D ${index}`, name_fr: `F ${index}`, name_es: `E ${index}` } : {},
      ),
    },
  ),
  ['new-records-incomplete 1.1/a.json:1'],
);

test('what one in how much of a list changed is said in numbers too', async () => {
  const list = (factor: number) => manyRecords(20, (index) => ({ atk: factor * (101 + index) }));
  const { findings } = await compileFiles(gameFiles(twoBuilds({ a: list(1) }, { a: list(10) })));
  assert.equal(findings[0]?.changed, { attributes: ['atk'], count: 20, all: 20, factor: 10 });
  assert.is(findings[0]?.of, 'a.atk');
  assert.is(findings[0]?.dataset, 'a');
});

test.run();
