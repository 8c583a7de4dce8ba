import { characterRoute } from './character.ts';
import { compareRoute } from './compare.ts';
import { datasetRoute, facetsRoute } from './dataset.ts';
import { gamesRoute } from './games.ts';
import { meRoute } from './me.ts';
import { rosterRoute } from './roster.ts';
import type { Route } from './route.ts';
import { healthRoute, openApiRoute, readyRoute } from './service.ts';

/**
 * The route table: everything that the gateway answers, but for its few pages. Earlier routes win: what has a name of its own stands
 * before `:dataset`.
 */
export const ROUTES: readonly Route[] = [
  gamesRoute, //      GET /api/games
  meRoute, //         GET /api/me
  rosterRoute, //     GET /api/:game/characters
  characterRoute, //  GET /api/:game/characters/:id
  compareRoute, //    GET /api/:game/compare
  facetsRoute, //     GET /api/:game/facets
  datasetRoute, //    GET /api/:game/:dataset
  openApiRoute, //    GET /openapi.json
  healthRoute, //     GET /healthz
  readyRoute, //      GET /readyz
];
