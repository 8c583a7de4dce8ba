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

/** What the full upstream dumps hold, by slug, as computed from their raw files without the mappings and the compiler. Values are compared by raw-values.test.ts. */
export const expectations: Record<string, ExpectedGame> = {
  arknights: {
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
      },
      {
        build: '2020-07-15',
        folders: ['en-0.9.01-2020-07-15'],
        released_at: '2020-07-15T14:12:01Z',
        characters: 117,
      },
      {
        build: '2020-07-29',
        folders: ['en-0.9.01-2020-07-29'],
        released_at: '2020-07-29T14:23:01Z',
        characters: 121,
      },
      {
        build: '2021-10-13',
        folders: ['kr-5.0.01-2021-10-13', 'jp-5.0.01-2021-10-13', 'en-5.0.01-2021-10-13'],
        released_at: '2021-10-21T14:11:55Z',
        characters: 200,
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
      {
        build: '2019-12-14',
        folders: ['na-1.37.0-2019-12-14'],
        released_at: '2019-12-14T05:06:58Z',
        characters: 190,
      },
      {
        build: '2019-12-16',
        folders: ['na-1.37.0-2019-12-16'],
        released_at: '2019-12-16T08:02:03Z',
        characters: 192,
      },
      {
        build: '2020-01-01',
        folders: ['na-1.37.0-dv201-2020-01-01'],
        released_at: '2020-01-01T04:11:21Z',
        characters: 193,
      },
      {
        build: '2021-07-21',
        folders: ['na-2.18.2-dv331-2021-07-04', { dump: 'jp-2.35.1-dv1185-2021-07-21', into: 'jp' }],
        released_at: '2021-07-21T09:02:17Z',
        characters: 254,
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
        build: '5.5',
        folders: ['5.5'],
        released_at: '2025-04-01T21:32:30Z',
        characters: 98,
        overrides: [
          {
            check: 'attribute-unexpected',
            of: 'characters.levels.phase',
            reason: 'The stats of this dump have no promotions.',
          },
        ],
      },
      { build: '5.6', folders: ['5.6'], released_at: '2025-05-07T21:48:51Z', characters: 100 },
      { build: '5.7', folders: ['5.7'], released_at: '2025-06-18T21:52:58Z', characters: 102 },
      { build: '5.8', folders: ['5.8'], released_at: '2025-07-30T16:25:52Z', characters: 103 },
      { build: '6.0', folders: ['6.0'], released_at: '2025-09-12T04:46:24Z', characters: 106 },
      { build: '6.1', folders: ['6.1'], released_at: '2025-10-24T04:58:15Z', characters: 109 },
      { build: '6.2', folders: ['6.2'], released_at: '2025-12-06T23:23:05Z', characters: 111 },
      { build: '6.3', folders: ['6.3'], released_at: '2026-01-14T06:55:47Z', characters: 114 },
      { build: '6.4', folders: ['6.4'], released_at: '2026-02-25T05:16:57Z', characters: 115 },
    ],
    datasets: { materials: 355, weapons: 233, outfits: 141, level_curves: 100, weapon_level_curves: 100 },
    unshipped: { weapons: ['effect', 'effect_name', 'refined'] },
  },
  'princess-connect': {
    folder: 'princess-connect',
    builds: [
      {
        build: '202312281824',
        folders: ['202312281824'],
        released_at: '2023-12-29T06:04:07Z',
        characters: 192,
      },
      {
        build: '202312281831',
        folders: ['202312281831'],
        released_at: '2024-01-01T10:04:09Z',
        characters: 192,
      },
      {
        build: '202401121933',
        folders: ['202401121933'],
        released_at: '2024-01-15T06:04:25Z',
        characters: 192,
      },
      {
        build: '202401291730',
        folders: ['202401291730'],
        released_at: '2024-01-31T06:04:09Z',
        characters: 195,
      },
      {
        build: '202401291745',
        folders: ['202401291745'],
        released_at: '2024-02-08T03:04:08Z',
        characters: 195,
      },
      {
        build: '202402181111',
        folders: ['202402181111'],
        released_at: '2024-02-18T06:04:08Z',
        characters: 195,
        overrides: [
          {
            check: 'categories-changed',
            of: 'equipment.donated',
            reason: 'All equipment of two more ranks can be donated from this build on.',
          },
        ],
      },
      {
        build: '202402281740',
        folders: ['202402281740'],
        released_at: '2024-02-29T06:04:09Z',
        characters: 198,
      },
      {
        build: '202402281829',
        folders: ['202402281829'],
        released_at: '2024-03-03T03:04:08Z',
        characters: 198,
      },
      {
        build: '202403141914',
        folders: ['202403141914'],
        released_at: '2024-03-15T06:04:08Z',
        characters: 198,
      },
      {
        build: '202403281636',
        folders: ['202403281636'],
        released_at: '2024-03-29T06:04:08Z',
        characters: 204,
      },
    ],
    datasets: {
      npcs: 43,
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
        build: '1.5',
        folders: ['1.5'],
        released_at: '2025-01-29T14:15:06Z',
        characters: 28,
        overrides: [
          {
            check: 'text-unresolved',
            of: 'properties.name',
            reason: 'Upstream has no texts of some properties.',
          },
        ],
      },
      {
        build: '1.6',
        folders: ['1.6'],
        released_at: '2025-03-12T03:08:19Z',
        characters: 31,
        overrides: [
          {
            check: 'text-unresolved',
            of: 'drive_discs.name',
            reason: 'Upstream has the texts of new discs one build later.',
          },
          {
            check: 'text-unresolved',
            of: 'weapons.name',
            reason: 'Upstream has the texts of new weapons one build later.',
          },
        ],
      },
      { build: '1.7', folders: ['1.7'], released_at: '2025-04-23T02:51:22Z', characters: 33 },
      {
        build: '2.0',
        folders: ['2.0'],
        released_at: '2025-06-06T20:43:52Z',
        characters: 36,
        overrides: [
          {
            check: 'values-lost',
            of: 'properties.format',
            reason: 'property.json of 2.0 has no Format; that of 2.1 has it again.',
          },
        ],
      },
      { build: '2.1', folders: ['2.1'], released_at: '2025-07-17T02:30:03Z', characters: 38 },
      { build: '2.2', folders: ['2.2'], released_at: '2025-09-04T08:49:24Z', characters: 40 },
      { build: '2.3', folders: ['2.3'], released_at: '2025-10-15T05:02:44Z', characters: 43 },
      { build: '2.4', folders: ['2.4'], released_at: '2025-11-26T06:35:02Z', characters: 45 },
      { build: '2.5', folders: ['2.5'], released_at: '2025-12-30T06:09:53Z', characters: 47 },
      { build: '2.6', folders: ['2.6'], released_at: '2026-02-06T21:50:13Z', characters: 49 },
      { build: '2.7', folders: ['2.7'], released_at: '2026-03-24T10:36:03Z', characters: 51 },
      { build: '2.8', folders: ['2.8'], released_at: '2026-05-06T12:28:40Z', characters: 53 },
      {
        build: 'head-2026-07-24',
        folders: ['head-2026-07-24'],
        released_at: '2026-07-24T14:22:03Z',
        characters: 56,
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
      { build: '2026-01-27', folders: ['2026-01-27'], released_at: '2026-01-27T02:05:30Z', characters: 125 },
      { build: '2026-02-09', folders: ['2026-02-09'], released_at: '2026-02-09T02:05:32Z', characters: 126 },
      { build: '2026-02-27', folders: ['2026-02-27'], released_at: '2026-02-27T02:05:32Z', characters: 128 },
      { build: '2026-03-09', folders: ['2026-03-09'], released_at: '2026-03-09T02:05:39Z', characters: 129 },
      { build: '2026-03-19', folders: ['2026-03-19'], released_at: '2026-03-19T02:06:21Z', characters: 130 },
      { build: '2026-03-31', folders: ['2026-03-31'], released_at: '2026-03-31T02:05:41Z', characters: 132 },
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
      { build: '2026-04-22', folders: ['2026-04-22'], released_at: '2026-04-22T03:21:21Z', characters: 91 },
      { build: '2026-06-01', folders: ['2026-06-01'], released_at: '2026-06-01T06:57:32Z', characters: 92 },
      { build: '2026-07-15', folders: ['2026-07-15'], released_at: '2026-07-15T10:06:37Z', characters: 95 },
    ],
    datasets: { light_cones: 165 },
  },
  'project-sekai': {
    folder: 'project-sekai',
    builds: [
      {
        build: '1.0.5',
        folders: [
          { dump: 'jp-1.0.5', into: 'jp' },
          { dump: 'kr-1.9.6.8', into: 'kr' },
          { dump: 'en-5.5.1.30', into: 'en' },
        ],
        released_at: '2020-10-02T19:53:51Z',
        characters: 86,
      },
      {
        build: '1.0.1.2',
        folders: [{ dump: 'jp-1.0.1.2', into: 'jp' }],
        released_at: '2020-10-09T02:31:06Z',
        characters: 91,
      },
      {
        build: '1.0.1.10',
        folders: [{ dump: 'jp-1.0.1.10', into: 'jp' }],
        released_at: '2020-10-20T05:31:05Z',
        characters: 96,
      },
      {
        build: '1.1.0.1',
        folders: [{ dump: 'jp-1.1.0.1', into: 'jp' }],
        released_at: '2020-10-29T22:59:47Z',
        characters: 101,
      },
    ],
    datasets: { cast: 26, units: 6, card_rarities: 4, events: 3, skills: 11 },
  },
  'dota-2': {
    folder: 'dota2',
    builds: [
      { build: '7.35d', folders: ['7.35d'], released_at: '2024-03-23T09:06:07Z', characters: 124 },
      {
        build: '7.36',
        folders: ['7.36'],
        released_at: '2024-05-23T06:18:28Z',
        characters: 124,
        overrides: [
          { check: 'values-lost', of: 'characters.stats.mana', reason: 'A hero has no mana any more.' },
        ],
      },
      { build: '7.36a', folders: ['7.36a'], released_at: '2024-05-30T14:09:10Z', characters: 124 },
      { build: '7.37', folders: ['7.37'], released_at: '2024-08-01T07:30:52Z', characters: 124 },
      { build: '7.37b', folders: ['7.37b'], released_at: '2024-08-14T20:27:26Z', characters: 124 },
      {
        build: '7.37e',
        folders: ['7.37e'],
        released_at: '2024-12-04T13:39:22Z',
        characters: 126,
        overrides: [
          {
            check: 'values-lost',
            of: 'characters.stats.hp_regen',
            reason: 'A hero no longer regenerates health of its own.',
          },
        ],
      },
      {
        build: '7.38',
        folders: ['7.38'],
        released_at: '2025-02-19T13:53:03Z',
        characters: 126,
        overrides: [
          {
            check: 'categories-changed',
            of: 'characters.class',
            reason: 'Sixteen heroes have another primary attribute.',
          },
        ],
      },
      { build: '7.39', folders: ['7.39'], released_at: '2025-05-22T23:36:24Z', characters: 126 },
      { build: '7.40', folders: ['7.40'], released_at: '2025-12-16T00:54:36Z', characters: 127 },
      { build: '7.41', folders: ['7.41'], released_at: '2026-03-25T13:10:09Z', characters: 127 },
    ],
    datasets: { roles: 8, primary_attributes: 4 },
  },
};
