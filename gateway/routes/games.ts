import { type Route, rejectParameters } from './route.ts';

export const gamesRoute: Route = {
  path: '/api/games',
  operationId: 'listGames',
  summary: 'All games',
  description:
    'Every game in slug order, with its current build and the keys of its datasets; how to attribute the data.',
  access: 'key',
  parameters: [],
  answer: 'Games',
  problems: ['invalid-parameter'],
  handle({ query, view }) {
    rejectParameters(query);
    return { tag: view.gamesTag, body: () => ({ json: view.gamesJson }) };
  },
};
