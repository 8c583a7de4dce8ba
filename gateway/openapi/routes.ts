import { hash } from 'node:crypto';
import { parseRecord } from '../../scripts/format/dist-format.ts';
import { readVersion } from '../../scripts/system.ts';
import { type Route, route } from '../api/route.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';

/** A document with its tag. */
interface Served {
  json: Buffer;
  tag: string;
}

/** Caches a document for each build of a game, or for a table of routes. */
function cached<K extends object>(make: (key: K, routes: readonly Route[]) => Promise<string>) {
  const made = new WeakMap<K, Promise<Served>>();
  return (key: K, routes: readonly Route[]): Promise<Served> => {
    const served =
      made.get(key) ??
      make(key, routes).then((text) => ({ json: Buffer.from(text), tag: hash('sha256', text) }));
    made.set(key, served);
    return served;
  };
}

const documentOf = cached(async (routes: readonly Route[]) => {
  const { describeApi } = await import('./openapi.ts');
  return JSON.stringify(describeApi(routes, readVersion()));
});

const documentOfGame = cached(async (game: GameBuild, routes) => {
  const { describeGame } = await import('./game-openapi.ts');
  return JSON.stringify(await describeGame(game, routes, readVersion()));
});

const typesOfGame = cached(async (game: GameBuild) => {
  const { printTypes } = await import('../../scripts/types/types.ts');
  const { slug, title, build, languages } = game;
  const datasets = [...game.datasets.values()].map((dataset) => {
    return { key: dataset.key, kind: dataset.kind, attributes: game.dictionary.of(dataset.key) };
  });
  const roster = game.roster.records.map(parseRecord);
  const characters = game.dictionary.of(CHARACTERS);
  return printTypes({ slug, title, language: languages.own, build, characters, datasets, roster });
});

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
  async handle(_request, { routes }) {
    const { json, tag } = await documentOf(routes, routes);
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
    return { tag: tagOfGame(game), build: game.build, body: () => documentOfGame(game, routes) };
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
    return { tag: tagOfGame(game), type, build: game.build, body: () => typesOfGame(game, routes) };
  },
});
