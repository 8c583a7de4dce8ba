import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check field-vanished');

const withRegion = (count: number, has: (index: number) => boolean) =>
  manyRecords(count, (index) => (has(index) ? { region: 'North' } : {}));

testFindings(
  test,
  'an attribute may disappear from records while others have it',
  twoBuilds(
    { characters: withRegion(20, () => true) },
    { characters: withRegion(20, (index) => index > 15) },
  ),
  ['values-lost 1.1/characters.json:1'],
);
testFindings(
  test,
  'an attribute may not disappear from all records',
  twoBuilds({ characters: withRegion(20, () => true) }, { characters: withRegion(20, () => false) }),
  ['field-vanished 1.1/characters.json:1'],
  /^no "region" in characters$/,
);
testFindings(
  test,
  'an attribute that five records had may not disappear',
  twoBuilds({ a: withRegion(20, (index) => index < 5) }, { a: withRegion(20, () => false) }),
  ['field-vanished 1.1/a.json:1'],
);
testFindings(
  test,
  'an attribute that fewer than five records had may disappear',
  twoBuilds({ a: withRegion(20, (index) => index < 4) }, { a: withRegion(20, () => false) }),
  [],
);
testFindings(
  test,
  'an attribute may disappear together with its records',
  twoBuilds({ a: withRegion(20, (index) => index < 10) }, { a: withRegion(20, () => false).slice(10) }),
  ['records-lost 1.1/a.json:1'],
);
testFindings(
  test,
  'if an object disappears, its attributes are not reported',
  twoBuilds({ a: manyRecords(2, () => ({ stats: { atk: 1, more: { def: 2 } } })) }, { a: manyRecords(2) }),
  ['field-vanished 1.1/a.json:1'],
  /^no "stats" in a$/,
);
testFindings(
  test,
  'records without ids are matched by position',
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
  'a dataset that is an object keeps its attributes, but their values may become zero',
  twoBuilds({ a: { pity: 90, rates: { ssr: 1 } } }, { a: { pity: 0, rates: { sr: 1 } } }),
  ['field-vanished 1.1/a.json:1'],
  /^no "rates\.ssr" in the dataset "a"$/,
);

test.run();
