import type { BuildEntry } from '../../../scripts/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import { ParameterError } from '../../lib/parameter-error.ts';
import type { RawQuery } from '../../lib/raw-query.ts';
import { quote } from '../../lib/suggest.ts';
import type { FileResult } from '../../wire/send-file.ts';
import { findBuild } from './find-build.ts';
import { findGame, type Route, type Services } from './route.ts';

const LINK = 'link';

export const snapshotRoute: Route = {
  path: '/api/:game/snapshot/:build',
  operationId: 'getSnapshot',
  summary: 'A build whole',
  description:
    'The complete archive of a build: every full record and every dataset except the generated ones; `latest` is the newest build. ' +
    '`Range` and `If-Range` resume an interrupted download, and `Repr-Digest` is the SHA-256 of the bytes as sent, coding included. With ' +
    '`via=link` the response is a signed address of the download instead.',
  needsKey: true,
  isPro: true,
  isFile: true,
  parameters: [
    {
      name: 'via',
      description:
        '`link`: respond with an address that needs no key and expires in ten minutes, for another program to download from. It may lead to ' +
        'another host: do not send the key there.',
      schema: { enum: [LINK] },
    },
  ],
  result: 'SnapshotOrLink',
  problems: ['unknown-game', 'unknown-build', 'range-not-satisfiable'],
  handle(request, services) {
    const viaLink = readVia(request.query);
    const game = findGame(request);
    const entry = findBuild(game, request.params.build ?? '');
    if (!viaLink) return snapshotFile(game, entry, services);
    const { bytes, sha256, file } = entry.snapshot;
    return {
      build: entry.build,
      async body() {
        const link = await services.links.issue(file);
        return { json: Buffer.from(JSON.stringify({ ...link, bytes, sha256 })) };
      },
    };
  },
};

/** Returns the download of a build in every coding. */
export function snapshotFile(
  { slug }: GameBuild,
  { build, snapshot }: BuildEntry,
  { archive }: Services,
): FileResult {
  return {
    build,
    filename: `${slug}-${build}.json`,
    files: { identity: snapshot, gzip: snapshot.gzip, br: snapshot.brotli },
    open: archive.open,
  };
}

function readVia(query: RawQuery): boolean {
  const wrong = query.find(([, value]) => value !== LINK);
  if (wrong) throw new ParameterError('via', `via is ${quote(wrong[1])}, expected ${LINK}`);
  return query.length > 0;
}
