import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check values-lost');

/** Twenty records with three levels each; the last level of the first records has no cost. */
const levels = (count: number, all = 20) =>
  manyRecords(all, (index) => ({
    levels: [1, 2, 3].map((level) => (level === 3 && index < count ? { level } : { level, cost: level * 9 })),
  }));

testFindings(
  test,
  'rows inside lists that lose an attribute are reported',
  twoBuilds({ a: levels(0) }, { a: levels(4) }),
  ['values-lost 1.1/a.json:1'],
  /^"levels\.cost" zero, empty, absent or shorter in 4 of 20 records of a: id-0, id-1, id-2 and 1 more$/,
);
testFindings(
  test,
  'rows inside lists may come in another order',
  twoBuilds(
    { a: levels(20) },
    {
      a: levels(20).map((record, index) =>
        index < 4 ? { ...record, levels: [...(record.levels as [])].reverse() } : record,
      ),
    },
  ),
  [],
);

testFindings(
  test,
  'what every row of every list had is missed in one, also if new records have it',
  twoBuilds(
    { a: levels(0, 30) },
    {
      a: [
        ...levels(1, 30),
        { ...levels(0)[0], id: 'new', name: 'New', levels: [1, 2, 3].map((cost) => ({ level: cost, cost })) },
      ],
    },
  ),
  ['values-lost 1.1/a.json:1'],
  /^"levels\.cost" zero, empty, absent or shorter in 1 of 30 records of a: id-0$/,
);
const joined = (count: number) =>
  manyRecords(40, (index) => ({
    ...(index >= count && { element: `Fire ${index % 3}`, stage: 1 + (index % 2) }),
    ...(index >= count && index % 4 === 0 && { evolves_from: `Name ${index + 1}` }),
    ...(index === 39 ? {} : { hp: 10 + index }),
  }));
testFindings(
  test,
  'a record that loses three attributes at once is found, one of which few records had',
  twoBuilds({ a: joined(0) }, { a: joined(1) }),
  ['values-lost 1.1/a.json:1'],
  /"element", "stage"/,
);

/** Twenty records, of which every fourth has no attack. */
const attacks = (attackOf: (index: number) => number) =>
  manyRecords(20, (index) => ({ attack: index % 4 === 3 ? 0 : attackOf(index) }));

testFindings(
  test,
  'where zero is usual, values that become others or zero in most records have changed',
  twoBuilds(
    { a: attacks((index) => 100 + (index % 4) * 10) },
    { a: attacks((index) => (index % 4 === 0 ? 51 + index * 3 : 0)) },
  ),
  ['values-rewritten 1.1/a.json:1'],
  /^"attack" of a have changed in 15 of 20 values/,
);
testFindings(
  test,
  'where zero is usual, some values may become zero',
  twoBuilds(
    { a: attacks((index) => 100 + (index % 4) * 10) },
    { a: attacks((index) => (index < 9 ? 0 : 100 + (index % 4) * 10)) },
  ),
  [],
);

test.run();
