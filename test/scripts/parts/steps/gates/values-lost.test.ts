import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../../core/check/cases.ts';

const test = suite('check values-lost');

/** Twenty records with three levels each; the last level of the first records has no cost. */
const levels = (count: number) =>
  manyRecords(20, (index) => ({
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
