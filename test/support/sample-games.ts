import type { Files } from './fixtures.ts';

/** Builds here share no characters, so that each response shows which build it is from. */
const OTHER_CHARACTERS = [{ check: 'records-lost', reason: 'Every build has characters of its own.' }];

/** Two small games without a mapping, with everything that a roster can have. */
export const SAMPLE_GAMES: Files = {
  'star-rail/game.json': { title: 'Star Rail' },
  'star-rail/1.0/build.json': { released_at: '2026-01-01' },
  'star-rail/1.0/characters.json': [{ id: 'old', name: 'Old' }],
  'star-rail/1.0/pull_planner.json': { currency: 'jade', cost: 160 },
  'star-rail/1.1/build.json': { released_at: '2026-02-01', note: 'three more', overrides: OTHER_CHARACTERS },
  'star-rail/1.1/characters.json': [
    {
      id: 'unit-10',
      name: 'Hu Tao',
      name_ja: '胡桃',
      name_ko: '호두',
      rarity: 5,
      element: 'Pyro',
      stats: { atk: 120, hp: 15 },
      tags: ['dps'],
      skills: [{ id: 's1' }],
    },
    {
      id: 'unit-2',
      name: 'Élan',
      name_ja: 'ガンマ',
      rarity: 5,
      element: 'Hydro',
      stats: { atk: 90.5, hp: 20 },
      tags: ['heal', 'dps'],
      limited: true,
    },
    { id: 'unit-1', name: 'Arle', name_ko: '아르', rarity: 4, element: 'Pyro', stats: { atk: 90.5 } },
    { id: 'constructor', name: 'Proto', rarity: 4, toString: 'x', attack: 'magic' },
  ],
  'star-rail/1.1/banners.json': [
    { id: 'b2', name: 'Second', starts_at: '2026-02-03', unit: 'unit-2', pulls: 80 },
    { id: 'b10', name: 'Tenth', starts_at: '2026-02-01', unit: 'unit-10', pulls: 90 },
  ],
  'star-rail/1.1/level_costs.csv': 'level,cost\n2,100\n1,50\n10,900\n',
  'star-rail/1.1/events.json': [],
  'star-rail/1.2/build.json': { released_at: '2026-07-01', note: 'embargoed', overrides: OTHER_CHARACTERS },
  'star-rail/1.2/characters.json': [{ id: 'secret', name: 'Secret' }],
  'tiny-game/game.json': { title: 'Tiny' },
  'tiny-game/1/build.json': { released_at: '2026-03-01T00:00:00+09:00' },
  'tiny-game/1/characters.csv': 'id,name,stats.atk,code\n1,Only,5,007\n',
  'tiny-game/1/pull_planner.json': { currency: 'coins' },
  'unborn/game.json': { title: 'Unborn' },
  'unborn/1/build.json': { released_at: '2026-08-01' },
  'unborn/1/characters.csv': 'id,name\nx,X\n',
  'unborn/1/pull_planner.json': { currency: 'coins' },
};
