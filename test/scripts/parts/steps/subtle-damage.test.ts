import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../core/check/cases.ts';

const test = suite('damage of few values');

/** A name of letters only. */
const nameOf = (index: number) =>
  `Unit ${String.fromCharCode(65 + (index % 26), 97 + Math.floor(index / 26))}`;

const named = (change: (index: number) => object = () => ({})) =>
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

test.run();
