import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';
import { mappedAsIs, testFindings } from './cases.ts';

const test = suite('check roster-size');

testFindings(test, 'one character is enough', { '1.0/characters.json': [{ id: 'a', name: 'A' }] }, []);
testFindings(test, 'an empty roster is a finding in its file', { '1.0/characters.json': [] }, [
  'roster-size 1.0/characters.json:1',
]);
testFindings(test, 'no roster at all is a finding at the build', { '1.0/characters.json': undefined }, [
  'roster-size 1.0/build.json:1',
]);
testFindings(
  test,
  'a mapping that keeps no row is a finding at the mapping',
  mappedAsIs('characters', '[]'),
  ['roster-size game.json:1 /roster'],
);

const DATASETS_ONLY = { '1.0/characters.json': undefined, '1.0/items.json': '[' };
testFindings(test, 'no roster is a finding beside an error in another file', DATASETS_ONLY, [
  'roster-size 1.0/build.json:1',
  'json-syntax 1.0/items.json:1',
]);

const unreadable: [why: string, files: Files, finding: string][] = [
  ['cannot be parsed', { '1.0/characters.json': '[' }, 'json-syntax 1.0/characters.json:1'],
  [
    'is a CSV file that cannot be parsed',
    { '1.0/characters.json': undefined, '1.0/characters.csv': 'id,name\na,"A' },
    'csv-syntax 1.0/characters.csv:2',
  ],
  ['is a raw table that cannot be parsed', mappedAsIs('characters', '['), 'json-syntax 1.0/raw/rows.json:1'],
  [
    'is a raw table without a file',
    { ...mappedAsIs('characters', ''), '1.0/raw/rows.json': undefined },
    'table-files game.json:1 /tables/rows',
  ],
];
for (const [why, files, finding] of unreadable) {
  testFindings(test, `a roster whose source ${why} has no second finding`, files, [finding]);
}

testFindings(
  test,
  'an unreadable roster that a later build inherits has no second finding',
  { '1.0/characters.json': '[', '1.1/build.json': { released_at: '2026-01-02' } },
  ['json-syntax 1.0/characters.json:1'],
);

test('a roster that is empty because its optional table has no file is a finding', async () => {
  const { findings } = await compileFiles(
    gameFiles({
      'game.json': {
        title: 'Game',
        tables: { rows: { files: 'raw/rows.json', optional: true } },
        roster: { from: 'rows', entry: '$' },
      },
      '1.0/characters.json': undefined,
    }),
  );
  assert.equal(
    findings.map(({ check, place }) => `${check} ${place.file} ${place.pointer}`),
    ['roster-size game.json /roster'],
  );
});

test('the finding says which file to add only if the build has no roster', async () => {
  const fixOf = async (files: Files) => (await compileFiles(gameFiles(files))).findings[0]?.fix;
  assert.match((await fixOf({ '1.0/characters.json': undefined })) ?? '', 'beside build.json');
  assert.is(await fixOf({ '1.0/characters.json': [] }), undefined);
  assert.is(await fixOf(mappedAsIs('characters', '[]')), undefined);
});

test.run();
