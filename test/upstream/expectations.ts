import type { Override } from '../../scripts/read/definition.ts';
import { dota2 } from './expectations/dota-2.ts';
import { fateGrandOrder } from './expectations/fate-grand-order.ts';
import { gakuenIdolmaster } from './expectations/gakuen-idolmaster.ts';
import { princessConnect } from './expectations/princess-connect.ts';

/**
 * What the full upstream dumps hold, worked out from their raw files without the mappings and without the compiler.
 * Tests compile the dumps with the definitions in data/, or in definitions/ beside this file where a game is not shipped, and compare.
 */

/**
 * A build: the dump folders that form it (each laid out in the build's own folder, or in one inside it), when upstream took them up (UTC),
 * how many characters it has, and what a gate rightly finds in the step to it.
 */
export interface ExpectedBuild {
  build: string;
  folders: (string | { dump: string; into: string })[];
  released_at: string;
  characters: number;
  overrides?: Override[];
}

/** The value at a dotted path of a record (numbers are positions in a list); undefined: nothing is there. */
export interface ExpectedValue {
  id: string;
  path: string;
  value: unknown;
}

/** A game: its folder among the dumps, its builds, oldest first, and what the newest one holds. */
export interface ExpectedGame {
  folder: string;
  builds: ExpectedBuild[];
  /** Records in each list that the dumps give. */
  datasets: Record<string, number>;
  /** In the full records of characters. */
  values: ExpectedValue[];
  /** In the records of datasets. */
  records: (ExpectedValue & { dataset: string })[];
}

/** By slug. */
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
  },
  'fate-grand-order': fateGrandOrder,
  'genshin-impact': {
    folder: 'genshin',
    builds: [
      { build: '5.5', folders: ['5.5'], released_at: '2025-04-01T21:32:30Z', characters: 98 },
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
    values: [
      { id: '10000046', path: 'key', value: 'hutao' },
      { id: '10000046', path: 'name', value: 'Hu Tao' },
      { id: '10000046', path: 'name_ja', value: '胡桃' },
      { id: '10000046', path: 'name_ko', value: '호두' },
      { id: '10000046', path: 'rarity', value: 5 },
      { id: '10000046', path: 'element', value: 'Pyro' },
      { id: '10000046', path: 'weapon', value: 'Polearm' },
      { id: '10000046', path: 'birthday', value: '7/15' },
      { id: '10000046', path: 'substat', value: 'CRIT DMG' },
      { id: '10000046', path: 'version', value: '1.3' },
      { id: '10000046', path: 'stats.hp', value: 1210.7164 },
      { id: '10000046', path: 'stats.crit_dmg', value: 0.5 },
      { id: '10000025', path: 'rarity', value: 4 },
      { id: '10000025', path: 'stats.def', value: 63.51975 },
      { id: '10000025', path: 'region', value: 'Liyue' },
      { id: '10000003', path: 'name_ko', value: '진' },
      { id: '10000128', path: 'name_ja', value: 'ファルカ' },
      { id: '10000128', path: 'version', value: '6.4' },
      { id: '10000005', path: 'name', value: 'Aether' },
      { id: '10000005', path: 'region', value: undefined },
      { id: '10000005', path: 'element', value: undefined },
      { id: '10000046', path: 'curve.hp', value: 'hp_s5' },
      { id: '10000046', path: 'promotion.6.hp', value: 4971.856 },
      { id: '10000046', path: 'promotion.6.max_level', value: 90 },
      { id: '10000046', path: 'ascension.5.phase', value: 6 },
      { id: '10000046', path: 'ascension.5.materials.3.name', value: 'Silk Flower' },
      { id: '10000046', path: 'ascension.5.materials.3.count', value: 60 },
    ],
    records: [
      { dataset: 'materials', id: '202', path: 'name_ja', value: 'モラ' },
      { dataset: 'weapons', id: '13501', path: 'name', value: 'Staff of Homa' },
      { dataset: 'weapons', id: '13501', path: 'stats.atk', value: 45.9364 },
      { dataset: 'weapons', id: '13501', path: 'substat_value', value: 0.144 },
      { dataset: 'weapons', id: '13501', path: 'version', value: '1.3' },
      { dataset: 'outfits', id: '205900', path: 'character', value: '10000059' },
      { dataset: 'level_curves', id: '90', path: 'hp_s5', value: 8.739 },
      { dataset: 'weapon_level_curves', id: '90', path: 'attack_301', value: 9.173 },
    ],
  },
  'princess-connect': princessConnect,
  'zenless-zone-zero': {
    folder: 'zenless-zone-zero',
    builds: [
      { build: '1.5', folders: ['1.5'], released_at: '2025-01-29T14:15:06Z', characters: 28 },
      { build: '1.6', folders: ['1.6'], released_at: '2025-03-12T03:08:19Z', characters: 31 },
      { build: '1.7', folders: ['1.7'], released_at: '2025-04-23T02:51:22Z', characters: 33 },
      {
        build: '2.0',
        folders: ['2.0'],
        released_at: '2025-06-06T20:43:52Z',
        characters: 36,
        overrides: [
          {
            check: 'field-vanished',
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
      {
        build: '2.8',
        folders: ['2.8'],
        released_at: '2026-05-06T12:28:40Z',
        characters: 53,
        overrides: ['properties.name_ja', 'properties.name_ko'].map((of) => ({
          check: 'names-lost',
          of,
          reason:
            'locs.json of 2.8 leaves out 31 properties without a name of their own: their text was their code.',
        })),
      },
      {
        build: 'head-2026-07-24',
        folders: ['head-2026-07-24'],
        released_at: '2026-07-24T14:22:03Z',
        characters: 56,
      },
    ],
    datasets: { weapons: 93, drive_discs: 28, properties: 196 },
    values: [
      { id: '1091', path: 'name', value: 'Miyabi' },
      { id: '1091', path: 'name_ja', value: '星見雅' },
      { id: '1091', path: 'name_ko', value: '미야비' },
      { id: '1091', path: 'name_zh_tw', value: '雅' },
      { id: '1091', path: 'name_ru', value: 'Мияби' },
      { id: '1091', path: 'codename', value: 'Unagi' },
      { id: '1091', path: 'rarity', value: 4 },
      { id: '1091', path: 'rank', value: 'S' },
      { id: '1091', path: 'element', value: 'Frost' },
      { id: '1091', path: 'elements', value: ['Frost', 'Ice'] },
      { id: '1091', path: 'class', value: 'Anomaly' },
      { id: '1091', path: 'stats.hp', value: 617 },
      { id: '1091', path: 'stats.atk', value: 127 },
      { id: '1091', path: 'stats.def', value: 49 },
      { id: '1091', path: 'stats.crit_rate', value: 0.05 },
      { id: '1091', path: 'stats.energy_regen', value: 1.2 },
      { id: '1011', path: 'rank', value: 'A' },
      { id: '1011', path: 'element', value: 'Electric' },
      { id: '1011', path: 'name_th', value: 'Anby' },
      { id: '1371', path: 'element', value: 'Auric Ink' },
      { id: '1371', path: 'class', value: 'Rupture' },
      { id: '1431', path: 'elements', value: ['Honed Edge', 'Physical'] },
      { id: '1571', path: 'name', value: 'Norma' },
      { id: '1091', path: 'signature_weapon.name', value: 'Hailstorm Shrine' },
      { id: '1091', path: 'growth.atk', value: 76728 },
      { id: '1091', path: 'promotion.5.hp', value: 2117 },
      { id: '1091', path: 'core_enhancement.0.bonuses', value: [] },
      { id: '1091', path: 'core_enhancement.6.bonuses.1.value', value: 90 },
      { id: '1091', path: 'core_enhancement.6.bonuses.1.name', value: 'Anomaly Proficiency' },
    ],
    records: [
      { dataset: 'weapons', id: '14109', path: 'name_ja', value: 'あられ落つ星殿' },
      { dataset: 'weapons', id: '14109', path: 'stat.value', value: 50 },
      { dataset: 'weapons', id: '14109', path: 'substat.name', value: 'CRIT Rate' },
      { dataset: 'drive_discs', id: '33900', path: 'name', value: 'Wuthering Salon' },
      { dataset: 'drive_discs', id: '33900', path: 'bonuses.0.value', value: 1000 },
      { dataset: 'properties', id: '12101', path: 'name_ko', value: '기본 공격력' },
    ],
  },
  'gakuen-idolmaster': gakuenIdolmaster,
  'dota-2': dota2,
};
