import { suite } from 'uvu';
import { testFindings } from '../../check/cases.ts';

const test = suite('check dataset-kinds');

const next = { '1.1/build.json': { released_at: '2026-01-02' } };

testFindings(
  test,
  'a dataset may keep its form',
  { ...next, '1.0/a.json': [], '1.1/a.json': [{ b: 1 }] },
  [],
);
testFindings(test, 'a dataset may be new in a build', { ...next, '1.1/a.json': { b: 1 } }, []);
testFindings(
  test,
  'a list may not become an object',
  { ...next, '1.0/a.json': [], '1.1/a.json': { b: 1 } },
  ['dataset-kinds 1.1/a.json:1'],
  /"a" as one object in build 1\.1/,
);
testFindings(
  test,
  'an object may not become a list',
  { ...next, '1.0/a.json': {}, '1.1/a.json': [] },
  ['dataset-kinds 1.1/a.json:1'],
  /"a" as a list of records in build 1\.1/,
);

test.run();
