import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../cases.ts';

const test = suite('check field-vanished');

const withRegion = (count: number, has: (index: number) => boolean) =>
  manyRecords(count, (index) => (has(index) ? { region: 'North' } : {}));

testFindings(
  test,
  'an attribute may go from records while others have it',
  twoBuilds(
    { characters: withRegion(20, () => true) },
    { characters: withRegion(20, (index) => index > 15) },
  ),
  [],
);
testFindings(
  test,
  'an attribute may not go from all',
  twoBuilds({ characters: withRegion(20, () => true) }, { characters: withRegion(20, () => false) }),
  ['field-vanished 1.1/characters.json:1'],
  /^no "region" in characters$/,
);
testFindings(
  test,
  'nor may one that some had',
  twoBuilds({ a: withRegion(20, (index) => index < 5) }, { a: withRegion(20, () => false) }),
  ['field-vanished 1.1/a.json:1'],
);
testFindings(
  test,
  'one that few had may',
  twoBuilds({ a: withRegion(20, (index) => index < 4) }, { a: withRegion(20, () => false) }),
  [],
);
testFindings(
  test,
  'and so may one of records that are gone',
  twoBuilds({ a: withRegion(20, (index) => index < 10) }, { a: withRegion(20, () => false).slice(10) }),
  [],
);
testFindings(
  test,
  'of an object that is gone what was in it is not told',
  twoBuilds({ a: manyRecords(2, () => ({ stats: { atk: 1, more: { def: 2 } } })) }, { a: manyRecords(2) }),
  ['field-vanished 1.1/a.json:1'],
  /^no "stats" in a$/,
);
testFindings(
  test,
  'records without ids are told apart by their positions',
  twoBuilds(
    {
      a: [
        { x: 1, y: 1 },
        { x: 2, y: 1 },
      ],
    },
    { a: [{ x: 1 }, { x: 2 }] },
  ),
  ['field-vanished 1.1/a.json:1'],
);
testFindings(
  test,
  'a dataset that is an object keeps its attributes; their values are its own affair',
  twoBuilds({ a: { pity: 90, rates: { ssr: 1 } } }, { a: { pity: 0, rates: { sr: 1 } } }),
  ['field-vanished 1.1/a.json:1'],
  /^no "rates\.ssr" in the dataset "a"$/,
);

test.run();
