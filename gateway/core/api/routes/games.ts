import { unavailable } from '../../http/problem.ts';
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
    if (view.isPartial) throw unavailable('the list is not complete: a game cannot be read right now');
    return { tag: view.gamesTag, body: () => ({ json: view.gamesJson }) };
  },
};
