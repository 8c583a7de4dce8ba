import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';

const material = (id: string, count: number) => ({ id, name: `Stone ${id}`, name_ja: `石${id}`, count });
const step = (level: number, id: string) => ({ level, materials: [material(id, 1)] });
const said = { description: 'An attribute' };
const attributes = { '*': said, '*.*': said, '*.*.*': said, '*.*.*.*': said };
const talents = { ...said, skills: ['Attack', 'Skill', 'Burst'] };
const characters = { talent_levels: talents, ascension: { ...said, uncounted: ['EXP of levels'] } };
const FILES = {
  'saga/game.json': { title: 'Saga', attributes: { '*': attributes, characters } },
  'saga/1/build.json': { released_at: '2026-01-01' },
  'saga/1/pull_planner.json': { price: 1 },
  'saga/1/characters.json': [
    {
      id: 'ada',
      name: 'Ada',
      name_ja: 'エイダ',
      ascension: [
        { level: 1, materials: [], mora: 0 },
        { level: 20, materials: [material('1', 3)], mora: 100 },
        { level: 40, materials: [material('1', 5), material('2', 1)], mora: 200 },
      ],
      skill_levels: [
        { level: 2, materials: [material('3', 1)] },
        { level: 3, materials: [material('3', 4), material('1', 1)] },
      ],
      skills: [{ id: 's1', name: 'Slash', masteries: [{ mastery: 1, materials: [material('4', 2)] }] }],
      passives: [{ id: 'p1', name: 'Calm', needs: [{ affinity: 'Gloom', count: 4 }] }],
    },
    { id: 'bea', name: 'Bea' },
    {
      id: 'dan',
      name: 'Dan',
      core_enhancement: [{ level: 1, materials: [material('7', 1)] }],
      skills: [4, 5].map((own) => ({ id: `d${own}`, levels: [2, 3].map((level) => step(level, `${own}`)) })),
    },
    { id: 'eve', name: 'Eve', talent_levels: [2, 3].map((level) => ({ ...step(level, '8'), mora: 2000 })) },
    { id: 'cyd', name: 'Cyd', rarity: 2, growth: [2, 3].map((rarity) => ({ rarity, shards: 5 * rarity })) },
    {
      id: 'fay',
      name: 'Fay',
      growth: [{ materials: [material('6', 9), { id: 'm', name: 'MORA', count: 5 }] }, { shards: 0 }],
    },
  ],
};

const test = suite<{ gateway: TestGateway }>('costs');
test.before(async (context) => {
  context.gateway = await startGateway(FILES);
});

/** The counts of the materials by id, or by name where they have none. */
const TOTALS: Record<string, Record<string, number>> = {
  'ada/costs': { '1': 9, Mora: 300, '2': 1, '3': 5, '4': 2 },
  'ada/costs?from=20&to=40': { '1': 4, Mora: 100, '3': 5, '4': 2 },
  'ada/costs?talents=2': { '1': 8, Mora: 300, '2': 1, '3': 1 },
  'ada/costs?talents=3': { '1': 9, Mora: 300, '2': 1, '3': 5 },
  'ada/costs?talents=4': { '1': 9, Mora: 300, '2': 1, '3': 5, '4': 2 },
  'ada/costs?to=1&talents=1': {},
  'cyd/costs': { Shards: 15 },
  'fay/costs': { m: 5, '6': 9 },
  'dan/costs?talents=1,2': { '5': 1 },
  'eve/costs?talents=3,2': { Mora: 6000, '8': 3 },
  'dan/costs?talents=3': { '7': 1, '4': 2, '5': 2 },
};

for (const [path, expected] of Object.entries(TOTALS))
  test(`${path} has the sum of the chosen steps`, async ({ gateway }) => {
    const { total } = (await gateway.ask(`/api/saga/characters/${path}`)).json<{
      total: { id?: string; name: string; count: number }[];
    }>();
    assert.equal(Object.fromEntries(total.map(({ id, name, count }) => [id ?? name, count])), expected);
    const monies = total.map(({ name }) => /mora|shards/i.test(name));
    assert.equal(monies, monies.toSorted().reverse(), 'money is first');
  });

test('parts say which list and which skill they are of, in the language that is asked for', async ({
  gateway,
}) => {
  const response = await gateway.ask('/api/saga/characters/ada/costs?lang=ja&to=20&talents=3');
  const { parts, uncounted, missing } = response.json<Record<string, object[]>>();
  assert.match(`${uncounted} ${missing}`, /^EXP of levels core_enhan.*,growth,skills.levels,talent_levels$/);
  assert.equal(parts, [
    { key: 'ascension', steps: 0, materials: [] },
    {
      key: 'skill_levels',
      levels: [3],
      steps: 2,
      materials: [
        { id: '3', name: '石3', count: 5 },
        { id: '1', name: '石1', count: 1 },
      ],
    },
    { key: 'skills.masteries', of: 's1', levels: [0], steps: 0, materials: [] },
  ]);
});

const REFUSED: Record<string, [number, RegExp]> = {
  'ada/costs?from=30&to=20': [400, /^from must be at most to$/],
  'ada/costs?to=42': [400, /to is "42", expected a whole number from 1 to 41/],
  'eve/costs?from=91': [400, /from has no use, because no step has a level/],
  'ada/costs?talents=10,x': [400, /talents is "x", expected a whole number/],
  'eve/costs?talents=3,3,3,3': [400, /talents is 3,3,3,3, expected at most one for each skill, so 3/],
  'eve/costs?talents=2,4': [400, /talents is 2,4, expected at most 3 for talent_levels/],
  'dan/costs?talents=3,4': [400, /talents is 3,4, expected at most 3 for skills.levels of d5/],
  'bea/costs': [404, /the data of saga has no costs of "bea"/],
  'adda/costs': [404, /no character with the id "adda"/],
};

for (const [path, [status, fault]] of Object.entries(REFUSED))
  test(`${path} is refused, with what was expected`, async ({ gateway }) => {
    const response = await gateway.ask(`/api/saga/characters/${path}`);
    assert.is(response.status, status);
    assert.match(response.json<{ detail: string }>().detail, fault);
  });

test.run();
