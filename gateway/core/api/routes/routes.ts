import { addForms } from '../handle-route.ts';
import { ROUTE_CHANGES, ROW_FORMS } from '../ports.ts';
import { characterRoute } from './character.ts';
import { compareRoute } from './compare.ts';
import { datasetRoute, facetsRoute } from './dataset.ts';
import { diffRoute } from './diff.ts';
import { gamesRoute } from './games.ts';
import { healthRoute, readyRoute } from './health.ts';
import { historyRoute } from './history.ts';
import { rosterRoute } from './list-body.ts';
import { meRoute } from './me.ts';
import type { Route, RouteChange } from './route.ts';
import { snapshotRoute } from './snapshot.ts';
import { timelineRoute } from './timeline.ts';

/** The routes of the core: every address except the pages and endpoints. Earlier routes win: those with a fixed name are listed before `:dataset`. */
const CORE_ROUTES: readonly Route[] = [
  gamesRoute, //      GET /api/games
  meRoute, //         GET /api/me
  rosterRoute, //     GET /api/:game/characters
  characterRoute, //  GET /api/:game/characters/:id
  compareRoute, //    GET /api/:game/compare
  facetsRoute, //     GET /api/:game/facets
  historyRoute, //    GET /api/:game/history
  timelineRoute, //   GET /api/:game/history/:id
  snapshotRoute, //   GET /api/:game/snapshot/:build
  diffRoute, //       GET /api/:game/diff
  datasetRoute, //    GET /api/:game/:dataset
  healthRoute, //     GET /healthz
  readyRoute, //      GET /readyz
];

/** Loads the route table: the routes of the core and of the parts, and the addresses of rows in each form. */
export async function loadRoutes(): Promise<readonly Route[]> {
  const [changes, forms = []] = await Promise.all([ROUTE_CHANGES.load(), ROW_FORMS.load()]);
  return changes
    .flat()
    .reduce(applyChange, CORE_ROUTES)
    .flatMap((route) => addForms(route, forms));
}

function applyChange(routes: readonly Route[], { at, isOptional, replace }: RouteChange): readonly Route[] {
  if (!isOptional && !routes.some(({ operationId }) => operationId === at))
    throw new Error(`no route has the id ${at}`);
  return routes.flatMap((route) => (route.operationId === at ? replace(route) : route));
}
