import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHANGE_CHECKS } from '../../../scripts/changes/checks.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, gameFiles } from '../../support/fixtures.ts';
import { manyRecords, testFindings, twoBuilds } from '../check/cases.ts';

const test = suite('overrides');

const withStats = (stats: JsonObject) => manyRecords(10, () => ({ stats }));
/** The roster loses all values of two stats. */
const twoStatsLost = (...overrides: JsonObject[]) =>
  twoBuilds(
    { characters: withStats({ atk: 1, def: 2, hp: 3 }) },
    { characters: manyRecords(10, (index) => ({ stats: { atk: 0, def: index === 0 ? 2 : 0, hp: 3 } })) },
    overrides,
  );
const emptied = (of?: string): JsonObject => ({
  check: 'values-lost',
  ...(of !== undefined && { of }),
  reason: 'Stats move to another table.',
});
const AT_ROSTER = 'values-lost 1.1/characters.json:1';
const at = (pointer: string, line: number) => `overrides 1.1/build.json:${line} /overrides${pointer}`;

testFindings(test, 'without an override, everything is found', twoStatsLost(), [AT_ROSTER, AT_ROSTER]);
testFindings(test, 'an override without "of" applies to all findings of a gate', twoStatsLost(emptied()), []);
testFindings(
  test,
  'an override of a list applies to all its attributes',
  twoStatsLost(emptied('characters')),
  [],
);
testFindings(
  test,
  'an override of an object applies to all its attributes',
  twoStatsLost(emptied('characters.stats')),
  [],
);
testFindings(
  test,
  'an override of one attribute applies to no other',
  twoStatsLost(emptied('characters.stats.atk')),
  [AT_ROSTER],
  /stats\.def/,
);
testFindings(
  test,
  'an override does not match by the beginning of a name',
  twoStatsLost(emptied('characters.stats.de'), emptied()),
  [at('/0', 4)],
);
testFindings(
  test,
  'an override of another gate removes no finding and is not needed',
  twoStatsLost({ check: 'records-lost', reason: 'A crossover ended.' }),
  [at('/0', 4), AT_ROSTER, AT_ROSTER],
  /^an override of records-lost that build 1\.1 does not need$/,
);
testFindings(
  test,
  'a second override of the same findings is not needed',
  twoStatsLost(emptied(), emptied()),
  [at('/1', 8)],
);
testFindings(
  test,
  'the first build needs no override',
  { '1.0/build.json': { released_at: '2026-01-01', overrides: [emptied()] } },
  ['overrides 1.0/build.json:4 /overrides/0'],
);
testFindings(
  test,
  'an override of an unknown gate is a finding, in addition to those of the gates',
  twoStatsLost({ ...emptied(), check: 'values-lsot' }),
  [at('/0/check', 5), AT_ROSTER, AT_ROSTER],
  /^an override of "values-lsot", which cannot be overridden$/,
);
testFindings(
  test,
  'checks of one build cannot be overridden',
  twoStatsLost(emptied(), { check: 'character-schema', reason: 'No.' }),
  [at('/1/check', 9)],
);
for (const [reason, place] of [
  [undefined, ':4 /overrides/0'],
  ['', ':6 /overrides/0/reason'],
  [' ', ':6 /overrides/0/reason'],
]) {
  const override = { check: 'records-lost', ...(reason !== undefined && { reason }) };
  testFindings(
    test,
    `an override needs a reason, not ${JSON.stringify(reason)}`,
    { '1.0/build.json': { released_at: '2026-01-01', overrides: [override] } },
    [`definition 1.0/build.json${place}`],
  );
}

test('a finding shows the override for an intended change, which removes the finding', async () => {
  const before = await compileFiles(gameFiles(twoStatsLost()));
  const overrides = before.findings.map(({ fix }) => JSON.parse(/\{.*\}/.exec(fix ?? '')?.[0] ?? '{}'));
  assert.equal(
    overrides.map(({ of }) => of),
    ['characters.stats.atk', 'characters.stats.def'],
  );
  assert.equal((await compileFiles(gameFiles(twoStatsLost(...overrides)))).findings, []);
});

test('the finding about an unknown gate names the nearest one', async () => {
  const { findings } = await compileFiles(gameFiles(twoStatsLost({ ...emptied(), check: 'values-lsot' })));
  assert.is(findings[0]?.fix, 'did you mean "values-lost"?');
});

testFindings(
  test,
  'a build that was read in part is not compared, and its overrides are not judged',
  { ...twoStatsLost(emptied(), { check: 'records-lost', reason: 'R' }), '1.1/characters.json': '[' },
  ['json-syntax 1.1/characters.json:1'],
);
testFindings(
  test,
  'a build whose neighbour has an invalid definition is not compared',
  {
    ...twoStatsLost(),
    '1.0.1/build.json': { released_at: '2026-01-01T12:00:00Z', unknown: true },
  },
  ['definition 1.0.1/build.json:3 /unknown'],
);

testFindings(
  test,
  'the build after an overridden step is compared with the overridden one',
  {
    ...twoStatsLost(emptied()),
    '1.2/build.json': { released_at: '2026-01-03' },
    '1.2/characters.json': withStats({ atk: 1, def: 0, hp: 0 }),
  },
  ['values-lost 1.2/characters.json:1'],
  /stats\.hp/,
);

test('every gate has its own name, and a sentence as its description', () => {
  assert.is(new Set(CHANGE_CHECKS.map(({ name }) => name)).size, CHANGE_CHECKS.length);
  for (const { description } of CHANGE_CHECKS) assert.match(description, /^[A-Z].*\.$/);
});

test.run();
