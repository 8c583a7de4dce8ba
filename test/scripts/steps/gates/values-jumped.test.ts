import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check values-jumped');

const stats = (index: number) => ({ atk: 100 + index * 7, def: 300 + index * 11, hp: 2000 + index * 31 });
const units = (change: (index: number) => object = () => ({})) =>
  manyRecords(40, (index) => ({ stats: { ...stats(index), ...change(index) } }));

testFindings(
  test,
  'one number that is exactly twice what it was is found, although the range hides it',
  twoBuilds({ a: units() }, { a: units((index) => (index === 3 ? { atk: 242 } : {})) }),
  ['values-jumped 1.1/a.json:1'],
  /"stats\.atk" jumped in 1 of 40 records of a: id-3 was 121 and is 242$/,
);
testFindings(
  test,
  'a balance change is none',
  twoBuilds({ a: units() }, { a: units((index) => (index === 3 ? { atk: 200, hp: 1100 } : {})) }),
  [],
);
const odd = units((index) => (index === 3 ? { atk: 11 } : {}));
testFindings(
  test,
  'a number that was far from those of other records, and is near them now, is none',
  twoBuilds({ a: odd }, { a: units((index) => (index === 3 ? { atk: 240 } : {})) }),
  [],
);
testFindings(
  test,
  'a number that was far from those of other records, and is far on the other side now, is found',
  twoBuilds({ a: odd }, { a: units((index) => (index === 3 ? { atk: 1100 } : {})) }),
  ['values-jumped 1.1/a.json:1', 'number-range 1.1/a.json:1'],
);
testFindings(
  test,
  'two records with all numbers of their neighbours are found',
  twoBuilds({ a: units() }, { a: units((index) => (index % 20 === 4 ? stats(index + 1) : {})) }),
  ['values-jumped 1.1/a.json:1'],
  /all numbers of another record in 2 of 40 records of a: id-4 has those of id-5, id-24 has those of id-25$/,
);

const levels = (change: (index: number, level: number) => object = () => ({})) =>
  manyRecords(40, (index) => ({
    levels: [1, 20, 40, 60].map((level) => ({
      level,
      atk: 90 + index * 3 + level * 5,
      ...change(index, level),
    })),
  }));
testFindings(
  test,
  'a number of one level that is above that of the next is found',
  twoBuilds(
    { a: levels() },
    { a: levels((index, level) => (index === 3 && level === 20 ? { atk: 398 } : {})) },
  ),
  ['values-jumped 1.1/a.json:1'],
  /^"levels\.atk" no longer rising from row to row in 1 of 40 records of a: id-3$/,
);
testFindings(
  test,
  'other numbers of levels that still rise are none',
  twoBuilds({ a: levels() }, { a: levels((index, level) => (index === 3 ? { atk: 50 + level * 6 } : {})) }),
  [],
);
const mixed = (change: (index: number) => number) =>
  manyRecords(40, (index) => ({ hits: [40, 60 - index, change(index)].map((share) => ({ share })) }));
testFindings(
  test,
  'lists that do not rise in all records may fall',
  twoBuilds({ a: mixed(() => 70) }, { a: mixed((index) => (index === 3 ? 50 : 70)) }),
  [],
);
testFindings(
  test,
  'a small number that alone is twice what it was is found',
  twoBuilds(
    { a: manyRecords(40, (index) => ({ crit: 4 + (index % 9) })) },
    { a: manyRecords(40, (index) => ({ crit: index === 3 ? 14 : 4 + (index % 9) })) },
  ),
  ['values-jumped 1.1/a.json:1'],
  /^"crit" jumped in 1 of 40 records of a: id-3 was 7 and is 14$/,
);

test.run();
