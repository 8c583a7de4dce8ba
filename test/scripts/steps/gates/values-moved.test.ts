import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check values-moved');

/** Of forty records, eight have a bonus: from this one on. */
const bonuses = (first: number, bonusOf: (index: number) => number) =>
  manyRecords(40, (index) => (index >= first && index < first + 8 ? { bonus: bonusOf(index - first) } : {}));

testFindings(
  test,
  'values of few records that other records have now are reported',
  twoBuilds({ a: bonuses(0, (index) => 10 + index) }, { a: bonuses(20, (index) => 10 + index) }),
  ['values-moved 1.1/a.json:1'],
  /^"bonus" of a are those of other records in 8 of 8 values$/,
);
testFindings(
  test,
  'a mark such as "new" may move to other records',
  twoBuilds({ a: bonuses(0, () => 1) }, { a: bonuses(20, () => 1) }),
  [],
);

/** Rows without ids, whose key is their number. */
const quests = (numbers: readonly number[]) =>
  numbers.map((number) => ({ quest_id: number, stamina: (number * 7) % 40, reward: number * 3 }));

testFindings(
  test,
  'a row that is inserted into a list without ids moves no values',
  twoBuilds(
    { a: quests(Array.from({ length: 60 }, (_, at) => at)) },
    { a: quests([0, 1, 2, 60, ...Array.from({ length: 57 }, (_, at) => at + 3)]) },
  ),
  [],
);

test.run();
