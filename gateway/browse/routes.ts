import { seriesRoute } from '../series/series.ts';
import type { RouteChange } from '../api/route.ts';
import { attributesRoute, datasetAttributesRoute } from './attributes.ts';
import { datasetFacetsRoute } from './dataset-facets.ts';
import { namesRoute } from './names.ts';
import { randomRoute } from './random.ts';
import { recordRoute } from './record.ts';
import { withAges } from './with-ages.ts';

/** The routes of this part. */
export const ROUTES: readonly RouteChange[] = [
  {
    at: 'listCharacters', // GET /api/:game/characters
    replace: (route) => [
      datasetFacetsRoute, //     GET /api/:game/:dataset/facets
      datasetAttributesRoute, // GET /api/:game/:dataset/attributes
      route,
      randomRoute, //            GET /api/:game/characters/random
    ],
  },
  {
    at: 'listFacets', // GET /api/:game/facets
    replace: (route) => [
      route,
      attributesRoute, // GET /api/:game/attributes
      namesRoute, //      GET /api/:game/names
    ],
  },
  {
    at: 'getDataset', // GET /api/:game/:dataset
    replace: (route) => [
      route,
      recordRoute, // GET /api/:game/:dataset/:id
    ],
  },
  {
    at: 'getTimeline', // GET /api/:game/history/:id
    replace: (route) => [
      route,
      seriesRoute, // GET /api/:game/history/:id/series
    ],
  },
  {
    at: 'listGames', // GET /api/games
    replace: (route) => [withAges(route)],
  },
];
