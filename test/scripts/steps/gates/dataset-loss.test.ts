import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check dataset-loss');

testFindings(
  test,
  'a dataset may lose half of its records',
  twoBuilds({ a: manyRecords(10) }, { a: manyRecords(5) }),
  ['records-lost 1.1/a.json:1'],
);
testFindings(
  test,
  'a dataset may not lose more than half of its records',
  twoBuilds({ a: manyRecords(10) }, { a: manyRecords(4) }),
  ['dataset-loss 1.1/a.json:1'],
  /^4 records in the dataset "a", 6 fewer than in build 1\.0$/,
);
testFindings(
  test,
  'that a small dataset loses more than half of its records is a warning',
  twoBuilds({ a: manyRecords(5) }, { a: manyRecords(1) }),
  ['records-lost 1.1/a.json:1'],
);
testFindings(
  test,
  'records that are lost are reported, although new ones make up for some of them',
  twoBuilds({ a: manyRecords(10) }, { a: manyRecords(12).slice(6) }),
  ['records-lost 1.1/a.json:1'],
);
testFindings(
  test,
  'all records may be replaced by others',
  twoBuilds(
    { a: manyRecords(10) },
    { a: manyRecords(10, (index) => ({ id: `next-${index}`, name: `Next ${index}` })) },
  ),
  [],
);

test.run();
