import { gameOpenApiRoute, openApiRoute, typesRoute } from '../openapi/routes.ts';
import { costsRoute } from './costs.ts';
import { bulkRoute, fileRoute, snapshotRoute } from './downloads.ts';
import {
  attributesRoute,
  datasetAttributesRoute,
  gamesRoute,
  healthRoute,
  meRoute,
  readyRoute,
} from './games.ts';
import { diffRoute, historyRoute, seriesRoute, timelineRoute } from './history.ts';
import { datasetFacetsRoute, datasetRoute, facetsRoute, rosterRoute } from './lists.ts';
import { readAddressRoute } from './read-address.ts';
import { characterRoute, compareRoute, namesRoute, randomRoute, recordRoute } from './records.ts';
import type { Route } from './route.ts';
import { searchRoute } from './search.ts';
import { addForms } from './tables.ts';

/** All routes of the API. The first match wins: a fixed name must come before a parameter. */
const TABLE: readonly Route[] = [
  gamesRoute, //                               GET /api/games
  searchRoute, //                              GET /api/search
  meRoute, //                                  GET /api/me
  datasetFacetsRoute, //                       GET /api/:game/:dataset/facets
  datasetAttributesRoute, //                   GET /api/:game/:dataset/attributes
  rosterRoute, //                              GET /api/:game/characters
  randomRoute, //                              GET /api/:game/characters/random
  characterRoute, //                           GET /api/:game/characters/:id
  costsRoute, //                               GET /api/:game/characters/:id/costs
  compareRoute, //                             GET /api/:game/compare
  facetsRoute, //                              GET /api/:game/facets
  attributesRoute, //                          GET /api/:game/attributes
  namesRoute, //                               GET /api/:game/names
  historyRoute, //                             GET /api/:game/history
  timelineRoute, //                            GET /api/:game/history/:id
  seriesRoute, //                              GET /api/:game/history/:id/series
  snapshotRoute, //                            GET /api/:game/snapshot/:build
  diffRoute, //                                GET /api/:game/diff
  bulkRoute, //                                GET /api/:game/bulk
  datasetRoute, //                             GET /api/:game/:dataset
  recordRoute, //                              GET /api/:game/:dataset/:id
  readAddressRoute, //                         GET /t/:token/:game/:rows
  fileRoute, //                                GET /files/:game/:file
  openApiRoute, //                             GET /openapi.json
  gameOpenApiRoute, //                         GET /openapi/:game.json
  typesRoute, //                               GET /types/:game.d.ts
  healthRoute, //                              GET /healthz
  readyRoute, //                               GET /readyz
];

/** The route table with the addresses of all row forms. */
export const ROUTES: readonly Route[] = TABLE.flatMap(addForms);
