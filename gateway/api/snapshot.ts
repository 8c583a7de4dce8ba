import type { BuildEntry, StoredRef } from '../../scripts/format/dist-format.ts';
import type { GameBuild } from '../data/game-build.ts';
import type { View } from '../data/view.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { FileResult } from '../http/send-file.ts';
import { findGame, type Route, type Services } from './route.ts';

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

/** Names the newest build that the caller may see. No build has this name. */
const LATEST = 'latest';

/**
 * Finds a build that the caller may see, by its name or as `latest`.
 *
 * @throws HttpProblem `unknown-build`, or `unavailable` if newer builds are damaged
 */
export function findBuild({ behind }: View, { slug, builds }: GameBuild, name: string): BuildEntry {
  const match = name === LATEST ? builds.at(-1) : builds.find(({ build }) => build === name);
  if (match) return match;
  if (behind.has(slug)) throw unavailable('the newest build of this game cannot be read right now');
  const near = suggest(name, [...builds.map(({ build }) => build).reverse(), LATEST]);
  throw new HttpProblem(
    'unknown-build',
    `${slug} has no build ${quote(name)}${near}; /api/${slug}/history lists all`,
  );
}

/** Returns the download of a whole build as JSON, in every coding. */
export function downloadSnapshot(
  { slug }: Pick<GameBuild, 'slug'>,
  { build, snapshot }: BuildEntry,
  services: Services,
): FileResult {
  return downloadFile(build, `${slug}-${build}.json`, snapshot, services);
}

/** Returns the download of a file of a build, in every coding that dist/ has. @param filename the name under which clients save it */
export function downloadFile(
  build: string,
  filename: string,
  ref: StoredRef,
  { archive, links }: Services,
): FileResult {
  const files = 'gzip' in ref ? { identity: ref, gzip: ref.gzip, br: ref.brotli } : ref;
  return { build, filename, files, open: archive.open, handOver: links?.handOver };
}
