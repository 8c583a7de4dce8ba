import type { BuildEntry, StoredRef } from '../../../scripts/format/dist-format.ts';
import type { ApiRequest, JsonResult, Links, Services } from '../../api/route.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { isLost } from '../../data/view.ts';
import { HttpProblem, unavailable } from '../../http/problem.ts';
import { ParameterError, type RawQuery } from '../../http/raw-query.ts';
import { quote } from '../../http/suggest.ts';
import type { FileResult } from '../../http/send-file.ts';

/** The value of the parameter `via` with which the response is a signed address. */
export const LINK = 'link';

/** Returns a signed address of a file of a build. */
export function linkTo(build: string, { bytes, sha256, file }: StoredRef, { links }: Services): JsonResult {
  return {
    build,
    async body() {
      const link = await wholeLinks(links).issue(file);
      return { json: Buffer.from(JSON.stringify({ ...link, bytes, sha256 })) };
    },
  };
}

/** Reads whether a request is for a signed address. @throws ParameterError */
export function readVia(query: RawQuery): boolean {
  const values = query.filter(([name]) => name === 'via');
  const wrong = values.find(([, value]) => value !== LINK);
  if (wrong) throw new ParameterError('via', `via is ${quote(wrong[1])}, expected ${LINK}`);
  return values.length > 0;
}

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
  const state = wholeLinks(links).check(file, readOne(query, 'expires'), readOne(query, 'signature'));
  if (state !== 'good') throw invalidLink(state);
  const game = view.games.get(slug);
  // The oldest: builds share the files of collections that did not change, and the address may be of any of them.
  for (const entry of game?.builds ?? []) {
    const target = game && download(game, entry, file);
    if (target) return target;
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
  const values = query.filter(([parameter]) => parameter === name);
  return values.length === 1 ? (values[0]?.[1] ?? '') : '';
}

function invalidLink(state: 'expired' | 'wrong'): HttpProblem {
  const found = state === 'expired' ? 'the address has expired' : 'the signature of the address is wrong';
  return new HttpProblem('invalid-link', `${found}; request the snapshot with via=link again`);
}

function wholeLinks(links: Links | undefined): Links {
  if (links) return links;
  throw unavailable('this gateway makes no signed addresses');
}
