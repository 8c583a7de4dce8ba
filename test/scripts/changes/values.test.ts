import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFiles, gameFiles } from '../../support/fixtures.ts';
import { manyRecords, testFindings, twoBuilds } from '../check/cases.ts';

const test = suite('values that changed');

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** A name of letters only. */
const nameOf = (index: number) =>
  `Unit ${LETTERS[index % 26]?.toUpperCase()}${LETTERS[Math.floor(index / 26) % 26]}`;
const dayOf = (index: number, late = 0) => `2025-03-${10 + (index % 18) + late}T04:00:00.000Z`;

/** Sixty records, as a game has them. */
const usual = (index: number) => ({
  name: nameOf(index),
  name_fr: `Le ${nameOf(index)}`,
  title: `Song of ${nameOf(index)}`,
  icon: `https://a.example/${index}.png`,
  rarity: 3 + (index % 3),
  element: ['Fire', 'Ice', 'Wind'][index % 3] ?? '',
  label: ['DMG', 'Healing', 'Shield'][index % 3] ?? '',
  is_new: index % 9 === 0,
  day: dayOf(index),
  start: dayOf(index),
  rate: 1.6 + index / 100,
  level: 10 * (1 + (index % 5)),
  count: 1 + (index % 3),
  max_level: 60 + 10 * (index % 3),
  traits: ['Human', 'Knight', 'King', 'Rider', 'Calm'].slice(index % 3),
  order: index,
  stats: { hp: 900 + 7 * index, atk: 101 + index },
  tags: ['hits', 'heals', `shields ${index}`],
  growth: [5.9 + index / 100, 6.8],
  sets: [{ pieces: 2 }, { pieces: 4 }],
  costs: [{ gold: 100 + index }, { gold: 300 + 2 * index }, { gold: 900 + 3 * index }],
  skills: [1, 2, 3, 4, 5, 6].map((at) => ({ levels: [6, 7, 9].map((power) => ({ power: at + power })) })),
  ...(index % 4 === 0 && { bonus: 5 + index }),
  skill: `Raises the ${index % 3 ? 'attack' : 'defence'} of all allies by a tenth.`,
  ...(index < 6 && { opens: '2025-03-01T04:00:00.000Z' }),
});

type Usual = ReturnType<typeof usual>;
const ALL = 60;
const atk = (i: number, value: number) => ({ stats: { hp: 900 + 7 * i, atk: value } });

const fewer = (_: number, { skills }: Usual) => ({
  skills: skills.map(({ levels }) => ({ levels: levels.slice(1) })),
});

/** How many records have a change in the later build, which, the check that finds it, and what it says. */
const CASES: [
  what: string,
  first: number,
  change: (i: number, r: Usual) => object,
  check?: string,
  says?: string,
][] = [
  ['balance of some stats', 24, (i) => ({ stats: { hp: 900 + 7 * i + (i % 7) - 3, atk: 101 + i } })],
  ['a stat of all that is zero', ALL, (i) => atk(i, 0), 'values-lost'],
  [
    'a new rank of all, with higher stats',
    ALL,
    (i, { costs }) => ({ stats: { hp: 950 + 7 * i, atk: 120 + i }, costs: [...costs, { gold: 2000 }] }),
  ],
  ['higher stats of all', ALL, (i) => ({ stats: { hp: 950 + 7 * i, atk: 120 + i } }), 'values-changed'],
  [
    'higher stats of all, and a new level of each skill of six',
    ALL,
    (i, { skills }) => ({
      stats: { hp: 950 + 7 * i, atk: 120 + i },
      ...(i < 6 && { skills: skills.map(({ levels }) => ({ levels: [...levels, { power: 20 }] })) }),
    }),
    'values-changed',
  ],
  ['an attribute of all that is gone', ALL, () => ({ level: null }), 'values-lost'],
  ['an object that three records lost', 3, () => ({ stats: null }), 'values-lost'],
  ['a value that two records lost', 2, () => ({ level: null })],
  ['a value of a minority that some lost', 9, () => ({ bonus: null })],
  ['names in a language that a tenth lost', 6, () => ({ name_fr: null }), 'values-lost'],
  ['lists that end after two', 20, (_, { traits }) => ({ traits: traits.slice(0, 2) }), 'values-lost'],
  ['lists in lists that are shorter', 6, fewer, 'values-lost', 'in 6 of 60 records'],
  [
    'rows of lists in lists that lack a value',
    6,
    (_, { skills }) => ({
      skills: skills.map(({ levels }) => ({ levels: levels.map(() => ({ power: null })) })),
    }),
    'values-lost',
  ],
  [
    'lists that have their last row twice',
    6,
    (_, r) => ({ costs: [...r.costs, ...r.costs.slice(2)] }),
    'values-changed',
    'have elements twice in 6 of 60 values',
  ],
  [
    'numbers ten times as high',
    ALL,
    (i) => atk(i, 10 * (101 + i)),
    'values-changed',
    '"stats.atk" of a are multiplied by 10 in 60 of 60',
  ],
  ['three numbers ten times as high', 3, (i) => atk(i, 10 * (101 + i)), 'values-changed'],
  ['numbers that are negative', ALL, (i) => atk(i, -101 - i), 'values-changed', 'multiplied by -1'],
  [
    'numbers without their decimals',
    ALL,
    (i) => ({ rate: Math.trunc(1.6 + i / 100) }),
    'values-changed',
    'have lost their decimals',
  ],
  ['one number for all', ALL, () => ({ level: 7 }), 'values-changed', 'are now all the number 7'],
  ['one number for a tenth', 6, (i) => atk(i, 1), 'values-changed'],
  [
    'the numbers of other records',
    ALL,
    (i) => ({ stats: { hp: 900 + 7 * ((i * 7) % 60), atk: 101 + i } }),
    'values-moved',
    'are those of other records',
  ],
  ['numbers of all that are a tenth lower', ALL, (i) => atk(i, Math.round((101 + i) * 0.9))],
  ['one element with another name', ALL, (_, r) => (r.element === 'Ice' ? { element: 'Cold Ice' } : {})],
  ['texts in other words', ALL, (_, r) => ({ skill: r.skill.replace('Raises', 'Increases') })],
  [
    'one row for all in lists of three records',
    3,
    (_, { costs }) => ({ costs: costs.map(() => costs[0]) }),
    'values-changed',
    'have one element for all in 3 of 60',
  ],
  ['one list for six', 6, () => ({ costs: usual(9).costs }), 'values-changed', 'of a are now all'],
  ['nothing that is zero now', ALL, (i) => (i % 4 === 0 ? {} : { bonus: 0 }), 'values-changed'],
  ['dates that are a day late', 6, (i) => ({ day: dayOf(i, 1) }), 'values-changed'],
  ['a date of 2099', 1, () => ({ day: '2099-01-01T04:00:00.000Z' }), 'values-jumped'],
  ['dates of a few that are a day late', 4, (i) => ({ day: dayOf(i, 1) })],
  [
    'dates of a third that are some hours late',
    20,
    (_, r) => ({ day: r.day.replace('T04', 'T13') }),
    'values-changed',
    'are 9 h later in 20 of 60',
  ],
  [
    'dates that are other ones of the past',
    3,
    (i) => ({ day: `2024-${10 + i}-03T04:00:00.000Z` }),
    'values-changed',
    'are other days of the past in 3',
  ],
  [
    'texts in capitals',
    ALL,
    (_, r) => ({ title: `SONG OF ${r.name}` }),
    'values-changed',
    'have other capitals or spaces',
  ],
  [
    'half of the texts cut off',
    ALL,
    (i, r) => (i % 2 ? {} : { title: r.title.slice(0, 14) }),
    'values-changed',
    'are cut off after 14 characters in 30 of 60',
  ],
  ['one text for a tenth', 6, () => ({ title: 'Soon' }), 'values-changed', 'are now all the text "Soon"'],
  ['texts with other line breaks', ALL, (_, r) => ({ title: r.title.replaceAll(' ', '\n ') })],
  ['pictures in another folder', ALL, (i) => ({ icon: `https://a.example/new/${i}.png` })],
  [
    'texts in lists without their numbers',
    20,
    (_, { name }) => ({ tags: ['hits', 'heals', name] }),
    'values-changed',
    'have lost their numbers in 20 of 180',
  ],
  [
    'texts in lists with a tenth of their numbers',
    20,
    (_, { tags }) => ({ tags: tags.map((tag) => tag.replace(/\d+/, (each) => String(Number(each) / 10))) }),
    'values-changed',
    'have numbers multiplied by 0.1',
  ],
  ['titles without their first words', 8, (_, r) => ({ title: r.name }), 'values-changed', 'are a part of'],
  [
    'costs of a third that fell',
    20,
    (i) => ({ costs: [99 + i, 299 + 2 * i, 0].map((gold, at) => ({ gold: gold || 899 + 3 * i + at - 2 })) }),
  ],
  ['two attributes exchanged', 7, (_, r) => ({ title: r.name_fr, name_fr: r.title }), 'values-moved'],
  ['numbers of a third that fell', 20, (i) => atk(i, 90 + i + (i % 7)), 'values-changed', '20 of 60'],
  ['places in another order', ALL, (i) => ({ order: (i * 7) % 60 })],
  ['one date of a few that is two months later', 6, () => ({ opens: '2025-05-01T04:00:00.000Z' })],
  ['one date of some that is two days later', 3, () => ({ opens: '2025-03-03T04:00:00.000Z' })],
  ['tags in sentences', 15, (_, r) => ({ skill: `<b>${r.skill}` }), 'values-changed', 'tags or templates'],
  ['escapes in sentences', 15, (_, r) => ({ skill: r.skill.replace('all ', '\\n') }), 'values-changed'],
  ['codes in lists', 9, (_, r) => ({ tags: r.tags.map((tag) => `TAG_${tag}`) }), 'values-changed'],
  ['limits that are raised', ALL, (_, { max_level }) => ({ max_level: max_level + 10 })],
  ['one limit for all', ALL, () => ({ max_level: 95 }), 'values-changed'],
  ['a word that few translations add', 5, (_, r) => ({ name_fr: `${r.name_fr} éternel` })],
  ['sentences in another script', 9, (i) => ({ title: `锻造素材${LETTERS[i]}` }), 'values-changed'],
  ['sentences that few records share', 20, () => ({ skill: 'Raises the attack of all allies by a fifth.' })],
  ['a number that is a text', ALL, (i) => ({ level: String(10 * i) }), 'field-kinds', 'a text'],
  ['another element for one in six', 20, (i) => (i % 2 ? {} : { element: 'Wind' }), 'categories-changed'],
  ['another label for one in six', 20, (i) => (i % 2 ? {} : { label: 'Damage' })],
  ['another element for five', 5, () => ({ element: 'Wind' })],
  ['an element that none had for four', 4, () => ({ element: 'Iec' }), 'categories-changed'],
  ['four pieces in place of two', 20, () => ({ sets: [{ pieces: 4 }, { pieces: 4 }] }), 'categories-changed'],
  ['a rarity that is one higher for six', 6, (i) => ({ rarity: 4 + (i % 3) }), 'categories-changed'],
  [
    'one usual value for forty',
    40,
    () => ({ level: 50 }),
    'values-changed',
    'are now all the number 50 in 32 of 60',
  ],
  ['three names that are templates', 3, (i) => ({ name: `{NAME_${i}}` }), 'names-changed,text-unresolved'],
  ['seven other names', 7, (i) => ({ name: `Hero ${LETTERS[i]}` }), 'names-changed'],
  ['two names that were swapped', 2, (i) => ({ name: nameOf(1 - i) }), 'names-changed'],
  ['a name that another record has', 1, () => ({ name: nameOf(40) }), 'names-changed'],
  ['a name of a test', 1, () => ({ name: '(test)Unit 3' }), 'text-unresolved'],
  ['a name of question marks', 1, () => ({ name: '???' }), 'names-changed'],
  ['three names that are ids', 3, (i) => ({ name: `id-${i}` }), 'names-changed'],
  ['titles in quotes', 6, (_, r) => ({ title: `"${r.title}"` }), 'values-changed'],
  ['titles of the next records', 4, (i) => ({ title: usual(i + 1).title }), 'values-moved'],
  ['names with other punctuation', 9, (_, r) => ({ name_fr: r.name_fr.replace(' ', ' »') })],
  ['names with other numbers', ALL, (_, r) => ({ name_fr: `Le ${r.name} +7` }), 'values-changed'],
  ['a number that is a quarter', 1, (i) => atk(i, 25), 'values-jumped', '"id-0" was the number 101'],
  ['a number that is below zero', 1, (i) => atk(i, -1), 'values-jumped'],
  ['a number that is zero', 1, (i) => atk(i, 0), 'values-jumped'],
  ['a number that is exactly twice', 1, (i) => atk(i, 202), 'values-jumped'],
  [
    'a number inside a list that is ten times as high',
    1,
    () => ({ costs: [{ gold: 100 }, { gold: 3000 }, { gold: 900 }] }),
    'values-jumped',
  ],
  [
    'a number that is a million times as high',
    1,
    () => ({ costs: [{ gold: 1e8 }, { gold: 300 }, { gold: 900 }] }),
    'values-jumped',
  ],
  ['amounts that rose', 13, (_, { count }) => ({ count: count + 3 })],
  ['a start in 2099', 1, () => ({ start: '2099-01-01T04:00:00.000Z' }), 'values-jumped'],
  ['a start before all games', 1, () => ({ start: '1970-01-01T04:00:00.000Z' }), 'values-jumped'],
  ['pictures that were uploaded anew', ALL, (i) => ({ icon: `https://a.example/${i}/b-${i}.png` })],
  ['a date before all games', 1, () => ({ day: '1970-01-01T00:00:00.000Z' }), 'values-jumped'],
  ['all numbers of another record', 1, () => ({ stats: { hp: 907, atk: 102 } })],
];
test('a column of empty texts that is filled: no finding', async () => {
  const slots = (slot: (i: number) => string) => manyRecords(ALL, (i) => ({ ...usual(i), slot: slot(i) }));
  const files = twoBuilds({ a: slots(() => '') }, { a: slots((i) => `slot-${i % 3}`) });
  assert.equal((await compileFiles(gameFiles(files))).findings, []);
});

for (const [what, first, change, check = '', said = ''] of CASES)
  test(`${what}: ${check || 'no finding'}`, async () => {
    const after = (i: number) => ({ ...usual(i), ...(i < first && change(i, usual(i))) });
    const files = twoBuilds({ a: manyRecords(ALL, usual) }, { a: manyRecords(ALL, after) });
    const { findings } = await compileFiles(gameFiles(files));
    const all = findings.map(({ found }) => found).join('\n');
    // Few records stay as they were.
    if (first <= 5)
      assert.ok(
        findings.every(({ carry = [] }) => carry[0] === 'a/id-0'),
        all,
      );
    assert.is([...new Set(findings.map((finding) => finding.check))].join(), check, all);
    assert.ok(all.includes(said), all);
  });

const words = (i: number) => [['Gale'], ['Rime', 'Void'], ['Dusk'], ['Ash']][(i * i + (i >> 3)) % 4] ?? [];
const echo = (i: number) => ({
  name: nameOf(i),
  cost: 1 + (i % 4),
  rate: i,
  words: words(i),
  day: dayOf(i),
  birthday: `${1 + (i % 12)}/${13 + (i % 15)}`,
});
/** What the records from the fortieth on have; those from the sixtieth on are new. */
const ECHOES: [what: string, change: (i: number) => object, check: string][] = [
  ['new records like the others', () => ({}), ''],
  ['new records without a number', (i) => (i < 60 ? {} : { cost: 0, rate: 0 }), 'values-lost'],
  ['new names that are codes', (i) => (i < 60 ? {} : { name: `Sword_Ayus_${i}` }), 'names-changed'],
  ['new records in another script', (i) => (i < 60 ? {} : { name: `新角色${i}` }), 'names-changed'],
  ['new names without a letter', (i) => (i < 60 ? {} : { name: '???' }), 'names-changed'],
  ['new twins', (i) => (i < 60 ? {} : { ...echo(i - 20), name: `+ ${nameOf(i - 20)}` }), 'values-jumped'],
  ['new variants', (i) => (i < 60 ? {} : { ...echo(i - 20), name: `${nameOf(i - 20)} (Summer)` }), ''],
  ['new numbers in another unit', (i) => (i < 60 ? {} : { cost: 400 }), 'values-jumped'],
  ['new dates before all games', (i) => (i < 60 ? {} : { day: '1970-01-01' }), 'values-jumped'],
  ['new dates years ahead', (i) => (i < 60 ? {} : { day: '2062-08-01' }), 'values-jumped'],
  ['dates that moved by years', (i) => (i < 60 ? { day: `2034-03-1${i % 9}` } : {}), 'values-changed'],
  [
    'days before months',
    (i) => (i < 60 ? { birthday: `${13 + (i % 15)}/${1 + (i % 12)}` } : {}),
    'values-changed',
  ],
  ['lists of words of the record before', (i) => (i < 60 ? { words: words(i - 1) } : {}), 'values-moved'],
];
for (const [what, change, check] of ECHOES)
  test(`${what}: ${check || 'no finding'}`, async () => {
    const after = manyRecords(66, (i) => ({ ...echo(i), ...(i >= 40 && change(i)) }));
    const { findings } = await compileFiles(gameFiles(twoBuilds({ a: manyRecords(60, echo) }, { a: after })));
    assert.is(findings.map((finding) => finding.check).join(), check);
  });

test('all numbers of another record, which had others, are found', async () => {
  // The last three are new.
  const list = (copied: boolean) =>
    manyRecords(copied ? 63 : 60, (index) => {
      const of = !copied || (index !== 3 && index < 60) ? index : index === 3 ? 4 : index - 20;
      const [atk, def] = copied && index === 7 ? [221, 107] : [100 + of, 200 + 3 * of];
      return { atk, def, hp: 900 + 7 * of };
    });
  const { findings } = await compileFiles(gameFiles(twoBuilds({ a: list(false) }, { a: list(true) })));
  assert.equal(
    findings.map(({ check, found, carry }) => [check, found, carry]),
    [
      [
        'values-jumped',
        'all numbers of another record in 5 of 63 records of a: id-3 has those of id-4, id-7 has those of itself, in another order, id-60 has those of id-40 and 2 more',
        ['a/id-3', 'a/id-7', 'a/id-60', 'a/id-61', 'a/id-62'],
      ],
    ],
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
test('what one in how much of a list changed is said in numbers too', async () => {
  const list = (factor: number) => manyRecords(20, (index) => ({ atk: factor * (101 + index) }));
  const { findings } = await compileFiles(gameFiles(twoBuilds({ a: list(1) }, { a: list(10) })));
  assert.equal(findings[0]?.changed, { attributes: ['atk'], count: 20, all: 20, factor: 10 });
  assert.is(findings[0]?.of, 'a.atk');
  assert.equal(findings[0]?.carry, ['a']);
});

test.run();
