import type { JsonObject } from '../../../scripts/format/json.ts';
import type { Files } from '../../support/fixtures.ts';
import { NOON } from '../../support/harness.ts';

/** How many characters the game has: more than the sample shows. */
export const CHARACTERS = 14;
/** A name that would run a script if a page inserted it as HTML. */
export const HOSTILE = '<img src=x onerror="window.hacked=1">';
/** An hour before the gateways of tests start: free keys do not see it yet. */
const RECENT = new Date(NOON - 3_600_000).toISOString();
/** When nobody sees it yet, 36 hours after these gateways start. */
const SOON = new Date(NOON + 36 * 3_600_000).toISOString();
/** A name is to look like a template. */
const NAMES = [{ check: 'text-unresolved', of: 'characters.name', reason: 'A hostile name.' }];
const ELEMENTS = ['fire', 'ice', 'air'];

function character(number: number, extra = 0): JsonObject {
  return {
    id: `unit-${number}`,
    name: number === 2 ? HOSTILE : `Unit ${number}`,
    name_ja: number === 13 ? '名前' : `ユニット${number}`,
    element: ELEMENTS[number % ELEMENTS.length] ?? 'fire',
    rarity: 3 + (number % 3),
    weapon: 'sword',
    mentor: number > 10 ? 'Unit 13' : 'Unit 1',
    stats: { atk: 100 + 10 * number + (number === 2 ? extra : 0), hp: 1000 - number },
    levels: [1, 20, 40].map((level) => ({ level, atk: level * number, hp: level * 2 })),
    ascension: [{ level: 20, phase: 1, materials: [{ id: 'm1', name: 'Mora', count: 3 }] }],
  };
}

const roster = (extra = 0) => [...Array(CHARACTERS).keys()].map((at) => character(at + 1, extra));
const items = (count: number) => [...Array(count).keys()].map((at) => ({ id: `i${at}`, name: `Item ${at}` }));

/** A game to explore, with a build that only Pro keys see, and one that is not released. */
export const EXPLORED_GAME: Files = {
  'saga/game.json': {
    title: 'Saga <b>of</b> "tests"',
    language: 'en',
    attributes: {
      '*': {
        '*': { description: 'An attribute' },
        '*.*': { description: 'An attribute inside another' },
        '*.*.*': { description: 'An attribute deep inside' },
      },
      characters: {
        element: {
          label: 'Element',
          description: 'What it is <i>made</i> of',
          values: { fire: 'Fire', ice: 'Ice', air: HOSTILE },
        },
        rarity: { label: 'Rarity', description: 'How rare it is', unit: 'stars', values: [3, 4, 5] },
        weapon: { label: 'Weapon', description: 'What it carries', ref: 'weapons' },
        stats: { label: 'Stats', description: 'The numbers', level: 'level 40' },
        'stats.atk': { label: 'ATK', description: 'The attack' },
        'stats.hp': { label: 'HP', description: 'The health' },
        levels: { label: 'Stats by level', description: 'The stats at some levels' },
        'ascension.materials.id': { description: 'The material', ref: 'materials' },
      },
    },
  },
  'saga/1.0/build.json': { released_at: '2026-01-01', overrides: NAMES },
  'saga/1.0/characters.json': roster(),
  'saga/1.0/pull_planner.json': { currency: 'jade', cost: 160 },
  'saga/1.0/weapons.json': [{ id: 'sword', name: 'Sword of Unit 9', atk: 12 }],
  'saga/1.0/materials.json': [{ id: 'm1', name: 'Mora', rarity: 1 }],
  'saga/1.1/build.json': { released_at: '2026-03-01' },
  'saga/1.1/characters.json': roster(1),
  'saga/1.1/items.json': items(3),
  'saga/1.2/build.json': { released_at: RECENT },
  'saga/1.2/characters.json': [...roster(2), { ...character(15), id: 'unit-99', name: 'Secret' }],
  'saga/1.2/items.json': items(206),
  'saga/1.3/build.json': { released_at: SOON },
  'saga/1.3/characters.json': [...roster(3), { ...character(15), id: 'unit-99', name: 'Secret' }],
};
