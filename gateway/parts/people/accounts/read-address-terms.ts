import { SLUG } from '../../../../scripts/core/format/dist-format.ts';
import { InputError } from '../../../shared/input/input-error.ts';
import type { AddressTerms } from '../../../core/plans/account.ts';
import { quote, suggest } from '../../../core/lib/suggest.ts';
import { seriesQuery } from '../../../shared/addresses/address-terms.ts';

/** The longest query of an address, in characters. */
const MAX_QUERY = 2000;
const SLUG_FORM = new RegExp(SLUG);
/** A query as the API has it, with or without the suffix that says its form. */
const QUERY =
  /^\/?(?:api\/)?(?!api\/)([a-z0-9-]+)\/([\w-]+|history\/[^/?#\s]+\/series)(\.(?:csv|ndjson|json))?(\?[^#\s]*)?$/;

/**
 * Reads what a read-only address serves.
 *
 * @param text a game's slug, or the address of a query of the API, such as `/api/genshin-impact/characters.csv?element=Pyro`, also as a
 *   whole URL; without a suffix, it is CSV
 * @throws InputError
 */
export function readAddressTerms(text: string): AddressTerms {
  const target = text.trim().replace(/^https?:\/\/[^/]*/i, '');
  if (SLUG_FORM.test(target)) return { game: target };
  const [, game = '', rows = '', suffix = '.csv', search = ''] = QUERY.exec(target) ?? [];
  const query = `${encodeRows(rows)}${suffix}${encodeSearch(search)}`;
  if (SLUG_FORM.test(game) && query.length <= MAX_QUERY) return { game, query };
  const found = JSON.stringify(target.slice(0, 60));
  throw new InputError(
    `${found} is neither a game nor a query of one, expected a slug such as genshin-impact, or /api/genshin-impact/characters.csv?element=Pyro with at most ${MAX_QUERY} characters`,
  );
}

/** Encodes a query string as clients send it, so that it can be pasted into a formula. */
function encodeSearch(search: string): string {
  return new URL(search, 'http://localhost').search;
}

/** Encodes the id in the path of a series as `seriesQuery` does. */
function encodeRows(rows: string): string {
  const [, id] = /^history\/(.+)\/series$/.exec(rows) ?? [];
  return id === undefined ? rows : seriesQuery(decode(id), 'series');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Checks that what a read-only address serves exists.
 *
 * @param games the keys of the lists of each game that its account may see, by slug
 * @throws InputError
 */
export function checkAddressTerms(
  { game, query = '' }: AddressTerms,
  games: ReadonlyMap<string, readonly string[]>,
): void {
  const lists = games.get(game);
  if (lists === undefined)
    throw new InputError(`there is no game ${quote(game)}${suggest(game, games.keys())}`);
  const rows = /^([^/.?]*)\.\w+(\?|$)/.exec(query)?.[1];
  const known = ['characters', 'compare', ...lists];
  if (rows === undefined || known.includes(rows)) return;
  const near = suggest(rows, known);
  throw new InputError(`${game} has no list ${quote(rows)}${near}; expected one of ${known.join(', ')}`);
}
