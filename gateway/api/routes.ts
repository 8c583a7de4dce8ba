import { attributesRoute, datasetAttributesRoute } from '../browse/attributes.ts';
import { datasetFacetsRoute } from '../browse/dataset-facets.ts';
import { namesRoute } from '../browse/names.ts';
import { randomRoute } from '../browse/random.ts';
import { recordRoute } from '../browse/record.ts';
import { withAges } from '../browse/with-ages.ts';
import { addFormats, bulkRoute, serveFormats } from '../bulk/routes.ts';
import { addVia, fileRoute } from '../links/routes.ts';
import { gameOpenApiRoute, openApiRoute, typesRoute } from '../openapi/routes.ts';
import { searchRoute } from '../search/search.ts';
import { seriesRoute } from '../series/series.ts';
import { FORMS } from '../tables/forms.ts';
import { readAddressRoute, readSeriesRoute } from '../tables/read-address.ts';
import { unavailable } from '../http/problem.ts';
import { addForms } from './handle-route.ts';
import { compareRoute } from './compare.ts';
import { datasetRoute, facetsRoute } from './dataset.ts';
import { diffRoute } from './diff.ts';
import { historyRoute } from './history.ts';
import { rosterRoute } from './list-body.ts';
import { meRoute } from './me.ts';
import { characterRoute } from './record-body.ts';
import type { Route } from './route.ts';
import { snapshotRoute } from './snapshot.ts';
import { timelineRoute } from './timeline.ts';

export const gamesRoute: Route = {
  path: '/api/games',
  operationId: 'listGames',
  summary: 'All games',
  description:
    'Every game in slug order, with its current build and the keys of its datasets, and how to attribute the data.',
  needsKey: true,
  parameters: [],
  result: 'Games',
  problems: [],
  handle({ view }) {
    if (view.isPartial) throw unavailable('the list is not complete: a game cannot be read right now');
    return { tag: view.gamesTag, body: () => ({ json: view.gamesJson }) };
  },
};

const healthRoute: Route = {
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the gateway is alive',
  description: '200 as long as the process runs.',
  needsKey: false,
  parameters: [],
  result: 'Status',
  problems: [],
  handle: () => ({ body: () => ({ json: Buffer.from('{"status":"alive"}') }) }),
};

const readyRoute: Route = {
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the gateway is ready',
  description:
    '200 while the gateway has data and can serve the keys that it knows: also for 30 seconds after its store last responded. 503 when the store has not responded for longer, refuses writes, or was lost, and while the gateway shuts down.',
  needsKey: false,
  parameters: [],
  result: 'Status',
  problems: ['unavailable'],
  async handle(_request, { checkReadiness }) {
    await checkReadiness();
    return { body: () => ({ json: Buffer.from('{"status":"ready"}') }) };
  },
};

/** All addresses of the API. Earlier routes win: those with a fixed name are listed before those with a parameter. */
const TABLE: readonly Route[] = [
  withAges(gamesRoute), //                     GET /api/games
  searchRoute, //                              GET /api/search
  meRoute, //                                  GET /api/me
  datasetFacetsRoute, //                       GET /api/:game/:dataset/facets
  datasetAttributesRoute, //                   GET /api/:game/:dataset/attributes
  rosterRoute, //                              GET /api/:game/characters
  randomRoute, //                              GET /api/:game/characters/random
  characterRoute, //                           GET /api/:game/characters/:id
  compareRoute, //                             GET /api/:game/compare
  facetsRoute, //                              GET /api/:game/facets
  attributesRoute, //                          GET /api/:game/attributes
  namesRoute, //                               GET /api/:game/names
  historyRoute, //                             GET /api/:game/history
  timelineRoute, //                            GET /api/:game/history/:id
  seriesRoute, //                              GET /api/:game/history/:id/series
  addFormats(addVia(snapshotRoute)), //        GET /api/:game/snapshot/:build
  diffRoute, //                                GET /api/:game/diff
  bulkRoute, //                                GET /api/:game/bulk
  datasetRoute, //                             GET /api/:game/:dataset
  recordRoute, //                              GET /api/:game/:dataset/:id
  readAddressRoute, //                         GET /t/:token/:game/:rows
  readSeriesRoute, //                          GET /t/:token/:game/history/:id/:rows
  serveFormats(fileRoute), //                  GET /files/:game/:file
  openApiRoute, //                             GET /openapi.json
  gameOpenApiRoute, //                         GET /openapi/:game.json
  typesRoute, //                               GET /types/:game.d.ts
  healthRoute, //                              GET /healthz
  readyRoute, //                               GET /readyz
];

/** The route table, with the addresses of rows in each form. */
export const ROUTES: readonly Route[] = TABLE.flatMap((route) => addForms(route, FORMS));
