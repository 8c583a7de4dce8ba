import type { BuildEntry } from '../../../scripts/core/format/dist-format.ts';
import type { GameBuild } from '../../core/catalog/game-build.ts';
import { isLost } from '../../core/catalog/view.ts';
import { HttpProblem, unavailable } from '../../core/http/problem.ts';
import type { RawQuery } from '../../core/lib/raw-query.ts';
import { FILES } from './gateway-scheme.ts';
import type { FileResult } from '../../core/wire/send-file.ts';
import { downloadSnapshot } from '../../core/api/routes/download.ts';
import type { ApiRequest, Route, Services } from '../../core/api/routes/route.ts';

export const fileRoute: Route = {
  path: `${FILES}/:game/:file`,
  operationId: 'getFile',
  summary: 'A snapshot by its signed address',
  description:
    'The download that `via=link` of a snapshot leads to, when the gateway itself serves it. It needs no key: anyone with the address can ' +
    'use it until it expires. When the build was corrected since, the address is not found.',
  needsKey: false,
  isSigned: true,
  isFile: true,
  parameters: [
    {
      name: 'expires',
      required: true,
      description: 'When the address expires, in seconds since 1970.',
      schema: { type: 'integer' },
    },
    {
      name: 'signature',
      required: true,
      description: 'The signature of the gateway.',
      schema: { type: 'string' },
    },
  ],
  result: 'Snapshot',
  problems: ['invalid-link', 'not-found', 'range-not-satisfiable', 'unavailable'],
  handle: (request, services) =>
    findFile(request, services, (game, entry, file) =>
      entry.snapshot.file === file ? downloadSnapshot(game, entry, services) : undefined,
    ),
};

/**
 * Finds the file of a signed address.
 *
 * @param download returns the download of a build if it has the file
 * @throws HttpProblem
 */
export function findFile(
  { view, params: { game: slug = '', file: name = '' }, query }: ApiRequest,
  { links }: Services,
  download: (game: GameBuild, entry: BuildEntry, file: string) => FileResult | undefined,
): FileResult {
  const file = `${slug}/${name}`;
  const state = links.check(file, readOne(query, 'expires'), readOne(query, 'signature'));
  if (state !== 'good') throw invalidLink(state);
  const game = view.games.get(slug);
  // The oldest: builds share the files of collections that did not change, and the address may be of any of them.
  for (const entry of game?.builds ?? []) {
    const found = game && download(game, entry, file);
    if (found) return found;
  }
  if (isLost(view, slug) || view.behind.has(slug))
    throw unavailable('the data of this build cannot be read right now');
  throw new HttpProblem(
    'not-found',
    'the build was corrected since; request its snapshot with via=link again',
  );
}

/** Reads a parameter; one that is given twice counts as missing. */
function readOne(query: RawQuery, name: string): string {
  const given = query.filter(([parameter]) => parameter === name);
  return given.length === 1 ? (given[0]?.[1] ?? '') : '';
}

function invalidLink(state: 'expired' | 'wrong'): HttpProblem {
  const found = state === 'expired' ? 'the address has expired' : 'the signature of the address is wrong';
  return new HttpProblem('invalid-link', `${found}; request the snapshot with via=link again`);
}
