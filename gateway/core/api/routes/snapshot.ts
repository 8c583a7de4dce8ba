import { ParameterError } from '../../lib/parameter-error.ts';
import type { RawQuery } from '../../lib/raw-query.ts';
import { quote } from '../../lib/suggest.ts';
import { CHOICE, DOWNLOAD_TYPES, downloadOf, readChoice, refOf } from '../../../parts/bulk/download.ts';
import { findBuild } from './find-build.ts';
import { findGame, type Route } from './route.ts';

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
    ...CHOICE,
  ],
  result: 'SnapshotOrLink',
  alternatives: DOWNLOAD_TYPES,
  problems: ['unknown-game', 'unknown-build', 'not-found', 'range-not-satisfiable'],
  handle(request, services) {
    const viaLink = readVia(request.query);
    const choice = readChoice(request.query);
    const game = findGame(request);
    const entry = findBuild(request.view, game, request.params.build ?? '');
    if (!viaLink) return downloadOf(game, entry, choice, services);
    const { bytes, sha256, file } = refOf(game.slug, entry, choice);
    return {
      build: entry.build,
      async body() {
        const link = await services.links.issue(file);
        return { json: Buffer.from(JSON.stringify({ ...link, bytes, sha256 })) };
      },
    };
  },
};

function readVia(query: RawQuery): boolean {
  const given = query.filter(([name]) => name === 'via');
  const wrong = given.find(([, value]) => value !== LINK);
  if (wrong) throw new ParameterError('via', `via is ${quote(wrong[1])}, expected ${LINK}`);
  return given.length > 0;
}
