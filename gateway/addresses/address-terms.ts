import type { AddressTerms } from '../access/account.ts';

/** The path of all read-only addresses. */
export const ADDRESSES = '/t';
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
