import { hash } from 'node:crypto';
import { parseRecord } from '../../scripts/format/dist-format.ts';
import { readVersion } from '../../scripts/system.ts';
import { printTypes } from '../../scripts/types/types.ts';
import { type Route, route } from '../api/route.ts';
import { findGame } from '../data/catalog.ts';
import type { GameBuild } from '../data/game-build.ts';
import type { Body } from '../http/respond.ts';
import { describeGame } from './game-openapi.ts';
import { describeApi } from './openapi.ts';

/** The document of all games, once it was asked for. */
let document: (Body & { tag: string }) | undefined;

function describeAll(routes: readonly Route[]): Body & { tag: string } {
  const text = JSON.stringify(describeApi(routes, readVersion()));
  return { json: Buffer.from(text), tag: hash('sha256', text) };
}

async function describe(game: GameBuild, routes: readonly Route[]): Promise<Body> {
  return { json: Buffer.from(JSON.stringify(await describeGame(game, routes, readVersion()))) };
}

function typesOf({ slug, title, build, ...game }: GameBuild): Body {
  const types = printTypes({
    ...{ slug, title, build, language: game.languages.own },
    roster: game.roster.records.map(parseRecord),
    datasets: [...game.datasets.values()],
    attributesOf: (collection) => game.dictionary.of(collection),
  });
  return { json: Buffer.from(types) };
}

/** Returns a tag that changes with the description of a game, without making the description. */
function tagOfGame({ title, tag, dictionary, datasets }: GameBuild): string {
  const lists = [...datasets.values()].map((dataset) => `${dataset.key} ${dataset.tag}`);
  return [title, tag, dictionary.tag, ...lists].join(' ');
}

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
  handle(request) {
    const game = findGame(request);
    const type = 'application/typescript; charset=utf-8';
    return { tag: tagOfGame(game), type, build: game.build, body: () => typesOf(game) };
  },
});
