import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../cases.ts';

const test = suite('check dataset-loss');

testFindings(
  test,
  'half of the records may go',
  twoBuilds({ a: manyRecords(10) }, { a: manyRecords(5) }),
  [],
);
testFindings(
  test,
  'more than half may not',
  twoBuilds({ a: manyRecords(10) }, { a: manyRecords(4) }),
  ['dataset-loss 1.1/a.json:1'],
  /^4 records in the dataset "a", 6 fewer than in build 1\.0$/,
);
testFindings(
  test,
  'of a small dataset they may',
  twoBuilds({ a: manyRecords(5) }, { a: manyRecords(1) }),
  [],
);
testFindings(
  test,
  'all may be replaced by others',
  twoBuilds(
    { a: manyRecords(10) },
    { a: manyRecords(10, (index) => ({ id: `next-${index}`, name: `Next ${index}` })) },
  ),
  [],
);

test.run();
