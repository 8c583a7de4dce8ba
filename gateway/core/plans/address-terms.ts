import type { AddressTerms } from './account.ts';

/** The path of all read-only addresses. */
export const ADDRESSES = '/t';
/** The longest query of an address, in characters. */
const MAX_QUERY = 2000;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** A query as the API has it, with or without the suffix that says its form. */
const QUERY =
  /^\/?(?:api\/)?(?!api\/)([a-z0-9-]+)\/([\w-]+|history\/[^/?#\s]+\/series)(\.(?:csv|ndjson|json))?(\?[^#\s]*)?$/;

/** What a read-only address cannot serve; the message says why. */
export class AddressTermsError extends Error {}

/**
 * Reads what a read-only address serves.
 *
 * @param text a game's slug, or the address of a query of the API, such as `/api/genshin-impact/characters.csv?element=Pyro`, also as a
 *   whole URL; without a suffix, it is CSV
 * @throws AddressTermsError
 */
export function readAddressTerms(text: string): AddressTerms {
  const target = text.trim().replace(/^https?:\/\/[^/]*/i, '');
  if (SLUG.test(target)) return { game: target };
  const [, game = '', rows = '', suffix = '.csv', search = ''] = QUERY.exec(target) ?? [];
  const query = `${encodeRows(rows)}${suffix}${encodeSearch(search)}`;
  if (SLUG.test(game) && query.length <= MAX_QUERY) return { game, query };
  const found = JSON.stringify(target.slice(0, 60));
  throw new AddressTermsError(
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

/** Returns what an address is asked for when it is asked for the series of a character. @param rows the last part of the path */
export function seriesQuery(id: string, rows: string): string {
  return `history/${encodeURIComponent(id)}/${rows}`;
}

/** Returns the path of a read-only address, with its query; of a whole game, that of its roster as CSV. */
export function addressPath(token: string, { game, query = 'characters.csv' }: AddressTerms): string {
  return `${ADDRESSES}/${token}/${game}/${query}`;
}

/** Returns whether an address serves a request. @param asked what its path has after the game, with the query string */
export function servesQuery(terms: AddressTerms, game: string, asked: string): boolean {
  const { query } = terms;
  if (terms.game !== game) return false;
  return query === undefined || query === asked || inOneForm(query) === inOneForm(asked);
}

/** Clients encode different characters: `[` or `%5B`. Queries with the same form have the same decoded parameters. */
function inOneForm(query: string): string {
  const [rows, ...search] = query.split('?');
  return `${rows}?${new URLSearchParams(search.join('?'))}`;
}

/** Describes what an address serves. */
export function describeTerms({ game, query }: AddressTerms): string {
  return query === undefined ? `all rows of ${game}` : `${game}/${query}`;
}
