import type { Route } from './route.ts';

export const gamesRoute: Route = {
  path: '/api/games',
  operationId: 'listGames',
  summary: 'All games',
  description:
    'Every game in slug order, with its current build and the keys of its datasets, and how to attribute the data.',
  needsKey: true,
  parameters: [],
  result: 'Games',
  problems: [],
  handle({ view }) {
    return { tag: view.gamesTag, body: () => ({ json: view.gamesJson }) };
  },
};
