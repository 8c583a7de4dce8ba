import { lazy } from '../../scripts/lib/lazy.ts';
import { findGame, type Route } from '../api/route.ts';
import type { GameBuild } from '../data/game-build.ts';
import { andThen } from '../http/work.ts';

const documents = lazy(() => import('./documents.ts'));

/** Identifies what is described of a game. */
function tagOfGame({ title, tag, dictionary, datasets }: GameBuild): string {
  const lists = [...datasets.values()].map((dataset) => `${dataset.key} ${dataset.tag}`);
  return [title, tag, dictionary.tag, ...lists].join(' ');
}

export const openApiRoute: Route = {
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
  handle(request, { routes }) {
    const game = findGame(request);
    return {
      tag: tagOfGame(game),
      build: game.build,
      async body() {
        const { documentOfGame } = await documents();
        return { json: await documentOfGame(game, routes) };
      },
    };
  },
};

export const typesRoute: Route = {
  ...gameOpenApiRoute,
  path: '/types/:game.d.ts',
  operationId: 'getGameTypes',
  summary: 'The types of one game',
  description:
    'The types of the records of one game as TypeScript, for the package game-data-read-api-client. They describe the build that free keys see.',
  result: 'TypeScript',
  form: {
    ...{ name: 'd.ts', type: 'application/typescript', schema: 'TypeScript' },
    addressOf: (route) => route,
    respond: (route, request, services) => route.handle(request, services),
  },
  handle(request, { routes }) {
    const game = findGame(request);
    return {
      tag: tagOfGame(game),
      type: 'application/typescript; charset=utf-8',
      build: game.build,
      async body() {
        const { typesOfGame } = await documents();
        return { json: await typesOfGame(game, routes) };
      },
    };
  },
};
