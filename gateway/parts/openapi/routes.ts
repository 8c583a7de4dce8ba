import { lazy } from '../../../scripts/core/lib/lazy.ts';
import { findGame, type Route, type RouteChange } from '../../core/api/routes/route.ts';
import { andThen } from '../../core/lib/work.ts';

const documents = lazy(() => import('./documents.ts'));

const openApiRoute: Route = {
  path: '/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  description: 'The OpenAPI 3.1 description of the API.',
  needsKey: false,
  parameters: [],
  result: 'OpenApi',
  problems: ['unread-responses', 'unavailable'],
  handle: (_request, { routes }) =>
    andThen(documents(), ({ documentOf }) => {
      const { json, sha256 } = documentOf(routes);
      return { tag: sha256, body: () => ({ json }) };
    }),
};

const gameOpenApiRoute: Route = {
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
  handle(request, { routes }) {
    const game = findGame(request);
    const datasets = [...game.datasets.values()].map(({ key, tag }) => `${key} ${tag}`);
    return {
      tag: [game.title, game.tag, game.dictionary.tag, ...datasets].join(' '),
      build: game.build,
      async body() {
        const { documentOfGame } = await documents();
        return { json: await documentOfGame(game, routes) };
      },
    };
  },
};

/** The routes of the documents. */
export const ROUTES: readonly RouteChange[] = [
  { at: 'getHealth', replace: (route) => [openApiRoute, gameOpenApiRoute, route] },
];
