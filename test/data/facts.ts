import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findCosts, sumCosts } from '../../gateway/api/costs.ts';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
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

/** What all steps of a character cost, of some materials by name. */
const COSTS: readonly (readonly [game: string, id: string, costs: Record<string, number>])[] = [
  // Hu Tao to level 90, and one talent to level 10.
  ['genshin-impact', '10000046', { 'Juvenile Jade': 46, 'Crown of Insight': 1, Mora: 420_000 + 1_652_500 }],
  // Acheron to level 80, and all skills and traces as far as they go.
  [
    'honkai-star-rail',
    '1308',
    { "Shape Shifter's Lightning Staff": 65, 'Tracks of Destiny': 8, Credits: 308_000 + 3_000_000 },
  ],
  // Ellen to level 60, five skills to level 12, and all core enhancements.
  [
    'zenless-zone-zero',
    '1191',
    {
      'Specialized Freeze Chip': 250,
      "Pioneer's Certification Seal": 30,
      'Ferocious Grip': 9,
      'Higher Dimensional Data: Murderous Obituary': 60,
      'Hamster Cage Pass': 5,
      Dennies: 800_000 + 5 * 500_000 + 405_000,
    },
  ],
  // Laevatain to the last promotion, and four skills to level 12.
  [
    'arknights-endfield',
    'laevatain',
    {
      'D96 Steel Sample 4': 20,
      'Metadiastima Photoemission Tube': 116,
      'Triphasic Nanoflake': 116,
      'Blighted Jadeleaf': 84,
      'T-Creds': 126_100 + 4 * 172_200,
    },
  ],
];

for (const [game, id, costs] of COSTS)
  test(`${game}: ${id} costs what the game asks`, async () => {
    const { characters } = await readNewest(game);
    const sums = sumCosts(findCosts(find(characters, id), () => undefined).flatMap(({ steps }) => steps));
    for (const [name, count] of Object.entries(costs))
      assert.is(sums.find((cost) => cost.name === name)?.count, count, name);
  });

/** Games whose skills say what they do, and where the skills are. */
const WITH_EFFECTS: readonly (readonly [game: string, list: string])[] = [
  ['arknights', 'skills'],
  ['arknights-endfield', 'characters'],
  ['fate-grand-order-jp', 'skills'],
  ['genshin-impact', 'characters'],
  ['honkai-star-rail', 'skills'],
  ['nikke', 'characters'],
  ['wuthering-waves', 'characters'],
  ['zenless-zone-zero', 'characters'],
];

for (const [game, list] of WITH_EFFECTS)
  test(`${game}: at least four of five skills do something that has a kind`, async () => {
    const { characters, datasets } = await readNewest(game);
    const skills =
      list === 'characters'
        ? characters.flatMap((record) => (record.skills ?? []) as JsonObject[])
        : (datasets[list] as JsonObject[]);
    const kinds = skills.map(({ effects = [] }) => (effects as JsonObject[]).map(({ kind }) => kind));
    const known = kinds.filter((all) => all.some((kind) => kind !== 'other'));
    assert.ok(known.length >= 0.8 * skills.length, `${known.length} of ${skills.length}`);
    assert.ok(
      characters.some(({ effects }) => (effects as JsonObject[])?.some(({ kind }) => kind === 'heal')),
    );
  });

test('Zenless Zone Zero: W-Engines have the stats that the game shows at level 60', async () => {
  const { weapons } = (await readNewest('zenless-zone-zero')).datasets;
  // Steel Cushion, the example of upstream's documentation.
  const { stat, substat, base } = find(weapons, '14102');
  assert.equal([(stat as JsonObject).value, (substat as JsonObject).value], [684, 2400]);
  assert.equal([(stat as JsonObject).text, (substat as JsonObject).text], ['684', '24%']);
  assert.equal(base, { stat: 46, stat_text: '46', substat: 960, substat_text: '9.6%' });
});

test('Genshin Impact: constellations have names, and the talents that they raise; weapons have names in three languages', async () => {
  const { characters, datasets } = await readNewest('genshin-impact');
  const { constellations } = find(characters, '10000052');
  const [, second, third] = (constellations as JsonObject[]).map(({ level, name, raises, levels }) => [
    ...[level, name, raises, levels],
  ]);
  assert.equal(second, [2, 'Steelbreaker', undefined, undefined]);
  assert.equal(third, [3, 'Shinkage Bygones', 'elemental_burst', 3]);
  // The Traveler has the talents of each element.
  const { skills } = find(characters, '10000007');
  const bursts = (skills as JsonObject[]).filter(({ kind }) => kind === 'elemental_burst');
  assert.equal(
    bursts.map(({ element }) => element),
    ['Anemo', 'Dendro', 'Electro', 'Geo', 'Hydro', 'Pyro'],
  );
  const { name, name_ja, name_ko } = find(datasets.weapons, '11515');
  assert.equal([name, name_ja, name_ko], ['Absolution', '赦罪', '사면']);
  const nameless = (datasets.materials as JsonObject[]).filter(
    (material) => !material.name_ja || !material.name_ko,
  );
  assert.equal(nameless, []);
});

test('Pokémon TCG Pocket: cards of Pokémon have addresses of pictures, and the rates of each slot of a pack are complete', async () => {
  const { characters, datasets } = await readNewest('pokemon-tcg-pocket');
  const { name, rarity_code, image } = find(characters, 'A1-36');
  assert.equal([name, rarity_code], ['Charizard ex', 'RR']);
  assert.match(String(image), /^https:\/\/raw\.githubusercontent\.com\/.*LIZARDONex_RR\.webp$/);
  const sums = new Map<string, number>();
  for (const { banner, pack, slot, base_rate } of datasets.pull_rates as JsonObject[]) {
    const key = [banner, pack, slot].join();
    sums.set(key, (sums.get(key) ?? 0) + Number(base_rate));
  }
  assert.ok(sums.size > 100);
  // The game rounds to three digits.
  assert.equal(
    [...sums].filter(([, sum]) => Math.abs(sum - 1) > 0.0002),
    [],
  );
});

test('Princess Connect: skills have actions with numbers by level, ranks have equipment, quests have rewards', async () => {
  const { characters, datasets } = await readNewest('princess-connect');
  const { actions } = find(datasets.skills, '1001001');
  assert.equal((actions as JsonObject[])[0], {
    kind: 'damage',
    attack: 'physical',
    base: 30,
    per_level: 30,
    coefficient: 2.4,
    target: 'enemies',
    targets: 1,
  });
  const counts = (datasets.skills as JsonObject[]).filter(
    (skill) => (skill.actions as JsonObject[]).length !== skill.effects,
  );
  assert.equal(counts, []);
  const { ranks } = find(characters, '100101');
  assert.is((ranks as JsonObject[]).length, 26);
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

test('Princess Connect of Japan: who can be played has a memory piece, skills say what they do, banners name units', async () => {
  const { characters, datasets } = await readNewest('princess-connect-jp');
  const pieces = (datasets.items as JsonObject[]).filter(({ kind }) => kind === 'memory_shard');
  assert.equal([characters.length, pieces.length], [258, 258]);
  // Not played: he is only met. And half of a pair.
  const ids = characters.map(({ id }) => id);
  assert.not.ok(ids.includes('191501') || ids.includes('118301'));
  assert.match(find(datasets.skills, '1001001').effect as string, '物理大ダメージ');
  const named = (datasets.banners as JsonObject[]).flatMap(({ featured }) => featured as JsonObject[]);
  const unknown = named.filter(({ id }) => !ids.includes(id as string)).map(({ name }) => name);
  assert.equal([named.length, [...new Set(unknown)]], [362, ['ぺコリーヌ（ニューイヤー）']]);
});

test('Honkai: Star Rail: traces add up, eidolons raise skills, and relic sets have names and bonuses', async () => {
  const { characters, datasets } = await readNewest('honkai-star-rail');
  const { trace_bonuses, eidolons, enhanced } = find(characters, '1212');
  assert.equal(
    (trace_bonuses as JsonObject[]).map(({ name, value }) => [name, value]),
    [
      ['HP', 0.1],
      ['CRIT DMG', 0.373],
      ['SPD', 9],
    ],
  );
  assert.equal(
    (eidolons as JsonObject[]).map(({ level }) => level),
    [3, 5],
  );
  assert.ok(enhanced);
  const { name, kind, raised_by } = find(datasets.skills, '11212003');
  assert.equal([name, kind, raised_by], ['Jingliu: Enhanced Ultimate', 'Ultimate', [3]]);
  assert.equal(find(datasets.relic_sets, '102').bonuses, [
    { pieces: 2, property: 'AttackAddedRatio', name: 'ATK', value: 0.12 },
    { pieces: 4, property: 'SpeedAddedRatio', name: 'SPD', value: 0.06 },
  ]);
});

test('Wuthering Waves: Resonators have rarities, weapons the values of level 90, echoes the sets of the game', async () => {
  const { characters, datasets } = await readNewest('wuthering-waves');
  const rarities = [4, 5].map((stars) => characters.filter(({ rarity }) => rarity === stars).length);
  assert.equal([characters.length, ...rarities], [58, 12, 46]);
  const { stats, substat } = find(datasets.weapons, 'ages-of-harvest');
  assert.equal([stats, substat], [{ atk: 587 }, { stat: 'Crit Rate', value: 24.3 }]);
  assert.equal(find(datasets.echoes, 'aero-drake').sonata_effects, [
    'Tidebreaking Courage',
    'Gusts of Welkin',
    'Flaming Clawprint',
  ]);
});

for (const slug of ['project-sekai', 'project-sekai-kr']) {
  test(`${slug}: each card is named by its title and its singer, and found by the singer in other languages`, async () => {
    const { value } = await compileShipped(slug);
    const file = [...(value?.files ?? [])].findLast(([name]) => name.startsWith(`${slug}/aliases.`));
    const aliases = JSON.parse(String(file?.[1])).characters as Record<string, string[]>;
    const { characters } = await readNewest(slug);
    assert.is(new Set(characters.map(({ name }) => name)).size, characters.length);
    const missing = characters.filter(
      ({ id, name, title, character_name, character_name_en }) =>
        name !== `[${title}] ${character_name}` || !aliases[String(id)]?.includes(String(character_name_en)),
    );
    assert.equal(
      missing.map(({ id }) => id),
      [],
    );
  });
}

test('Project SEKAI of Korea: skills say what they do with numbers, and events name their cards and bonuses', async () => {
  const { characters, datasets } = await readNewest('project-sekai-kr');
  assert.is(characters.length, 1140);
  const { skill, trained_skill } = find(characters, '949');
  assert.equal([(skill as JsonObject).id, (trained_skill as JsonObject).id], ['23', '22']);
  assert.is(find(datasets.skills, '10').effect, '라이프를 500 회복하고, 5초 동안 스코어가 100% 상승한다.');
  const unfilled = (datasets.skills as JsonObject[]).filter(({ effect }) => /[{}]/.test(String(effect)));
  assert.equal(unfilled, []);
  const { bonus_attribute, bonus_characters, featured } = find(datasets.events, '1');
  const ids = (list: unknown) => (list as JsonObject[]).map(({ id }) => id);
  assert.equal(
    [bonus_attribute, ids(bonus_characters), ids(featured)],
    ['mysterious', ['1', '2', '3', '4', '24'], ['109', '110', '111', '112', '113']],
  );
});

test.run();
