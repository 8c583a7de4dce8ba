import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';

/** What a proposal has to get right. */
export type Aspect = 'name' | 'rarity' | 'stats' | 'languages' | 'class';

/** What a record has, as the README of the dumps and their raw files say. Aspects that a dump has nothing of are absent. */
export interface ExpectedRecord {
  name: string;
  rarity?: number;
  /** The values of the main stats, each at any of the levels that the dump has. */
  stats: Record<string, readonly number[]>;
  /** The name by language. */
  languages?: Record<string, string>;
  /** The attribute that divides the characters into classes, as the shipped definition has one. */
  class?: string;
}

/** A dump: folders of the shared dumps, and where they are in it; and one of its characters. */
export interface ProposedGame {
  parts: [from: string, to: string][];
  id: string;
  expected: ExpectedRecord;
}

/** What both dumps of Honkai: Star Rail have. */
const MARCH_7TH: ExpectedRecord = {
  class: 'avatar_base_type',
  name: 'March 7th',
  rarity: 4,
  stats: { hp_base: [489.6], attack_base: [236.64], defence_base: [265.2] },
  languages: { ja: '三月なのか', ko: 'Mar.\u00a07th' },
};

export const GAMES: Record<string, ProposedGame> = {
  arknights: {
    parts: [
      ['arknights/en-5.0.01-2021-10-13', ''],
      ['arknights/jp-5.0.01-2021-10-13', ''],
      ['arknights/kr-5.0.01-2021-10-13', ''],
    ],
    id: 'char_010_chen',
    expected: {
      class: 'profession',
      name: "Ch'en",
      rarity: 6,
      stats: { max_hp: [2880], atk: [610], def: [352] },
      languages: { ja: 'チェン', ko: '첸' },
    },
  },
  'fate-grand-order': {
    parts: [
      ['fgo/na-2.18.2-dv331-2021-07-04', 'na'],
      ['fgo/jp-2.35.1-dv1185-2021-07-21', 'jp'],
    ],
    id: '100100',
    expected: {
      class: 'class',
      name: 'Altria Pendragon',
      rarity: 5,
      stats: { hp_max: [15150], atk_max: [11221] },
      languages: { ja: 'アルトリア・ペンドラゴン' },
    },
  },
  'genshin-impact': {
    parts: [['genshin/6.4', '']],
    id: '10000046',
    expected: {
      class: 'weapon_type',
      name: 'Hu Tao',
      rarity: 5,
      stats: { hp: [1210.7164], attack: [8.2859], defense: [68.2062] },
      languages: { ja: '胡桃', ko: '호두' },
    },
  },
  'princess-connect': {
    parts: [['princess-connect/202403281636', '']],
    id: '100101',
    expected: {
      class: 'atk_type',
      name: '日和莉',
      rarity: 1,
      stats: { hp: [376, 789.5], atk: [51.04, 1847.2], def: [2.73, 5.73] },
    },
  },
  'zenless-zone-zero': {
    parts: [['zenless-zone-zero/2.8', '']],
    id: '1091',
    expected: {
      class: 'profession_type',
      name: 'Miyabi',
      rarity: 4,
      stats: { hp_max_base: [617], atk_base: [127], def_base: [49] },
      languages: { ja: '星見雅', ko: '미야비' },
    },
  },
  'gakuen-idolmaster': {
    parts: [['gakumas/2026-03-31', '']],
    id: 'i_card-amao-1-000',
    expected: {
      class: 'plan_type',
      name: '学園生活',
      rarity: 1,
      stats: { produce_vocal: [65], produce_dance: [55], produce_visual: [45] },
    },
  },
  'honkai-star-rail': { parts: [['honkai-star-rail/2026-07-15', '']], id: '1001', expected: MARCH_7TH },
  'honkai-star-rail 3.8': { parts: [['honkai-star-rail/3.8', '']], id: '1001', expected: MARCH_7TH },
  'project-sekai': {
    parts: [
      ['project-sekai/jp-1.1.0.1', 'jp'],
      ['project-sekai/kr-1.9.6.8', 'kr'],
      ['project-sekai/en-5.5.1.30', 'en'],
    ],
    id: '1',
    expected: {
      class: 'attr',
      name: 'クールだけど友達想い',
      rarity: 1,
      stats: { param1: [2663], param2: [2325], param3: [2587] },
      languages: { ko: '쿨하지만 친구를 아끼는' },
    },
  },
  'dota-2': {
    parts: [['dota2/7.41', '']],
    id: '1',
    expected: {
      class: 'primary_attr',
      name: 'Anti-Mage',
      stats: { base_health: [120], base_armor: [2], base_attack_min: [29] },
    },
  },
};

/** Whether a record has what is expected of an aspect. */
export function isRight(aspect: Aspect, expected: ExpectedRecord, record: JsonObject): boolean {
  if (aspect === 'class') {
    const value = record[expected.class ?? ''];
    return typeof value === 'string' && value !== '';
  }
  if (aspect === 'name' || aspect === 'rarity') return record[aspect] === expected[aspect];
  if (aspect === 'languages')
    return Object.entries(expected.languages ?? {}).every(
      ([language, name]) => record[`name_${language}`] === name,
    );
  const stats: Json = record.stats ?? {};
  if (!isObject(stats)) return false;
  return Object.entries(expected.stats).every(([stat, values]) => values.includes(stats[stat] as number));
}

/** The table that is the roster of each game's dumps, by the folder of the newest one. */
export const ROSTERS: Record<string, string> = {
  'upstream/arknights/en-5.0.01-2021-10-13': 'character_table',
  'upstream/fgo/na-2.18.2-dv331-2021-07-04': 'mstSvt',
  'upstream/genshin/6.4': 'characters',
  'upstream/princess-connect/202403281636': 'unit_data',
  'upstream/zenless-zone-zero/2.8': 'avatars',
  'upstream/gakumas/2026-03-31': 'IdolCard',
  'upstream/honkai-star-rail/2026-07-15': 'avatars',
  'upstream/honkai-star-rail/3.8': 'honker_characters',
  'upstream/project-sekai/kr-1.9.6.8': 'cards',
  'upstream/dota2/7.41': 'heroes',
  'upstream-2026/limbus-company/2026-01-16': 'identities',
  'upstream-2026/wuthering-waves/3.1': 'Characters',
  'upstream-2026/princess-connect-jp/10054600': 'unit_data',
  'upstream-2026/project-sekai/5.2.0.5': 'cards',
  'upstream-2026/zenless-zone-zero/2026-07-24': 'avatars',
  'upstream-2026/honkai-star-rail/2026-07-24': 'avatars',
};
