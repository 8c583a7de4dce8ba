import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../../scripts/findings.ts';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';

const test = suite('lasting corrections');

const TAGS = ['x'];

/** A game whose builds differ in the attack of Ann upstream. */
function game(attacks: readonly (number | undefined)[], corrections: Json): Files {
  const builds = attacks.map((atk, index): Files => {
    const rows = [
      { id: 'ann', name: 'Ann', stats: { hp: 7, ...(atk !== undefined && { atk }) }, tags: TAGS },
      { id: 'bob', name: 'Bob', stats: { hp: 5, atk: 5 }, tags: TAGS },
    ];
    return {
      [`1.${index}/build.json`]: { released_at: `2026-01-0${index + 1}` },
      [`1.${index}/characters.json`]: rows,
    };
  });
  return gameFiles({
    ...Object.assign({}, ...builds),
    '1.0/items.json': [{ id: 'gem', cost: 1 }],
    'corrections.json': { corrections },
  });
}

const ATTACK = { id: 'ann', attribute: 'stats.atk', value: 130, reason: 'a typo', since: '1.1' };

interface Character {
  stats?: { atk?: number };
}

async function attacksOf(files: Files) {
  const { builds, findings } = await compileFiles(files);
  const attacks = builds.map(({ characters: [first] }) => (first as Character).stats?.atk);
  return { attacks, findings, builds };
}

test('apply from a build on, to the full record and the roster', async () => {
  const { attacks, findings, builds } = await attacksOf(game([100, 1300, 1300], [ATTACK]));
  assert.equal(findings, []);
  assert.equal(attacks, [100, 130, 130]);
  const entry = builds[2]?.roster[0] as Character | undefined;
  assert.is(entry?.stats?.atk, 130);
  assert.equal(builds[2]?.characters[1], { id: 'bob', name: 'Bob', stats: { atk: 5, hp: 5 }, tags: TAGS });
});

test('add what upstream lacks, and correct datasets by id or as one object', async () => {
  const corrections = [
    { ...ATTACK, since: '1.0' },
    { ...ATTACK, collection: 'items', id: 'gem', attribute: 'cost', value: [2], since: '1.0' },
    { collection: 'pull_planner', attribute: 'currency.per_pull', value: 150, reason: 'r', since: '1.0' },
  ];
  const { attacks, findings, builds } = await attacksOf(game([undefined], corrections));
  assert.equal(findings, []);
  assert.equal(attacks, [130]);
  assert.equal(builds[0]?.datasets.items, [{ id: 'gem', cost: [2] }]);
  assert.equal(builds[0]?.datasets.pull_planner, { currency: { name: 'Gem', per_pull: 150 } });
});

test('end where they say so, and are replaced by a later one of the same attribute', async () => {
  const ended = await attacksOf(game([100, 1300, 1500], [{ ...ATTACK, until: '1.2' }]));
  assert.equal([ended.attacks, ended.findings], [[100, 130, 1500], []]);
  const replaced = await attacksOf(
    game([100, 1300, 1500], [{ ...ATTACK, since: '1.2', value: 150 }, ATTACK]),
  );
  assert.equal([replaced.attacks, replaced.findings], [[100, 130, 150], []]);
});

test('are reported once when upstream agrees', async () => {
  const { attacks, findings } = await attacksOf(game([100, 1300, 130, 130], [ATTACK]));
  assert.equal(attacks, [100, 130, 130, 130]);
  assert.is(findings.length, 1);
  const { check, severity, place, found, fix } = findings[0] as Finding;
  assert.equal([check, severity, place.file, place.line], ['corrections', 'warning', 'corrections.json', 3]);
  assert.is(found, 'a correction of stats.atk of "ann" in characters, with which upstream agrees since 1.2');
  assert.match(fix ?? '', /add "until": "1.2" to it/);
});

test('are errors when upstream has a third value', async () => {
  const { attacks, findings } = await attacksOf(game([100, 1300, 150], [ATTACK]));
  assert.equal(attacks, []);
  assert.is(findings.length, 1);
  const { check, severity, found, expected, fix } = findings[0] as Finding;
  assert.equal([check, severity], ['corrections', 'error']);
  assert.is(found, 'upstream changed stats.atk of "ann" in characters to the number 150 in build 1.2');
  assert.is(expected, 'the number 1300, as when it was corrected, or the number 130, the right value');
  assert.match(fix ?? '', /add "until": "1.2"[\s\S]*"value":130,"reason":"…","since":"1.2"/);
  const agreed = await attacksOf(game([100, 1300, 130, 150], [ATTACK]));
  assert.equal(
    agreed.findings.map(({ severity }) => severity),
    ['warning', 'error'],
  );
});

test('of a record that later builds do not have need nothing', async () => {
  const files = game([100, 1300, 1300], [ATTACK]);
  files['1.2/characters.json'] = Array.from({ length: 20 }, (_, at) => ({ id: `x${at}`, name: `X ${at}` }));
  files['1.2/build.json'] = {
    released_at: '2026-01-03',
    overrides: ['records-lost', 'values-lost'].map((check) => ({ check, reason: 'a new cast' })),
  };
  const { findings } = await attacksOf(files);
  assert.equal(
    findings.filter(({ check }) => check === 'corrections'),
    [],
  );
});

const MISTAKES: [name: string, correction: Json, pointer: string, found: RegExp][] = [
  ['an unknown build', { ...ATTACK, since: '1.7' }, '/corrections/0/since', /no build "1.7"/],
  ['an unknown end', { ...ATTACK, until: 'never' }, '/corrections/0/until', /no build "never"/],
  ['an end before it begins', { ...ATTACK, until: ATTACK.since }, '/corrections/0/until', /not after/],
  ['an unknown id', { ...ATTACK, id: 'anne' }, '/corrections/0/id', /no record "anne" in characters/],
  ['no id', { ...ATTACK, id: undefined } as never, '/corrections/0', /no "id"/],
  ['an id of an object', { ...ATTACK, collection: 'pull_planner' }, '/corrections/0/id', /no record "ann"/],
  [
    'an unknown attribute',
    { ...ATTACK, attribute: 'stats.atq' },
    '/corrections/0/attribute',
    /stats\.atq, which nothing in characters has/,
  ],
  ['an unknown dataset', { ...ATTACK, collection: 'itms' }, '/corrections/0/collection', /no dataset "itms"/],
  ['a part of a list', { ...ATTACK, attribute: 'tags.0' }, '/corrections/0/attribute', /cannot be corrected/],
  ['the id', { ...ATTACK, attribute: 'id' }, '/corrections/0/attribute', /cannot be corrected/],
  ['a misspelt member', { ...ATTACK, vlaue: 1 }, '/corrections/0/vlaue', /vlaue/],
];
for (const [name, correction, pointer, found] of MISTAKES) {
  test(`with ${name} are errors at their place`, async () => {
    const { findings } = await attacksOf(game([100, 1300], [correction]));
    assert.is(findings.length, 1, JSON.stringify(findings));
    const finding = findings[0] as Finding;
    assert.equal([finding.check, finding.severity], ['corrections', 'error']);
    assert.equal([finding.place.file, finding.place.pointer], ['corrections.json', pointer]);
    assert.match(finding.found, found);
    if (pointer.endsWith('/attribute') && /atq/.test(finding.found))
      assert.is(finding.fix, 'did you mean "stats.atk"?');
  });
}

test.run();
