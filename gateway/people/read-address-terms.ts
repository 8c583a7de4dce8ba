import { SLUG } from '../../scripts/format/dist-format.ts';
import type { AddressTerms } from '../access/account.ts';
import type { Asked } from '../api/api.ts';
import type { Route } from '../api/route.ts';
import type { View } from '../data/catalog.ts';
import { HttpProblem, InputError, quote, suggest } from '../http/problem.ts';

/** The longest query of an address, in characters. */
const MAX_QUERY = 2000;
const SLUG_FORM = new RegExp(SLUG);
/** A query as the API has it, with or without the suffix of its form. */
const QUERY = /^\/?(?:api\/)?(?!api\/)([a-z0-9-]+)\/([\w-]+)(\.(?:csv|ndjson|json))?(\?[^#\s]*)?$/;

/**
 * Reads what a read-only address serves.
 *
 * @param text a game's slug, or the address of an API query, such as `/api/genshin-impact/characters.csv?element=Pyro`, also as a full URL; without a
 * suffix, it is CSV
 * @throws InputError
 */
export function readAddressTerms(text: string): AddressTerms {
  const target = text.trim().replace(/^https?:\/\/[^/]*/i, '');
  if (SLUG_FORM.test(target)) return { game: target };
  const [, game = '', rows = '', suffix = '.csv', search = ''] = QUERY.exec(target) ?? [];
  // Encoded as clients send it, so that it can be pasted into a formula.
  const query = `${rows}${suffix}${new URL(search, 'http://localhost').search}`;
  if (SLUG_FORM.test(game) && query.length <= MAX_QUERY) return { game, query };
  throw new InputError(
    `${quote(target)} is neither a game nor a query of one, expected a slug such as genshin-impact, or /api/genshin-impact/characters.csv?element=Pyro with at most ${MAX_QUERY} characters`,
  );
}

export interface QueryReader {
  /** The route table of the API. */
  routes: readonly Route[];
  /** @throws what its route throws */
  read(asked: Asked, view: View): Promise<Buffer>;
}

/**
 * Checks that a read-only address serves something: its game, and all that its query names.
 *
 * @param view of its account
 * @throws InputError
 */
export async function checkAddressTerms(
  { game: slug, query }: AddressTerms,
  view: View,
  { routes, read }: QueryReader,
): Promise<void> {
  if (!view.games.has(slug))
    throw new InputError(`there is no game ${quote(slug)}${suggest(slug, view.games.keys())}`);
  if (query === undefined) return;
  const { pathname, search } = new URL(query, 'http://localhost/');
  const rows = pathname.slice(1);
  const route = routes.find(({ operationId }) => operationId === 'readAddress') as Route;
  try {
    await read({ route, path: pathname, search, params: { game: slug, rows } }, view);
  } catch (error) {
    const isRefused = error instanceof HttpProblem && error.status < 500;
    throw isRefused ? new InputError(error.message) : error;
  }
}
