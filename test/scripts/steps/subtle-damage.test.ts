import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, gameFiles } from '../../support/fixtures.ts';
import { manyRecords, testFindings, twoBuilds } from '../check/cases.ts';

const test = suite('damage of few values');

/** A name of letters only. */
const nameOf = (index: number) =>
  `Unit ${String.fromCharCode(65 + (index % 26), 97 + Math.floor(index / 26))}`;

const named = (change: (index: number) => JsonObject = () => ({})) =>
  manyRecords(40, (index) => ({
    day: `2025-03-${String(10 + (index % 18))}`,
    atk: 500 + index,
    name: nameOf(index),
    ...change(index),
  }));

testFindings(
  test,
  'two names that were swapped are found, and a corrected one is not',
  twoBuilds(
    { a: named() },
    { a: named((index) => (index === 3 ? { name: nameOf(4) } : index === 4 ? { name: nameOf(3) } : {})) },
  ),
  ['names-changed 1.1/a.json:1'],
);
const NAMES = ['Bidoof', 'Exploud', 'Machamp', 'Serperior', 'Wurmple', 'Silcoon', 'Skiploom', 'Dartrix'];
/** Cards, of which five each have the same name. */
const cards = (first: JsonObject = {}) =>
  manyRecords(40, (index) => ({
    name: NAMES[index % 8] ?? '',
    title: index < 8 ? 'Band' : `Song of ${nameOf(index)}`,
    ...(index === 9 && first),
  }));
testFindings(
  test,
  'where names repeat, one that is that of others now and unlike its own is found',
  twoBuilds({ a: cards() }, { a: cards({ name: 'Wurmple' }) }),
  ['names-changed 1.1/a.json:1'],
  /^"name" changed in 1 of 40 records of a: id-9 was "Exploud" and is "Wurmple"$/,
);
testFindings(
  test,
  'a title that others have is found',
  twoBuilds({ a: cards() }, { a: cards({ title: 'Band' }) }),
  ['names-changed 1.1/a.json:1'],
);
testFindings(
  test,
  'names that are those of no others, or like their own, are none',
  twoBuilds({ a: cards({ name: 'Bidofo' }) }, { a: cards({ name: 'Bidoof', title: 'Winter' }) }),
  [],
);
testFindings(
  test,
  'a key that became a text which others have is none',
  twoBuilds({ a: cards({ name: 'Poke_Name_9' }) }, { a: cards({ name: 'Wurmple' }) }),
  ['text-unresolved 1.0/a.json:47 /9'],
);

testFindings(
  test,
  'a single name that was corrected is no finding',
  twoBuilds({ a: named() }, { a: named((index) => (index === 3 ? { name: 'Anne' } : {})) }),
  [],
);
testFindings(
  test,
  'dates of a tenth that are a day late are found',
  twoBuilds(
    { a: named() },
    { a: named((index) => (index % 10 === 0 ? { day: `2025-03-${String(11 + (index % 18))}` } : {})) },
  ),
  ['values-scaled 1.1/a.json:1'],
  /"day" of a are 24 h later in 4 of 40 values/,
);
testFindings(
  test,
  'what all records had, and one lost, is a warning',
  twoBuilds({ a: named() }, { a: named((index) => (index === 3 ? { atk: null } : {})) }),
  ['values-lost 1.1/a.json:1'],
);
testFindings(
  test,
  'names of characters in another script than that of the game are found in a first build',
  {
    'game.json': { title: 'Game', language: 'ja' },
    '1.0/characters.json': manyRecords(10, (index) => ({ name: nameOf(index) })),
  },
  ['language-script 1.0/characters.json:2 /0'],
);

const copied = (name: string, other: string) =>
  manyRecords(12, (index) => ({ [name]: `名前${index}`, [other]: `名前${index}` }));

const inFrench = (edit: (name: string) => string) =>
  manyRecords(20, (index) => ({ name_fr: index < 4 ? edit(`Pionnier ${nameOf(index)}`) : nameOf(index) }));

const inLanguages = (code: string) => (index: number) => {
  const name = `The Great Sword of ${nameOf(index)}`;
  return { name, name_ko: `이름 ${index}`, [`name_${code}`]: name };
};

const unresolved = (count: number, names: (index: number) => JsonObject) => ({
  properties: manyRecords(20, (index) => (index < count ? names(index) : {})),
});
const key = (index: number) => `SpMax_base${index}`;

testFindings(
  test,
  'texts that upstream lacks are one fault in one language and in all, and are reported once',
  twoBuilds(
    unresolved(3, (index) => ({ name: key(index) })),
    unresolved(5, (index) => ({ name: key(index), name_ja: key(index), name_ko: key(index) })),
  ),
  ['text-unresolved 1.0/properties.json:2 /0'],
);
testFindings(
  test,
  'texts that many more records lack are reported again',
  twoBuilds(
    unresolved(3, (index) => ({ name: key(index) })),
    unresolved(12, (index) => ({ name: key(index), name_ja: key(index) })),
  ),
  [
    'text-unresolved 1.0/properties.json:2 /0',
    'names-changed 1.1/properties.json:1',
    'text-unresolved 1.1/properties.json:2 /0',
  ],
);
testFindings(
  test,
  'a language that has the names of another one has them in a new list too',
  twoBuilds(
    { a: copied('name_zh', 'name_ja') },
    { a: copied('name_zh', 'name_ja'), b: copied('name_zh', 'name_ja'), c: copied('title_zh', 'title_ja') },
  ),
  ['language-copied 1.0/a.json:1', 'language-copied 1.1/c.json:1'],
);
testFindings(
  test,
  'names of another language that lose their articles are no other names',
  twoBuilds({ a: inFrench((name) => `Le ${name}`) }, { a: inFrench((name) => name) }),
  [],
);
testFindings(
  test,
  'names of another language that are cut off are found',
  twoBuilds({ a: inFrench((name) => `${name} premier`) }, { a: inFrench((name) => name) }),
  ['names-changed 1.1/a.json:1'],
);
testFindings(
  test,
  'a name in a language that was the one of the game is no loss',
  twoBuilds(
    { a: manyRecords(20, (index) => ({ name_ja: index < 9 ? `Name ${index}` : `名前${index}` })) },
    { a: manyRecords(20, (index) => (index < 9 ? {} : { name_ja: `名前${index}` })) },
  ),
  [],
);
testFindings(
  test,
  'names in Indonesian may be left in English, and those in Japanese may not',
  twoBuilds({}, { a: manyRecords(12, inLanguages('id')), b: manyRecords(12, inLanguages('ja')) }),
  ['language-copied 1.1/b.json:1', 'language-script 1.1/b.json:2 /0'],
);

test('names of new records of a dataset that are no texts hold nothing back; those of other records do', async () => {
  const minorIn = async (before: number, count: number) => {
    const files = twoBuilds(
      { a: manyRecords(before) },
      { a: manyRecords(20, (index) => (index >= count ? { name: key(index) } : {})) },
    );
    const { findings } = await compileFiles(gameFiles(files));
    return findings.filter(({ check }) => check === 'text-unresolved').map(({ minor }) => minor === true);
  };
  assert.equal(await minorIn(12, 12), [true]);
  assert.equal(await minorIn(13, 12), [false]);
});

/** Records with a list, an attribute with few different values, and three that a joined table makes. */
const joined = (change: (index: number) => JsonObject = () => ({}), count = 60) =>
  manyRecords(count, (index) => ({
    ...{ costs: [{ count: 1 + (index % 5) }], slots: [1 + (index % 3), 2], level: 1 + (index % 5) },
    ...{ element: `E${index % 3}`, evolves: nameOf(index), stage: 1 + (index % 2), tier: `T${index % 9}` },
    day: `2025-03-${String(10 + (index % 18))}`,
    ...change(index),
  }));

/** What is found after a change, without the places. */
async function checksAfter(change: (index: number) => JsonObject, count = 60): Promise<string[]> {
  const files = twoBuilds({ a: joined(undefined, count) }, { a: joined(change, count) });
  const { findings } = await compileFiles(gameFiles(files));
  return findings.map(({ severity, check }) => `${severity} ${check}`);
}

const DAMAGE: [string, (index: number) => JsonObject, string][] = [
  [
    'numbers inside lists that became texts',
    (index) => (index < 5 ? { costs: [{ count: `${1 + index},0` }] } : {}),
    'error field-kinds',
  ],
  ['lists of nothing', (index) => (index < 40 ? { slots: [null, null] } : {}), 'error values-lost'],
  [
    'several attributes that one record lost',
    (index) => (index === 7 ? { element: null, evolves: null, tier: null } : {}),
    'warning values-lost',
  ],
  ['a date before all games', (index) => (index === 7 ? { day: '1970-01-01' } : {}), 'warning values-jumped'],
  [
    'a number that is a million times too high',
    (index) => (index === 7 ? { costs: [{ count: 5_000_000 }] } : {}),
    'error number-range',
  ],
  [
    'levels that became a usual one',
    (index) => (index > 0 && index % 5 > 2 ? { level: 1 } : index % 5 === 2 ? { level: 1 } : {}),
    'error values-merged',
  ],
  ['one text for all', () => ({ element: 'E1' }), 'error values-rewritten'],
];
for (const [what, change, finding] of DAMAGE)
  test(`${what} are found`, async () => assert.equal(await checksAfter(change), [finding]));

test('records that a list without dates lost are found, although it has new ones', async () => {
  const found = async (more: JsonObject) => {
    const list = (first: number) =>
      manyRecords(60, (index) => ({ id: `r${index + first}`, name: nameOf(index + first), ...more }));
    const { findings } = await compileFiles(gameFiles(twoBuilds({ a: list(0) }, { a: list(10) })));
    return findings.map(({ check }) => check);
  };
  assert.equal(await found({}), ['records-lost']);
  assert.equal(await found({ end: '2026-01-01' }), []);
});

test('values that the dictionary does not know are an error in records that had others', async () => {
  const attributes = {
    '*': { '*': { description: 'What it is.' }, '*.*': { description: 'What it is.' } },
    a: { element: { description: 'The element.', values: ['Fire', 'Ice'] } },
  };
  const found = async (after: JsonObject[]) => {
    const files = {
      'game.json': { title: 'Game', attributes, checks: { 'new-values': { max_categories: 1 } } },
      ...twoBuilds({ a: manyRecords(100, () => ({ element: 'Fire' })) }, { a: after }),
    };
    const { findings } = await compileFiles(gameFiles(files));
    return findings.filter(({ check }) => check === 'attribute-unexpected').map(({ severity }) => severity);
  };
  const withWind = (count: number, isWind: (index: number) => boolean) =>
    found(manyRecords(count, (index) => ({ element: isWind(index) ? 'Wind' : 'Fire' })));
  assert.equal(await withWind(106, (index) => index >= 100), ['warning']);
  assert.equal(await withWind(100, (index) => index < 5), ['error']);
});

for (const [count, becomes, severity] of [
  [2, (): number => -1, 'warning'],
  [3, (): number => -1, 'error'],
  // A patch may take more from numbers than they were.
  [3, (cost: number): number => cost - 100, 'warning'],
] as const)
  test(`${count} numbers that became negative, ${becomes(30)} among them, where none was are of severity "${severity}"`, async () => {
    const costOf = (index: number) => 30 + 10 * (index % 5);
    const numbers = (negative: number) =>
      manyRecords(20, (index) => ({
        rows: [{ cost: index < negative ? becomes(costOf(index)) : costOf(index) }],
      }));
    const { findings } = await compileFiles(gameFiles(twoBuilds({ a: numbers(0) }, { a: numbers(count) })));
    const negative = findings.filter(({ check }) => check === 'number-range');
    assert.equal(
      negative.map((finding) => finding.severity),
      [severity],
    );
  });

test('a text that twenty records of a long list have now and none had is an error', async () => {
  const elements = (count: number) =>
    manyRecords(1500, (index) => ({
      element: index % 50 === 0 && index < count * 50 ? 'Iec' : `Fire ${'abc'[index % 3]}`,
    }));
  for (const [count, severity] of [
    [19, 'warning'],
    [20, 'error'],
  ] as const) {
    const { findings } = await compileFiles(gameFiles(twoBuilds({ a: elements(0) }, { a: elements(count) })));
    assert.equal(
      findings.map((finding) => `${finding.check} ${finding.severity}`),
      [`new-values ${severity}`],
    );
  }
});

test.run();
