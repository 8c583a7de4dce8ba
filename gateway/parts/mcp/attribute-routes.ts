import type { Route } from '../../core/api/routes/route.ts';

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
