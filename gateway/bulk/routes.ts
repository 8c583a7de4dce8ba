import { lazy } from '../../scripts/lib/lazy.ts';
import { findGame, type Route } from '../api/route.ts';
import { findBuild } from '../api/snapshot.ts';
import { andThen } from '../http/work.ts';
import { findFile, linkTo, readVia } from '../links/shared/file-route.ts';
import { CHOICE, DOWNLOAD_TYPES, findChoice, readChoice, refOf } from './choice.ts';
import { downloadOf, fileOf } from './download.ts';

const bulk = lazy(() => import('./bulk.ts'));

export const bulkRoute: Route = {
  path: '/api/:game/bulk',
  operationId: 'getBulk',
  summary: 'The newest build whole',
  description:
    'The newest build that the key may see: all full records and all datasets except the generated ones. A free account may download one in a UTC day, of any game and format; the ' +
    'second is a 429 with the policy `bulk`. Free accounts on one network may download four at once, and one more every six hours; then the policy is `bulk-network`. Every 200 and 206 counts, also those for HEAD; a 304 does not. `snapshot` has all builds, for Pro.',
  needsKey: true,
  isPersonal: true,
  isFile: true,
  parameters: CHOICE,
  result: 'Snapshot',
  alternatives: DOWNLOAD_TYPES,
  problems: ['unknown-game', 'not-found', 'range-not-satisfiable'],
  handle: (request, services) =>
    andThen(bulk(), ({ respondWithBuild }) => respondWithBuild(request, services)),
};

/** Returns the route of snapshots, in all formats. */
export function addFormats(route: Route): Route {
  return {
    ...route,
    parameters: [...route.parameters, ...CHOICE],
    alternatives: DOWNLOAD_TYPES,
    handle(request, services) {
      const viaLink = readVia(request.query);
      const choice = readChoice(request.query);
      const game = findGame(request);
      const entry = findBuild(request.view, game, request.params.build ?? '');
      return viaLink
        ? linkTo(entry.build, refOf(game.slug, entry, choice), services)
        : downloadOf(game, entry, choice, services);
    },
  };
}

/** Returns the route of signed addresses, of files in all formats. */
export function serveFormats(route: Route): Route {
  return {
    ...route,
    alternatives: DOWNLOAD_TYPES,
    handle: (request, services) =>
      findFile(request, services, (game, entry, file) => {
        const choice = findChoice(entry, file);
        return choice && fileOf(game, entry, choice, services);
      }),
  };
}
