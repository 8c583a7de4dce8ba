import type { Files } from './fixtures.ts';
import { NOON } from './harness.ts';

/** An hour before the gateways of tests start: free keys do not see it yet. */
const RECENT = new Date(NOON - 3_600_000).toISOString();

const CHARACTERS = [
  {
    id: 'ann',
    name: 'Ann',
    name_ja: 'アン',
    element: 'fire',
    rarity: 5,
    stats: { atk: 10.5, hp: 7 },
    limited: true,
    tags: ['a', 'b'],
    skills: [
      { id: 's1', name: 'Cut', cost: 1 },
      { id: 's2', name: 'Run' },
    ],
  },
  { id: 'bob', name: 'Bob', element: 'ice', rarity: 4, stats: { atk: 3, hp: 8 }, skills: [] },
];

/** A game with all types of attributes, and builds that only Pro keys see. */
export const TYPED_GAMES: Files = {
  'saga/game.json': {
    title: 'Saga',
    language: 'en',
    attributes: {
      '*': { '*': { description: 'An attribute' }, '*.*': { description: 'An attribute inside another' } },
      characters: {
        element: {
          label: 'Element',
          description: 'What it is made of',
          values: { fire: 'Fire', ice: 'Ice', air: 'Air' },
        },
        'stats.atk': { description: 'The attack.', unit: 'points', level: 'level 90' },
      },
      timeline: { who: { description: 'Who did it', ref: 'characters' } },
    },
  },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': CHARACTERS,
  'saga/1.0/pull_planner.json': { currency: 'jade', cost: 160 },
  'saga/1.0/timeline.json': [
    { id: 't1', who: 'ann', year: 3 },
    { id: 't2', who: 'bob', year: 4 },
  ],
  'saga/1.0/events.json': [],
  'saga/1.0/costs.csv': 'level,cost\n2,100\n1,50\n',
  'saga/1.1/build.json': { released_at: RECENT },
  'saga/1.1/characters.json': [
    ...CHARACTERS,
    { id: 'secret', name: 'Secret', element: 'air', rarity: 5, whisper: 'psst', skills: [] },
  ],
  'young/game.json': { title: 'Young' },
  'young/1/build.json': { released_at: RECENT },
  'young/1/characters.csv': 'id,name\nx,X\n',
  'young/1/pull_planner.json': { currency: 'coins' },
};
