import type { Override } from '../../scripts/read/game-schema.ts';

/**
 * A build: the dump folders that it consists of (each is laid out in the build's folder, or in a folder inside), when upstream published
 * them (UTC), how many characters it has, and what gates correctly find in the step to it.
 */
export interface ExpectedBuild {
  build: string;
  folders: (string | { dump: string; into: string })[];
  released_at: string;
  characters: number;
  overrides?: Override[];
}

/** A game: its folder among the dumps, its builds, oldest first, and what the newest one holds. */
export interface ExpectedGame {
  folder: string;
  builds: ExpectedBuild[];
  /** The number of records in each list that comes from the dumps. */
  datasets: Record<string, number>;
  /** By dataset, the attributes that the full dumps have and the shipped builds of them do not: these were released without. */
  unshipped?: Record<string, string[]>;
}

function dumped(
  build: string,
  released_at: string,
  characters: number,
  ...folders: ExpectedBuild['folders']
): ExpectedBuild {
  return { build, folders, released_at, characters };
}

/** What the full upstream dumps hold, by slug, as computed from their raw files without the mappings and the compiler. Values are compared by raw-values.test.ts. */
export const expectations: Record<string, ExpectedGame> = {
  arknights: {
    folder: 'arknights',
    builds: [
      dumped('2020-05-09', '2020-05-12T07:19:42Z', 108, 'en-0.8.13-2020-05-09'),
      dumped('2020-05-27', '2020-05-27T13:37:56Z', 112, 'en-0.9.01-2020-05-27'),
      dumped(
        '2020-06-28',
        '2020-06-30T14:16:38Z',
        115,
        'kr-0.9.01-2020-06-28',
        'jp-0.9.01-2020-06-28',
        'en-0.9.01-2020-06-28',
      ),
      dumped('2020-07-15', '2020-07-15T14:12:01Z', 117, 'en-0.9.01-2020-07-15'),
      dumped('2020-07-29', '2020-07-29T14:23:01Z', 121, 'en-0.9.01-2020-07-29'),
      {
        ...dumped(
          '2021-10-13',
          '2021-10-21T14:11:55Z',
          200,
          'kr-5.0.01-2021-10-13',
          'jp-5.0.01-2021-10-13',
          'en-5.0.01-2021-10-13',
        ),
        overrides: [
          {
            check: 'values-changed',
            of: 'banners.type',
            reason: 'Upstream has gachaRuleType from this build on, which names the types anew.',
          },
        ],
      },
    ],
    datasets: { materials: 322, enemies: 338, banners: 85, skins: 478, ranges: 46 },
  },
  'fate-grand-order': {
    folder: 'fgo',
    builds: [
      dumped('2019-12-14', '2019-12-14T05:06:58Z', 190, 'na-1.37.0-2019-12-14'),
      dumped('2019-12-16', '2019-12-16T08:02:03Z', 192, 'na-1.37.0-2019-12-16'),
      dumped('2020-01-01', '2020-01-01T04:11:21Z', 193, 'na-1.37.0-dv201-2020-01-01'),
      {
        ...dumped('2021-07-21', '2021-07-21T09:02:17Z', 254, 'na-2.18.2-dv331-2021-07-04', {
          dump: 'jp-2.35.1-dv1185-2021-07-21',
          into: 'jp',
        }),
        overrides: [
          {
            check: 'names-changed',
            of: 'events.name',
            reason: 'The game shortened the names of old campaigns.',
          },
        ],
      },
    ],
    datasets: {
      noble_phantasms: 375,
      craft_essences: 1077,
      enemies: 541,
      enhancement_cards: 104,
      costumes: 22,
      classes: 37,
      class_relations: 360,
      attribute_relations: 25,
      rarities: 6,
      items: 589,
      events: 280,
      wars: 92,
    },
  },
  'genshin-impact': {
    folder: 'genshin',
    builds: [
      {
        ...dumped('5.5', '2025-04-01T21:32:30Z', 98, '5.5'),
        overrides: [
          {
            check: 'attribute-unexpected',
            of: 'characters.levels.phase',
            reason: 'The stats of this dump have no promotions.',
          },
        ],
      },
      dumped('5.6', '2025-05-07T21:48:51Z', 100, '5.6'),
      dumped('5.7', '2025-06-18T21:52:58Z', 102, '5.7'),
      dumped('5.8', '2025-07-30T16:25:52Z', 103, '5.8'),
      dumped('6.0', '2025-09-12T04:46:24Z', 106, '6.0'),
      dumped('6.1', '2025-10-24T04:58:15Z', 109, '6.1'),
      dumped('6.2', '2025-12-06T23:23:05Z', 111, '6.2'),
      dumped('6.3', '2026-01-14T06:55:47Z', 114, '6.3'),
      dumped('6.4', '2026-02-25T05:16:57Z', 115, '6.4'),
    ],
    datasets: { materials: 355, weapons: 233, outfits: 141, level_curves: 100, weapon_level_curves: 100 },
    unshipped: { weapons: ['effect', 'effect_name', 'refined'] },
  },
  'princess-connect': {
    folder: 'princess-connect',
    builds: [
      dumped('202312281824', '2023-12-29T06:04:07Z', 182, '202312281824'),
      dumped('202312281831', '2024-01-01T10:04:09Z', 182, '202312281831'),
      dumped('202401121933', '2024-01-15T06:04:25Z', 182, '202401121933'),
      dumped('202401291730', '2024-01-31T06:04:09Z', 185, '202401291730'),
      dumped('202401291745', '2024-02-08T03:04:08Z', 185, '202401291745'),
      {
        ...dumped('202402181111', '2024-02-18T06:04:08Z', 185, '202402181111'),
        overrides: [
          {
            check: 'categories-changed',
            of: 'equipment.donated',
            reason: 'All equipment of two more ranks can be donated from this build on.',
          },
        ],
      },
      dumped('202402281740', '2024-02-29T06:04:09Z', 188, '202402281740'),
      dumped('202402281829', '2024-03-03T03:04:08Z', 188, '202402281829'),
      dumped('202403141914', '2024-03-15T06:04:08Z', 188, '202403141914'),
      dumped('202403281636', '2024-03-29T06:04:08Z', 190, '202403281636'),
    ],
    datasets: {
      npcs: 57,
      skills: 1202,
      equipment: 834,
      unique_equipment: 149,
      items: 667,
      banners: 619,
      guilds: 20,
      events: 91,
      clan_battles: 49,
    },
  },
  'zenless-zone-zero': {
    folder: 'zenless-zone-zero',
    builds: [
      {
        ...dumped('1.5', '2025-01-29T14:15:06Z', 28, '1.5'),
        overrides: [
          {
            check: 'text-unresolved',
            of: 'properties.name',
            reason: 'Upstream has no texts of some properties.',
          },
        ],
      },
      dumped('1.6', '2025-03-12T03:08:19Z', 31, '1.6'),
      dumped('1.7', '2025-04-23T02:51:22Z', 33, '1.7'),
      {
        ...dumped('2.0', '2025-06-06T20:43:52Z', 36, '2.0'),
        overrides: [
          {
            check: 'values-lost',
            of: 'properties.format',
            reason: 'property.json of 2.0 has no Format; that of 2.1 has it again.',
          },
        ],
      },
      dumped('2.1', '2025-07-17T02:30:03Z', 38, '2.1'),
      dumped('2.2', '2025-09-04T08:49:24Z', 40, '2.2'),
      dumped('2.3', '2025-10-15T05:02:44Z', 43, '2.3'),
      dumped('2.4', '2025-11-26T06:35:02Z', 45, '2.4'),
      dumped('2.5', '2025-12-30T06:09:53Z', 47, '2.5'),
      dumped('2.6', '2026-02-06T21:50:13Z', 49, '2.6'),
      dumped('2.7', '2026-03-24T10:36:03Z', 51, '2.7'),
      dumped('2.8', '2026-05-06T12:28:40Z', 53, '2.8'),
      {
        ...dumped('head-2026-07-24', '2026-07-24T14:22:03Z', 56, 'head-2026-07-24'),
        overrides: [
          {
            check: 'records-lost',
            of: 'properties',
            reason: 'Upstream removed 29 properties without a name of their own.',
          },
        ],
      },
    ],
    datasets: { weapons: 93, drive_discs: 28, properties: 196 },
  },
  'gakuen-idolmaster': {
    folder: 'gakumas',
    builds: [
      dumped('2026-01-27', '2026-01-27T02:05:30Z', 125, '2026-01-27'),
      dumped('2026-02-09', '2026-02-09T02:05:32Z', 126, '2026-02-09'),
      dumped('2026-02-27', '2026-02-27T02:05:32Z', 128, '2026-02-27'),
      dumped('2026-03-09', '2026-03-09T02:05:39Z', 129, '2026-03-09'),
      dumped('2026-03-19', '2026-03-19T02:06:21Z', 130, '2026-03-19'),
      dumped('2026-03-31', '2026-03-31T02:05:41Z', 132, '2026-03-31'),
    ],
    datasets: {
      support_cards: 180,
      cast: 19,
      effects: 7,
      costumes: 211,
      skill_cards: 132,
      produce_items: 264,
    },
  },
  'honkai-star-rail': {
    folder: 'honkai-star-rail',
    builds: [
      dumped('2026-04-22', '2026-04-22T03:21:21Z', 91, '2026-04-22'),
      dumped('2026-06-01', '2026-06-01T06:57:32Z', 92, '2026-06-01'),
      dumped('2026-07-15', '2026-07-15T10:06:37Z', 95, '2026-07-15'),
      dumped('2026-07-24', '2026-07-24T14:07:17Z', 95, '../../upstream-2026/honkai-star-rail/2026-07-24'),
    ],
    datasets: { light_cones: 165 },
  },
  'project-sekai': {
    folder: 'project-sekai',
    builds: [
      dumped(
        '1.0.5',
        '2020-10-02T19:53:51Z',
        86,
        { dump: 'jp-1.0.5', into: 'jp' },
        { dump: 'kr-1.9.6.8', into: 'kr' },
        { dump: 'en-5.5.1.30', into: 'en' },
      ),
      dumped('1.0.1.2', '2020-10-09T02:31:06Z', 91, { dump: 'jp-1.0.1.2', into: 'jp' }),
      dumped('1.0.1.10', '2020-10-20T05:31:05Z', 96, { dump: 'jp-1.0.1.10', into: 'jp' }),
      dumped('1.1.0.1', '2020-10-29T22:59:47Z', 101, { dump: 'jp-1.1.0.1', into: 'jp' }),
    ],
    datasets: { cast: 26, units: 6, card_rarities: 4, events: 3, skills: 11 },
  },
  'dota-2': {
    folder: 'dota2',
    builds: [
      dumped('7.35d', '2024-03-23T09:06:07Z', 124, '7.35d'),
      {
        ...dumped('7.36', '2024-05-23T06:18:28Z', 124, '7.36'),
        overrides: [
          { check: 'values-jumped', of: 'characters.stats.mana', reason: 'Huskar has no mana any more.' },
        ],
      },
      dumped('7.36a', '2024-05-30T14:09:10Z', 124, '7.36a'),
      dumped('7.37', '2024-08-01T07:30:52Z', 124, '7.37'),
      dumped('7.37b', '2024-08-14T20:27:26Z', 124, '7.37b'),
      dumped('7.37e', '2024-12-04T13:39:22Z', 126, '7.37e'),
      {
        ...dumped('7.38', '2025-02-19T13:53:03Z', 126, '7.38'),
        overrides: [
          {
            check: 'categories-changed',
            of: 'characters.class',
            reason: 'Sixteen heroes have another primary attribute.',
          },
        ],
      },
      dumped('7.39', '2025-05-22T23:36:24Z', 126, '7.39'),
      dumped('7.40', '2025-12-16T00:54:36Z', 127, '7.40'),
      dumped('7.41', '2026-03-25T13:10:09Z', 127, '7.41'),
    ],
    datasets: { roles: 8, primary_attributes: 4 },
  },
};
