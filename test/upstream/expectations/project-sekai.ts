import type { ExpectedGame } from './expected-game.ts';

export const projectSekai: ExpectedGame = {
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
  values: [
    { id: '1', path: 'name', value: '[クールだけど友達想い] 星乃一歌' },
    { id: '1', path: 'rarity', value: 1 },
    { id: '1', path: 'attribute', value: 'cool' },
    { id: '1', path: 'stats.performance', value: 2663 },
    { id: '1', path: 'stats.power', value: 7575 },
    { id: '1', path: 'released_at', value: '2019-01-01T06:00:00.000Z' },
    { id: '4', path: 'rarity', value: 4 },
    { id: '4', path: 'stats.performance', value: 11136 },
    { id: '4', path: 'stats.technique', value: 9774 },
    { id: '4', path: 'stats.stamina', value: 10835 },
    { id: '4', path: 'training_bonus.stamina', value: 400 },
    { id: '4', path: 'skill_name', value: '不安を拭い去って' },
  ],
  records: [{ dataset: 'events', id: '3', path: 'name', value: '全力！ワンダーハロウィン！' }],
};
