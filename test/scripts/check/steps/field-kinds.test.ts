import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../cases.ts';

const test = suite('check field-kinds');

testFindings(
  test,
  'nothing and an empty list are of every kind',
  twoBuilds(
    { a: manyRecords(2, () => ({ x: 1, tags: ['a'] })) },
    { a: manyRecords(2, (index) => ({ x: index ? 2 : null, tags: [] })) },
  ),
  ['field-emptied 1.1/a.json:1'],
);
testFindings(
  test,
  'a number may not become a text',
  twoBuilds({ a: manyRecords(2, () => ({ x: 1 })) }, { a: manyRecords(2, () => ({ x: '1' })) }),
  ['field-kinds 1.1/a.json:5 /0/x'],
  /^a text$/,
);
testFindings(
  test,
  'it is told at the first record of the new kind, and nothing of what was in it',
  twoBuilds(
    { a: manyRecords(2, () => ({ stats: { atk: [1] } })) },
    { a: manyRecords(2, (index) => ({ stats: index ? [1] : null })) },
  ),
  ['field-kinds 1.1/a.json:10 /1/stats'],
  /^a list of numbers$/,
);
testFindings(
  test,
  'an object of its own is held to its kinds too',
  twoBuilds({ a: { currency: { name: 'Gem' } } }, { a: { currency: 'Gem' } }),
  ['field-kinds 1.1/a.json:1'],
  /^a text at "currency" of the dataset "a"$/,
);

testFindings(
  test,
  'where one cell makes a column of numbers text, the cell is told',
  {
    ...twoBuilds({}, {}),
    '1.0/a.csv': 'id,x\na,1\nb,2\nc,3\n',
    '1.1/a.csv': 'id,x\na,1\nb,n/a\nc,3\n',
  },
  ['field-kinds 1.1/a.csv:3 /1/x'],
  /^the text "n\/a", for which all may have been read as texts$/,
);

test.run();
