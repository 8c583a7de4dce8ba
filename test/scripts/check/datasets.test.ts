import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFiles, gameFiles, placesOf } from '../../support/fixtures.ts';
import { mappedAsIs, testFindings } from './cases.ts';

const test = suite('checks dataset-keys and required-datasets');

function mapped(key: string) {
  return { 'game.json': `{"title": "Game", "datasets":\n{\n"${key}": "{ 'a': 1 }"}}` };
}

for (const key of ['a', 'banners', 'level_costs', 'a1_2', 'constructor', 'x'.repeat(64)]) {
  testFindings(test, `"${key}" is a valid key`, { [`1.0/${key}.json`]: [] }, []);
  testFindings(test, `"${key}" is a valid key of a mapped dataset`, mapped(key), []);
}

for (const key of ['compare', 'history', 'snapshot', 'diff', 'facets']) {
  testFindings(
    test,
    `"${key}" is reserved`,
    { [`1.0/${key}.json`]: [] },
    [`dataset-keys 1.0/${key}.json:1`],
    new RegExp(key),
  );
}
for (const key of [
  'characters',
  'facets',
  'Banners',
  'a-b',
  'a__b',
  '_a',
  'a_',
  '1a',
  '__proto__',
  '',
  'x'.repeat(65),
]) {
  testFindings(test, `"${key}" is not a valid key of a mapped dataset`, mapped(key), [
    `dataset-keys game.json:3 /datasets/${key}`,
  ]);
}

testFindings(
  test,
  'pull_planner may be CSV',
  { '1.0/pull_planner.json': undefined, '1.0/pull_planner.csv': 'a\n1\n' },
  [],
);
testFindings(
  test,
  'pull_planner is required',
  { '1.0/pull_planner.json': undefined },
  ['required-datasets 1.0/build.json:1'],
  /no dataset "pull_planner" in build 1\.0/,
);

testFindings(
  test,
  'a pull_planner that cannot be parsed is one finding, also if two builds share it',
  { '1.0/pull_planner.json': '{', '1.1/build.json': { released_at: '2026-01-02' } },
  ['json-syntax 1.0/pull_planner.json:1'],
);

for (const [content, isEmpty] of [
  ['{}', true],
  ['[]', true],
  ['[{}]', true],
  ['{"currency": "Gem"}', false],
] as const) {
  testFindings(
    test,
    `a pull_planner that is ${content} is ${isEmpty ? 'a finding' : 'accepted'}`,
    { '1.0/pull_planner.json': content },
    isEmpty ? ['required-datasets 1.0/pull_planner.json:1'] : [],
    isEmpty ? /^an empty dataset "pull_planner" in build 1\.0$/ : undefined,
  );
}

test('the finding about a file of characters beside a mapped roster says what to do with it', async () => {
  const { findings } = await compileFiles(
    gameFiles({ ...mappedAsIs('characters', '[{"id": "a", "name": "A"}]'), '1.0/characters.json': [] }),
  );
  assert.equal(placesOf(findings), ['dataset-keys 1.0/characters.json:1']);
  assert.match(findings[0]?.fix ?? '', 'the roster is mapped by "roster" in game.json');
});

test('pull_planner is required of every build, and the finding says which file to write', async () => {
  const { findings } = await compileFiles(
    gameFiles({
      '1.1/build.json': { released_at: '2026-01-02', removed: ['pull_planner.json'] },
      '1.2/build.json': { released_at: '2026-01-03' },
    }),
  );
  assert.equal(
    findings.map(({ place, fix }) => [place.file, /1\.[012]\/pull_planner\.json/.exec(fix ?? '')?.[0]]),
    [
      ['1.1/build.json', '1.1/pull_planner.json'],
      ['1.2/build.json', '1.2/pull_planner.json'],
    ],
  );
});

test.run();
