import { unavailable } from '../http/problem.ts';
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

export const healthRoute: Route = {
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the gateway is alive',
  description: '200 as long as the process runs.',
  needsKey: false,
  parameters: [],
  result: 'Status',
  problems: [],
  handle: () => ({ body: () => ({ json: Buffer.from('{"status":"alive"}') }) }),
};

export const readyRoute: Route = {
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the gateway is ready',
  description:
    '200 while the gateway has data and can serve the keys that it knows: also for 30 seconds after its store last responded. 503 when the store has not responded for longer, refuses writes, or was lost, and while the gateway shuts down.',
  needsKey: false,
  parameters: [],
  result: 'Status',
  problems: ['unavailable'],
  async handle(_request, { checkReadiness }) {
    await checkReadiness();
    return { body: () => ({ json: Buffer.from('{"status":"ready"}') }) };
  },
};
