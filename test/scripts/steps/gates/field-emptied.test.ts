import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check field-emptied');

const withAtk = (count: number, atk: (index: number) => number | null) =>
  manyRecords(count, (index) => ({ stats: { atk: atk(index), def: 5 } }));
const AT_ROSTER = 'field-emptied 1.1/characters.json:1';

testFindings(
  test,
  'all values may change, and some may become zero',
  twoBuilds(
    { characters: withAtk(10, () => 9) },
    { characters: withAtk(10, (index) => (index < 8 ? 0 : 10)) },
  ),
  ['values-lost 1.1/characters.json:1'],
);
testFindings(
  test,
  'a stat that becomes zero in all records is a finding',
  twoBuilds({ characters: withAtk(10, () => 9) }, { characters: withAtk(10, () => 0) }),
  [AT_ROSTER],
);
testFindings(
  test,
  'a stat that becomes zero in nearly all of the earlier records is a finding',
  twoBuilds(
    { characters: withAtk(10, () => 9) },
    { characters: withAtk(30, (index) => (index > 0 && index < 10 ? 0 : 9)) },
  ),
  [AT_ROSTER],
  /^"stats\.atk" zero, empty or absent in 9 of 10 records of characters: id-1, id-2, id-3 and 6 more$/,
);
testFindings(
  test,
  'null counts as empty',
  twoBuilds({ a: withAtk(10, () => 9) }, { a: withAtk(10, () => null) }),
  ['field-emptied 1.1/a.json:1'],
);
testFindings(
  test,
  'an empty text, list or object counts as empty, and an object has one finding',
  twoBuilds(
    { a: manyRecords(6, () => ({ tags: ['x'], text: 'x', stats: { atk: 1 } })) },
    { a: manyRecords(6, () => ({ tags: [], text: '', stats: {} })) },
  ),
  ['field-emptied 1.1/a.json:1', 'field-emptied 1.1/a.json:1', 'field-emptied 1.1/a.json:1'],
);
testFindings(
  test,
  'a stat that was zero may stay zero',
  twoBuilds({ a: withAtk(10, () => 0) }, { a: withAtk(10, () => 0) }),
  [],
);
testFindings(
  test,
  'an attribute of few records may move to other records',
  twoBuilds(
    { a: manyRecords(20, (index) => (index < 6 ? { featured: 1 } : {})) },
    { a: manyRecords(20, (index) => (index > 13 ? { featured: 1 } : {})) },
  ),
  [],
);
testFindings(
  test,
  'one record alone is not a finding',
  twoBuilds({ a: withAtk(1, () => 9) }, { a: withAtk(1, () => 0) }),
  [],
);

test.run();
