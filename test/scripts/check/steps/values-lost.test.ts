import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../cases.ts';

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

test.run();
