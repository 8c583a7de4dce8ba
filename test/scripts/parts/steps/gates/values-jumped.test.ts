import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../../core/check/cases.ts';

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

test.run();
