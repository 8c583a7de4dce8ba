import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';
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

const ALL = [AT_ROSTER, AT_ROSTER];
const broken = { '1.1/characters.json': '[' };
const CASES: [
  what: string,
  overrides: JsonObject[],
  findings: string[],
  found?: RegExp | undefined,
  more?: Files,
][] = [
  ['none: everything is found', [], ALL],
  ['without "of": all findings of a gate', [emptied()], []],
  ['of a list: all its attributes', [emptied('characters')], []],
  ['of an object: all its attributes', [emptied('characters.stats')], []],
  ['of one attribute: no other', [emptied('characters.stats.atk')], [AT_ROSTER], /stats\.def/],
  ['of the beginning of a name: nothing', [emptied('characters.stats.de'), emptied()], [at('/0', 4)]],
  [
    'of another gate: nothing, and it is not needed',
    [{ check: 'records-lost', reason: 'A crossover ended.' }],
    [at('/0', 4), ...ALL],
    /^an override of records-lost that build 1\.1 does not need$/,
  ],
  ['a second time: not needed', [emptied(), emptied()], [at('/1', 8)]],
  [
    'of an unknown gate: a finding beside the others',
    [{ ...emptied(), check: 'values-lsot' }],
    [at('/0/check', 5), ...ALL],
    /^an override of "values-lsot", which cannot be overridden$/,
  ],
  [
    'of a check of one build: impossible',
    [emptied(), { check: 'character-schema', reason: 'No.' }],
    [at('/1/check', 9)],
  ],
  [
    'of a build that was read in part: not judged',
    [emptied()],
    ['file-syntax 1.1/characters.json:1'],
    undefined,
    broken,
  ],
  [
    'of a build before one that is compared with the overridden one',
    [emptied()],
    ['values-lost 1.2/characters.json:1'],
    /stats\.hp/,
    {
      '1.2/build.json': { released_at: '2026-01-03' },
      '1.2/characters.json': withStats({ atk: 1, def: 0, hp: 0 }),
    },
  ],
  [
    'beside a neighbour with an invalid definition: not compared',
    [],
    ['definition 1.0.1/build.json:3 /unknown'],
    undefined,
    { '1.0.1/build.json': { released_at: '2026-01-01T12:00:00Z', unknown: true } },
  ],
];
for (const [what, overrides, findings, found, more] of CASES)
  testFindings(test, `an override ${what}`, { ...twoStatsLost(...overrides), ...more }, findings, found);

for (const [override, place] of [
  [emptied(), 'overrides 1.0/build.json:4 /overrides/0'],
  [{ check: 'records-lost' }, 'definition 1.0/build.json:4 /overrides/0'],
  [{ check: 'records-lost', reason: ' ' }, 'definition 1.0/build.json:6 /overrides/0/reason'],
] as const)
  testFindings(
    test,
    `in the first build, ${JSON.stringify(override)} is a finding`,
    { '1.0/build.json': { released_at: '2026-01-01', overrides: [override] } },
    [place],
  );

test('a finding shows the override for an intended change, which removes the finding', async () => {
  const before = await compileFiles(gameFiles(twoStatsLost()));
  const overrides = before.findings.map(({ fix }) => JSON.parse(/\{.*\}/.exec(fix ?? '')?.[0] ?? '{}'));
  assert.equal(
    overrides.map(({ of }) => of),
    ['characters.stats.atk', 'characters.stats.def'],
  );
  assert.equal((await compileFiles(gameFiles(twoStatsLost(...overrides)))).findings, []);
});

test.run();
