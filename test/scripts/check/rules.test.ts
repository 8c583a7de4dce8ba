import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHECK_NAMES } from '../../../scripts/findings.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';
import { RULES } from './all-rules.ts';
import { type Example, table, testRows } from './cases.ts';
import { MACHINE_RULES } from './reported/limit-rules.ts';

const test = suite('all checks');

/** The files of an example, complete: each folder is a build, released one day after the one before. */
function completeExample(example: Example): Files {
  const folders = Object.keys(example).filter((file) => file.includes('/'));
  const builds = [...new Set(folders.map((file) => file.split('/')[0]))].filter(
    (build) => build && /^\d/.test(build),
  );
  const definitions = builds
    .sort()
    .map((build, day) => [`${build}/build.json`, { released_at: `2026-01-0${day + 1}` }]);
  return gameFiles({ ...Object.fromEntries(definitions), ...example });
}

for (const { name, severity, fails, slug } of RULES)
  test(`${name} finds one thing in its example, and nothing else is found`, async () => {
    const { findings } = await compileFiles(completeExample(fails), slug);
    assert.equal(
      findings.map((finding) => [finding.check, finding.severity, finding.more]),
      [[name, severity, undefined]],
      placesOf(findings).join('\n'),
    );
  });

test('every name of a check is that of one object', () => {
  const names = [...RULES, ...MACHINE_RULES].map(({ name }) => name);
  assert.equal(names.sort(), [...CHECK_NAMES].sort());
});

testRows(
  test,
  table`
    {"records-lost": {"max_lost_characters": 0.9}}    |
    {"records-los": {"max_lost_share": 0.9}}          | definition game.json:3 /checks/records-los                       | did you mean "records-lost"
    {"ids": {"max": 1}}                               | definition game.json:3 /checks/ids
    {"records-lost":¶{"max_lost": 1}}                 | definition game.json:4 /checks/records-lost/max_lost
    {"records-lost":¶{"max_lost_share": 30}}          | definition game.json:4 /checks/records-lost/max_lost_share       | the number 30
    {"records-lost":¶{"max_lost_share": "30 %"}}      | definition game.json:4 /checks/records-lost/max_lost_share
  `,
  (checks) => ({
    'game.json': `{"title": "Game",\n"checks":\n${checks}}`,
    '1.0/characters.json': [1, 2, 3, 4].map((id) => ({ id: String(id), name: `N${id}` })),
    '1.1/build.json': { released_at: '2026-01-02' },
    ...(checks.includes('0.9') && { '1.1/characters.json': [{ id: '1', name: 'N1' }] }),
  }),
);

test.run();
