import { hash } from 'node:crypto';
import { parseRecord } from '../../scripts/format/dist-format.ts';
import { readVersion } from '../../scripts/system.ts';
import { printTypes } from '../../scripts/types/types.ts';
import { type Route, route } from '../api/route.ts';
import { findGame } from '../data/catalog.ts';
import { type GameBuild, tagOfGame } from '../data/game-build.ts';
import type { Body } from '../http/respond.ts';
import { describeGame } from './game-openapi.ts';
import { describeApi } from './openapi.ts';

/** The document of all games, once it was asked for. */
let document: (Body & { tag: string }) | undefined;

function describeAll(routes: readonly Route[]): Body & { tag: string } {
  const text = JSON.stringify(describeApi(routes, readVersion()));
  return { json: Buffer.from(text), tag: hash('sha256', text) };
}

/** Makes a document once for each build of a game: these need no key, and one can take half a second. */
function once(make: (game: GameBuild, routes: readonly Route[]) => Promise<Body>): typeof make {
  const made = new WeakMap<GameBuild, Promise<Body>>();
  return (game, routes) => {
    const body = made.get(game) ?? make(game, routes);
    made.set(game, body);
    return body;
  };
}

const describe = once(async (game, routes) => ({
  json: Buffer.from(JSON.stringify(await describeGame(game, routes, readVersion()))),
}));

const typesOf = once(async ({ slug, title, build, ...game }) => {
  const types = printTypes({
    ...{ slug, title, build, language: game.languages.own },
    roster: game.roster.records.map(parseRecord),
    datasets: [...game.datasets.values()],
    attributesOf: (collection) => game.dictionary.of(collection),
  });
  return { json: Buffer.from(types) };
});

export const openApiRoute = route({
  path: '/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  result: 'OpenApi',
  problems: ['unavailable'],
  handle(_request, { routes }) {
    const made = document ?? describeAll(routes);
    document = made;
    return { tag: made.tag, body: () => made };
  },
});

export const gameOpenApiRoute = route({
  path: '/openapi/:game.json',
  operationId: 'getGameOpenApi',
  summary: 'The description of one game, to generate clients from',
  result: 'OpenApi',
  problems: ['unavailable'],
  handle(request, { routes }) {
    const game = findGame(request);
    return { tag: tagOfGame(game), build: game.build, body: () => describe(game, routes) };
  },
});

export const typesRoute = route({
  ...gameOpenApiRoute,
  path: '/types/:game.d.ts',
  operationId: 'getGameTypes',
  summary: 'The types of one game',
  result: 'TypeScript',
  form: { name: 'd.ts', type: 'application/typescript', schema: 'TypeScript' },
  handle(request, { routes }) {
    const game = findGame(request);
    const type = 'application/typescript; charset=utf-8';
    return { tag: tagOfGame(game), type, build: game.build, body: () => typesOf(game, routes) };
  },
});
