import { unavailable } from '../http/problem.ts';
import { addForms } from './handle-route.ts';
import { ROUTE_CHANGES, ROW_FORMS } from './ports.ts';
import { compareRoute } from './compare.ts';
import { datasetRoute, facetsRoute } from './dataset.ts';
import { diffRoute } from './diff.ts';
import { historyRoute } from './history.ts';
import { rosterRoute } from './list-body.ts';
import { meRoute } from './me.ts';
import { characterRoute } from './record-body.ts';
import type { Route, RouteChange } from './route.ts';
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

export const healthRoute: Route = {
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

export const readyRoute: Route = {
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
