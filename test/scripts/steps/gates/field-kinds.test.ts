import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check field-kinds');

testFindings(
  test,
  'null and an empty list match every kind',
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
  'the finding is at the first record of the new kind, without findings about attributes inside it',
  twoBuilds(
    { a: manyRecords(2, () => ({ stats: { atk: [1] } })) },
    { a: manyRecords(2, (index) => ({ stats: index ? [1] : null })) },
  ),
  ['field-kinds 1.1/a.json:10 /1/stats'],
  /^a list of numbers$/,
);
testFindings(
  test,
  'the attributes of a dataset that is one object keep their kinds too',
  twoBuilds({ a: { currency: { name: 'Gem' } } }, { a: { currency: 'Gem' } }),
  ['field-kinds 1.1/a.json:1'],
  /^a text at "currency" of the dataset "a"$/,
);

testFindings(
  test,
  'if one cell turns a column of numbers into texts, the finding names the cell',
  {
    ...twoBuilds({}, {}),
    '1.0/a.csv': 'id,x\na,1\nb,2\nc,3\n',
    '1.1/a.csv': 'id,x\na,1\nb,n/a\nc,3\n',
  },
  ['field-kinds 1.1/a.csv:3 /1/x'],
  /^the text "n\/a", which may be why all values were read as texts$/,
);

test.run();
