import type { Route } from '../api/route.ts';
import { gamesRoute } from '../api/routes.ts';

/** Finds the list of games in a route table: as the core or another part has it. */
export function findGamesRoute(routes: readonly Route[]): Route {
  return routes.find(({ operationId }) => operationId === gamesRoute.operationId) ?? gamesRoute;
}

/** The routes of what attributes mean. */
export interface AttributeRoutes {
  ofCharacters: Route;
  ofDataset: Route;
}

/** Finds these routes in a route table; undefined in that of a gateway without the part that has them. */
export function findAttributeRoutes(routes: readonly Route[]): AttributeRoutes | undefined {
  const find = (id: string) => routes.find(({ operationId }) => operationId === id);
  const [ofCharacters, ofDataset] = [find('listAttributes'), find('listDatasetAttributes')];
  return ofCharacters && ofDataset && { ofCharacters, ofDataset };
}
