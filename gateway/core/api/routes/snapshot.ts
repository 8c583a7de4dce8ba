import { downloadSnapshot } from './download.ts';
import { findBuild } from './find-build.ts';
import { findGame, type Route } from './route.ts';

export const snapshotRoute: Route = {
  path: '/api/:game/snapshot/:build',
  operationId: 'getSnapshot',
  summary: 'A build whole',
  description:
    'The complete archive of a build: every full record and every dataset except the generated ones; `latest` is the newest build. ' +
    '`Range` and `If-Range` resume an interrupted download, and `Repr-Digest` is the SHA-256 of the bytes as sent, coding included.',
  needsKey: true,
  isPro: true,
  isFile: true,
  parameters: [],
  result: 'Snapshot',
  problems: ['unknown-game', 'unknown-build', 'not-found', 'range-not-satisfiable'],
  handle(request, services) {
    const game = findGame(request);
    const entry = findBuild(request.view, game, request.params.build ?? '');
    return downloadSnapshot(game, entry, services);
  },
};
