import type { StoredRef } from '../../../../scripts/core/format/dist-format.ts';
import { ParameterError } from '../../lib/parameter-error.ts';
import type { RawQuery } from '../../lib/raw-query.ts';
import { quote } from '../../lib/suggest.ts';
import { downloadSnapshot } from './download.ts';
import { findBuild } from './find-build.ts';
import { findGame, type JsonResult, type Route, type Services } from './route.ts';

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
  problems: ['unknown-game', 'unknown-build', 'not-found', 'range-not-satisfiable'],
  handle(request, services) {
    const viaLink = readVia(request.query);
    const game = findGame(request);
    const entry = findBuild(request.view, game, request.params.build ?? '');
    return viaLink ? linkTo(entry.build, entry.snapshot, services) : downloadSnapshot(game, entry, services);
  },
};

/** Returns a signed address of a file of a build. */
export function linkTo(build: string, { bytes, sha256, file }: StoredRef, { links }: Services): JsonResult {
  return {
    build,
    async body() {
      const link = await links.issue(file);
      return { json: Buffer.from(JSON.stringify({ ...link, bytes, sha256 })) };
    },
  };
}

/** Reads whether a request is for a signed address. @throws ParameterError */
export function readVia(query: RawQuery): boolean {
  const given = query.filter(([name]) => name === 'via');
  const wrong = given.find(([, value]) => value !== LINK);
  if (wrong) throw new ParameterError('via', `via is ${quote(wrong[1])}, expected ${LINK}`);
  return given.length > 0;
}
