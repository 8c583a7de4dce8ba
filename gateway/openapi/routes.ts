import { hash } from 'node:crypto';
import { parseRecord } from '../../scripts/format/dist-format.ts';
import { readVersion } from '../../scripts/system.ts';
import { printTypes } from '../../scripts/types/types.ts';
import { type Route, route } from '../api/route.ts';
import { findGame } from '../data/catalog.ts';
import { type GameBuild, tagOfGame } from '../data/game-build.ts';
import { once } from '../site/format.ts';
import { describeGame } from './game-openapi.ts';
import { describeApi } from './openapi.ts';

/** Makes the documents of all routes; each is made once, because they need no key, and one can take half a second. */
const documentsOf = once((routes: readonly Route[]) => {
  const text = JSON.stringify(describeApi(routes, readVersion()));
  const describe = once(async (game: GameBuild) => ({
    json: Buffer.from(JSON.stringify(await describeGame(game, routes, readVersion()))),
  }));
  return { json: Buffer.from(text), tag: hash('sha256', text), describe };
});

const typesOf = once(({ slug, title, build, ...game }: GameBuild) => {
  const types = printTypes({
    slug,
    title,
    build,
    language: game.languages.own,
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
    const { json, tag } = documentsOf(routes);
    return { tag, body: () => ({ json }) };
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
    const { tag, describe } = documentsOf(routes);
    return { tag: `${tag} ${tagOfGame(game)}`, build: game.build, body: () => describe(game) };
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
    const tag = `${documentsOf(routes).tag} ${tagOfGame(game)}`;
    return { tag, type, build: game.build, body: () => typesOf(game) };
  },
});
