import type { Route } from '../api/route.ts';
import { findAttributeRoutes, findGamesRoute } from './find-routes.ts';
import type { ToolRequest } from './tool.ts';

/** The media type of all resources. */
export const JSON_TYPE = 'application/json';
const GAMES = 'gamedata://games';
const ATTRIBUTES = /^gamedata:\/\/games\/([a-z0-9-]{1,64})\/([a-z0-9_]{1,64})\/attributes$/;

/** The resources that every client sees without a request of the API. */
export const RESOURCES = [
  {
    uri: GAMES,
    name: 'games',
    title: 'All games',
    description: 'The games with their current builds and the keys of their datasets.',
    mimeType: JSON_TYPE,
  },
];

/** The resources of one game. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'gamedata://games/{game}/{collection}/attributes',
    name: 'attributes',
    title: 'The attributes of a collection',
    description:
      'What the attributes of `characters`, or of a dataset by its key, mean, with their types and values.',
    mimeType: JSON_TYPE,
  },
];

/** Returns the request that reads a resource; undefined if there is none with this address. @param routes the route table */
export function findResource(uri: string, routes: readonly Route[]): ToolRequest | undefined {
  if (uri === GAMES) return { route: findGamesRoute(routes) };
  const attributes = findAttributeRoutes(routes);
  const [, game, collection] = ATTRIBUTES.exec(uri) ?? [];
  if (attributes === undefined || game === undefined || collection === undefined) return undefined;
  return collection === 'characters'
    ? { route: attributes.ofCharacters, params: { game } }
    : { route: attributes.ofDataset, params: { game, dataset: collection } };
}
