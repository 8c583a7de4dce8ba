import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../scripts/core/format/dist-format.ts';
import { type ParsedBuild, parsePlan } from '../support/fixtures.ts';
import { compileShipped } from './compile-shipped.ts';

const test = suite('facts of shipped games');

async function readNewest(slug: string): Promise<ParsedBuild> {
  const { value } = await compileShipped(slug);
  const newest = value && parsePlan(value).at(-1);
  assert.ok(newest, slug);
  return newest;
}

function find(list: unknown, id: string): JsonObject {
  const found = (list as JsonObject[]).find((record) => record.id === id);
  assert.ok(found, id);
  return found;
}

test('Zenless Zone Zero: W-Engines have the stats that the game shows at level 60', async () => {
  const { weapons } = (await readNewest('zenless-zone-zero')).datasets;
  // Steel Cushion, the example of upstream's documentation.
  const { stat, substat, base } = find(weapons, '14102');
  assert.equal([(stat as JsonObject).value, (substat as JsonObject).value], [684, 2400]);
  assert.equal(base, { stat: 46, substat: 960 });
});

test('Genshin Impact: constellations have names, and the talents that they raise; weapons have names in three languages', async () => {
  const { characters, datasets } = await readNewest('genshin-impact');
  const { constellations } = find(characters, '10000052');
  assert.equal((constellations as JsonObject[]).slice(1, 3), [
    { level: 2, name: 'Steelbreaker' },
    { level: 3, name: 'Shinkage Bygones', raises: 'elemental_burst', levels: 3 },
  ]);
  const { name, name_ja, name_ko } = find(datasets.weapons, '11515');
  assert.equal([name, name_ja, name_ko], ['Absolution', '赦罪', '사면']);
  const nameless = (datasets.materials as JsonObject[]).filter(
    (material) => !material.name_ja || !material.name_ko,
  );
  assert.equal(nameless, []);
});

test('Princess Connect: skills have actions with numbers by level, ranks have equipment, quests have rewards', async () => {
  const { characters, datasets } = await readNewest('princess-connect');
  const { actions } = find(datasets.skills, '1001001');
  assert.equal((actions as JsonObject[])[0], {
    ...{ kind: 'damage', attack: 'physical', base: 30, per_level: 30, coefficient: 2.4 },
    ...{ target: 'enemies', targets: 1 },
  });
  const counts = (datasets.skills as JsonObject[]).filter(
    (skill) => (skill.actions as JsonObject[]).length !== skill.effects,
  );
  assert.equal(counts, []);
  const { ranks } = find(characters, '100101');
  assert.is((ranks as JsonObject[]).length, 24);
  assert.equal((ranks as JsonObject[])[0], {
    rank: 1,
    equipment: ['101101', '101101', '101281', '101431', '101071', '101581'],
  });
  const { rewards, kind, chapter } = find(datasets.quests, '11001001');
  assert.equal(
    [kind, chapter, (rewards as JsonObject[]).map(({ id }) => id)],
    ['normal', 1, ['101011', '101281', '101581']],
  );
  const unnamed = (datasets.quests as JsonObject[])
    .flatMap((quest) => quest.rewards as JsonObject[])
    .filter((reward) => !reward.name);
  assert.equal(unnamed, []);
});

test.run();
