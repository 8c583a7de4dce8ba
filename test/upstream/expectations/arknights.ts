import type { ExpectedGame } from './expected-game.ts';

export const arknights: ExpectedGame = {
  folder: 'arknights',
  builds: [
    {
      build: '2020-05-09',
      folders: ['en-0.8.13-2020-05-09'],
      released_at: '2020-05-12T07:19:42Z',
      characters: 108,
    },
    {
      build: '2020-05-27',
      folders: ['en-0.9.01-2020-05-27'],
      released_at: '2020-05-27T13:37:56Z',
      characters: 112,
    },
    {
      build: '2020-06-28',
      folders: ['kr-0.9.01-2020-06-28', 'jp-0.9.01-2020-06-28', 'en-0.9.01-2020-06-28'],
      released_at: '2020-06-30T14:16:38Z',
      characters: 115,
      overrides: [
        {
          check: 'new-values',
          of: 'banners.type',
          reason: 'The first banner whose rates for six and five stars are raised.',
        },
      ],
    },
    {
      build: '2020-07-15',
      folders: ['en-0.9.01-2020-07-15'],
      released_at: '2020-07-15T14:12:01Z',
      characters: 117,
      overrides: [
        {
          check: 'new-records-incomplete',
          of: 'characters',
          reason: 'There is no Japanese and Korean dump of this date.',
        },
        {
          check: 'new-records-incomplete',
          of: 'materials',
          reason: 'There is no Japanese and Korean dump of this date.',
        },
      ],
    },
    {
      build: '2020-07-29',
      folders: ['en-0.9.01-2020-07-29'],
      released_at: '2020-07-29T14:23:01Z',
      characters: 121,
      overrides: [
        {
          check: 'new-records-incomplete',
          of: 'characters',
          reason: 'There is no Japanese and Korean dump of this date.',
        },
        {
          check: 'new-records-incomplete',
          of: 'materials',
          reason: 'There is no Japanese and Korean dump of this date.',
        },
        { check: 'new-values', of: 'banners.type', reason: 'The first limited banner.' },
      ],
    },
    {
      build: '2021-10-13',
      folders: ['kr-5.0.01-2021-10-13', 'jp-5.0.01-2021-10-13', 'en-5.0.01-2021-10-13'],
      released_at: '2021-10-21T14:11:55Z',
      characters: 200,
      overrides: [
        {
          check: 'values-rewritten',
          of: 'banners.type',
          reason: 'Upstream has gachaRuleType from this build on, which names the types anew.',
        },
        { check: 'new-values', of: 'materials.type', reason: 'Materials that have no class are new.' },
        {
          check: 'new-values',
          of: 'enemies',
          reason: 'Fifteen months of new enemies have new grades and one new race.',
        },
      ],
    },
  ],
  datasets: { materials: 322, enemies: 338, banners: 85, skins: 478, ranges: 46 },
  values: [
    { id: 'char_010_chen', path: 'name', value: "Ch'en" },
    { id: 'char_010_chen', path: 'name_ja', value: 'チェン' },
    { id: 'char_010_chen', path: 'name_ko', value: '첸' },
    { id: 'char_010_chen', path: 'rarity', value: 6 },
    { id: 'char_010_chen', path: 'stats.hp', value: 2880 },
    { id: 'char_010_chen', path: 'stats.attack_interval', value: 1.3 },
    { id: 'char_010_chen', path: 'region', value: 'lungmen' },
    { id: 'char_010_chen', path: 'max_level', value: 90 },
    { id: 'char_285_medic2', path: 'rarity', value: 1 },
    { id: 'char_285_medic2', path: 'max_phase', value: 0 },
    { id: 'char_285_medic2', path: 'phases.0.materials', value: [] },
    { id: 'char_172_svrash', path: 'class', value: 'WARRIOR' },
    { id: 'char_172_svrash', path: 'stats.atk', value: 713 },
    { id: 'char_103_angel', path: 'tags.0', value: 'DPS' },
    { id: 'char_103_angel', path: 'position', value: 'RANGED' },
    { id: 'char_103_angel', path: 'stats.redeploy', value: 70 },
    { id: 'char_115_headbr', path: 'appellation', value: 'Зима' },
    { id: 'char_504_rguard', path: 'obtainable', value: false },
    { id: 'char_010_chen', path: 'trust.atk', value: 50 },
    { id: 'char_010_chen', path: 'phases.1.first.def', value: 221 },
    { id: 'char_010_chen', path: 'phases.2.materials.1.name', value: 'Polymerization Preparation' },
    { id: 'char_002_amiya', path: 'skill_levels.5.materials.2.count', value: 3 },
    { id: 'char_010_chen', path: 'skills.2.masteries.2.materials.2.name', value: 'Oriron Block' },
    { id: 'char_010_chen', path: 'skills.2.masteries.2.seconds', value: 86400 },
  ],
  records: [
    { dataset: 'materials', id: '30135', path: 'name_ja', value: 'D32鋼' },
    { dataset: 'materials', id: '30135', path: 'rarity', value: 5 },
    { dataset: 'enemies', id: 'enemy_1007_slime', path: 'name_ko', value: '원석충' },
    { dataset: 'enemies', id: 'enemy_1007_slime', path: 'grades.res', value: 'D' },
    { dataset: 'banners', id: 'LIMITED_EN_4_3_1', path: 'start', value: '2020-12-30T15:00:00.000Z' },
    { dataset: 'skins', id: 'char_002_amiya@epoque#4', path: 'name', value: 'Fresh Fastener' },
    {
      dataset: 'ranges',
      id: '1-1',
      path: 'tiles',
      value: [
        { row: 0, col: 0 },
        { row: 0, col: 1 },
      ],
    },
  ],
};
