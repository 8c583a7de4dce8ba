import type { ExpectedGame } from './expected-game.ts';

export const honkaiStarRail: ExpectedGame = {
  folder: 'honkai-star-rail',
  builds: [
    {
      build: '2026-04-22',
      folders: ['2026-04-22'],
      released_at: '2026-04-22T03:21:21Z',
      characters: 91,
    },
    {
      build: '2026-06-01',
      folders: ['2026-06-01'],
      released_at: '2026-06-01T06:57:32Z',
      characters: 92,
    },
    {
      build: '2026-07-15',
      folders: ['2026-07-15'],
      released_at: '2026-07-15T10:06:37Z',
      characters: 95,
      overrides: [
        {
          check: 'names-changed',
          of: 'characters.name_fr',
          reason: "Upstream dropped the article of the protagonist's name.",
        },
        {
          check: 'language-copied',
          of: 'light_cones.name_id',
          reason: 'The Indonesian version has the English names of light cones.',
        },
      ],
    },
  ],
  datasets: { light_cones: 165 },
  values: [
    { id: '1001', path: 'name', value: 'March 7th' },
    { id: '1001', path: 'name_ja', value: '三月なのか' },
    { id: '1001', path: 'name_ko', value: 'Mar.\u00a07th' },
    { id: '1001', path: 'name_de', value: '7. März' },
    { id: '1001', path: 'rarity', value: 4 },
    { id: '1001', path: 'element', value: 'Ice' },
    { id: '1001', path: 'path', value: 'Preservation' },
    { id: '1001', path: 'stats.hp', value: 1058 },
    { id: '1001', path: 'stats.atk', value: 511 },
    { id: '1001', path: 'stats.def', value: 573 },
    { id: '1001', path: 'stats.spd', value: 101 },
    { id: '1001', path: 'stats.taunt', value: 150 },
    { id: '1102', path: 'name_ko', value: '제레' },
    { id: '1102', path: 'path', value: 'The Hunt' },
    { id: '1102', path: 'stats.hp', value: 931 },
    { id: '1102', path: 'stats.atk', value: 640 },
    { id: '1102', path: 'stats.def', value: 363 },
    { id: '8002', path: 'name_fr', value: 'Pionnière' },
    { id: '8002', path: 'name_de', value: 'Trailblazerin' },
    { id: '8001', path: 'name_fr', value: 'Pionnier' },
    { id: '8002', path: 'growth.atk', value: 4.224 },
  ],
  records: [
    { dataset: 'light_cones', id: '23001', path: 'name', value: 'In the Night' },
    { dataset: 'light_cones', id: '23001', path: 'name_ja', value: '夜の帳の中で' },
    { dataset: 'light_cones', id: '23001', path: 'path', value: 'The Hunt' },
    { dataset: 'light_cones', id: '23001', path: 'stats.hp', value: 1058 },
    { dataset: 'light_cones', id: '23001', path: 'stats.atk', value: 582 },
    { dataset: 'light_cones', id: '23001', path: 'stats.def', value: 463 },
  ],
};
