import type { BuildEntry } from '../../scripts/dist-format.ts';
import { findBuild } from './find-build.ts';
import { findGame, type Route } from './route.ts';

const LATEST = 'latest';

export const snapshotRoute: Route = {
  path: '/api/:game/snapshot/:build',
  operationId: 'getSnapshot',
  summary: 'A build whole',
  description:
    'The complete archive of a build: every full record and every dataset but the generated ones; `latest` is the newest build. A download: ' +
    'with `Range` and `If-Range` an interrupted one is resumed, and `Repr-Digest` is the SHA-256 of the bytes as sent, coding included.',
  needsKey: true,
  isPro: true,
  isFile: true,
  parameters: [],
  answer: 'Snapshot',
  problems: ['unknown-game', 'unknown-build', 'range-not-satisfiable'],
  handle(request, { archive }) {
    const game = findGame(request);
    const name = request.params.build ?? '';
    const entry = name === LATEST ? (game.builds.at(-1) as BuildEntry) : findBuild(game, name, [LATEST]);
    const { build, snapshot } = entry;
    return {
      build,
      filename: `${game.slug}-${build}.json`,
      files: { identity: snapshot, gzip: snapshot.gzip, br: snapshot.brotli },
      open: archive.open,
    };
  },
};
