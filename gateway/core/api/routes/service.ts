import { createHash } from 'node:crypto';
import { findGame, type Route } from './route.ts';

export const openApiRoute: Route = {
  path: '/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  description: 'The OpenAPI 3.1 description of the API.',
  needsKey: false,
  parameters: [],
  result: 'OpenApi',
  problems: ['unread-responses', 'unavailable'],
  handle(_request, { openApi }) {
    return { tag: createHash('sha256').update(openApi).digest('hex'), body: () => ({ json: openApi }) };
  },
};

export const gameOpenApiRoute: Route = {
  path: '/openapi/:game.json',
  operationId: 'getGameOpenApi',
  summary: 'The description of one game',
  description:
    'The OpenAPI 3.1 description of one game, to generate clients from: typed records, datasets by name, and a parameter for each filter. It describes ' +
    'the build that free keys see.',
  needsKey: false,
  parameters: [],
  result: 'OpenApi',
  problems: ['unknown-game', 'unread-responses', 'unavailable'],
  handle(request, { openApiOf }) {
    const game = findGame(request);
    const datasets = [...game.datasets.values()].map(({ key, tag }) => `${key} ${tag}`);
    return {
      tag: [game.title, game.tag, game.dictionary.tag, ...datasets].join(' '),
      build: game.build,
      body: async () => ({ json: await openApiOf(game) }),
    };
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
  async handle(_request, { readiness }) {
    await readiness.check();
    return { body: () => ({ json: Buffer.from('{"status":"ready"}') }) };
  },
};
