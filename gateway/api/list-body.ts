import type { GameBuild } from '../data/game-build.ts';
import type { Collection } from '../query/collection.ts';
import { project } from '../query/fields.ts';
import { type ListQuery, parseListQuery } from '../query/list-query.ts';
import { selectRows } from '../query/select-rows.ts';
import type { Body } from '../http/respond.ts';
import { findMeant, refuseUnknown } from '../search/did-you-mean.ts';
import {
  type ApiRequest,
  findGame,
  LANG,
  type ListParameter,
  type QueryParameter,
  type Route,
  tagOf,
} from './route.ts';

/** The parameters of every list: filters, search, sort, paging, choice of records and attributes. @param defaultLimit without it, a list is whole */
export function listParameters(defaultLimit?: number): (QueryParameter | ListParameter)[] {
  const limit = { name: 'limit', ...(defaultLimit !== undefined && { default: defaultLimit }) };
  const named = (name: string) => ({ name, ...(name === 'filter' && { explode: true }) });
  return [...['filter', 'q', 'sort'].map(named), limit, ...['offset', 'ids', 'fields'].map(named), LANG];
}

/** Reads the query of a list; a part may refuse unknown values of closed attributes. @param collection `characters` or the key of a dataset */
export function readListQuery(
  { query }: Pick<ApiRequest, 'query'>,
  { dictionary, languages }: GameBuild,
  [collection, list]: [collection: string, list: Collection],
  defaultLimit?: number,
): ListQuery {
  const read = parseListQuery(query, list, defaultLimit, languages);
  if (read.hasUnknown) refuseUnknown(read, dictionary.find(collection)?.attributes ?? []);
  return read;
}

/**
 * Puts a page of a list together: an envelope, and the bytes of the records or of their chosen attributes.
 *
 * @param opening the envelope's first members, as JSON, without the closing brace
 * @param recordsKey the envelope's last member, which holds the records
 */
export function listBody(
  request: Addressed,
  list: Collection,
  query: ListQuery,
  opening: string,
  recordsKey: string,
): Body {
  const { total, rows } = selectRows(list, query);
  const { limit = null, offset, sortName, ids } = query;
  const missing = ids ? `,"missing":${JSON.stringify(ids.missing)}` : '';
  const meant = total === 0 ? findMeant(query) : undefined;
  const hint = meant ? `,"did_you_mean":${JSON.stringify(meant)}` : '';
  const sort = JSON.stringify(sortName);
  const page = `"total":${total},"count":${rows.length},"limit":${limit},"offset":${offset},"sort":${sort}${missing}${hint}`;
  const head = `${opening},${page},"${recordsKey}":[`;
  const links = pageLinks(request, total, rows.length, offset, limit);
  return { json: joinRecords(head, recordsOf(list, query, rows), ']}'), links };
}

/** Returns the records of rows as a request wants them. */
export function recordsOf(
  list: Collection,
  { projection, translation }: ListQuery,
  rows: readonly number[],
): readonly (string | Buffer)[] {
  if (projection) return rows.map((row) => project(projection, row) || '{}');
  if (translation) return rows.map((row) => translation.record(row));
  const { records } = list;
  return rows.map((row) => records[row] as Buffer);
}

/** Puts JSON together: a head, records with commas between them, and an end. */
export function joinRecords(head: string, records: readonly (string | Buffer)[], end: string): Buffer {
  if (typeof records[0] === 'string') return Buffer.from(head + records.join() + end);
  let length = Buffer.byteLength(head) + Buffer.byteLength(end) + Math.max(0, records.length - 1);
  for (const record of records) length += record.length;
  const json = Buffer.allocUnsafe(length);
  let at = json.write(head);
  for (let index = 0; index < records.length; index++) {
    if (index > 0) json[at++] = COMMA;
    at += (records[index] as Buffer).copy(json, at);
  }
  json.write(end, at);
  return json;
}

/** What links to pages of a response are made from. */
export type Addressed = Pick<ApiRequest, 'path' | 'search' | 'query'>;

/** Longer links are left out: clients and proxies refuse responses with too large headers. */
const MAX_LINK_LENGTHS = 4096;

/** Returns the links to the first, previous, next and last page that exist, as the value of a Link field (RFC 8288); empty without any. */
export function pageLinks(
  request: Addressed,
  total: number,
  count: number,
  offset: number,
  limit: number | null,
): string {
  if (!limit || total === 0) return '';
  const address = addressOf(request);
  const link = (rel: string, at: number) => `<${address}offset=${at}>; rel="${rel}"`;
  const before = offset % limit;
  const last = before + Math.floor((total - 1 - before) / limit) * limit;
  let links = link('first', 0);
  if (offset > 0) links += `, ${link('prev', Math.max(0, Math.min(offset - limit, last)))}`;
  if (offset + count < total && count > 0) links += `, ${link('next', offset + limit)}`;
  links += `, ${link('last', Math.max(0, last))}`;
  return links.length > MAX_LINK_LENGTHS ? '' : links;
}

/** Matches a query string that `addressOf` would not change: pairs that need no encoding, none of them an offset. */
const PLAIN_PAIRS = /^\?(?:(?!offset=)[\w.~,:[\]-]+=[\w.~,:[\]-]*(?:&(?!$)|$))+$/;

/** Returns the address up to the place of `offset`. */
function addressOf({ path, search, query }: Addressed): string {
  if (PLAIN_PAIRS.test(search)) return `${path}${search}&`;
  let address = `${path}?`;
  for (const [name, value] of query) {
    if (name !== 'offset') address += `${encodeLightly(name)}=${encodeLightly(value)}&`;
  }
  return address;
}

/** Characters that need no encoding. */
const PLAIN = /^[\w.~,:[\]-]*$/;

/** Percent-encodes, except readable characters that a query may contain. */
function encodeLightly(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text).replace(/%(2C|3A|5B|5D)/g, decodeURIComponent);
}

const COMMA = 0x2c;
const DEFAULT_LIMIT = 100;

export const rosterRoute: Route = {
  path: '/api/:game/characters',
  operationId: 'listCharacters',
  summary: 'The roster',
  description:
    'The characters of a game: filter by any attribute, search by name in any language, sort, and page.',
  needsKey: true,
  parameters: listParameters(DEFAULT_LIMIT),
  result: 'Roster',
  problems: ['unknown-game'],
  hasRows: true,
  handle(request) {
    const game = findGame(request);
    const query = readListQuery(request, game, ['characters', game.roster], DEFAULT_LIMIT);
    return {
      vary: 'Accept',
      isNamed: true,
      tag: tagOf(game.tag, query, game),
      build: game.build,
      language: query.language,
      body: () => listBody(request, game.roster, query, game.opening, 'characters'),
      rows: { game, collection: 'characters', list: game.roster, query },
    };
  },
};
