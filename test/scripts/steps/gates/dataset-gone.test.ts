import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check dataset-gone');

const gone = { 'game.json': { title: 'Game', tables: { rows: 'raw/rows.json' }, datasets: { a: 'rows' } } };

testFindings(test, 'a dataset may be new', twoBuilds({}, { a: [{ x: 1 }] }), []);
testFindings(test, 'a dataset that is new may be empty', twoBuilds({}, { a: [] }), []);
testFindings(
  test,
  'a dataset that returns empty is a finding, also after a build without it',
  {
    ...twoBuilds({ a: [{ x: 1 }] }, {}),
    '1.1/build.json': {
      released_at: '2026-01-02',
      removed: ['a.json'],
      overrides: [{ check: 'dataset-gone', of: 'a', reason: 'The game has none for now.' }],
    },
    '1.2/build.json': { released_at: '2026-01-03' },
    '1.2/a.json': [],
  },
  ['dataset-gone 1.2/a.json:1'],
  /^nothing in the dataset "a", which had content in an earlier build$/,
);
testFindings(
  test,
  'a dataset whose file is removed is a finding at the build',
  {
    ...twoBuilds({ a: [{ x: 1 }] }, {}),
    '1.1/build.json': { released_at: '2026-01-02', removed: ['a.json'] },
  },
  ['dataset-gone 1.1/build.json:1'],
  /^no dataset "a" in build 1\.1$/,
);
testFindings(
  test,
  'an empty dataset may disappear',
  {
    ...twoBuilds({ a: [] }, {}),
    '1.1/build.json': { released_at: '2026-01-02', removed: ['a.json'] },
  },
  [],
);
for (const nothing of [[], {}]) {
  testFindings(
    test,
    `a dataset that becomes ${JSON.stringify(nothing)} is one finding`,
    twoBuilds({ a: Array.isArray(nothing) ? manyRecords(9) : { x: 1 } }, { a: nothing }),
    ['dataset-gone 1.1/a.json:1'],
  );
}
testFindings(
  test,
  'a mapped dataset that becomes empty is a finding at its mapping',
  { ...gone, ...twoBuilds({}, {}), '1.0/raw/rows.json': [{ x: 1 }], '1.1/raw/rows.json': [] },
  ['dataset-gone game.json:7 /datasets/a'],
);

test.run();
