import { Draft, readNow } from '../http/draft.ts';
import type { GameBuild } from '../data/game-build.ts';
import { countWork, inSteps, MAX_ROWS_AT_ONCE, runInSlices, type Steps, WORK } from '../http/work.ts';
import type { Collection } from '../query/collection.ts';
import { type ListQuery, parseListQuery } from '../query/list-query.ts';
import { selectRows } from '../query/select-rows.ts';
import type { Body } from '../http/respond.ts';
import { findMeant, refuseUnknown } from '../search/did-you-mean.ts';
import { writeRecord } from './record-body.ts';
import {
  type ApiRequest,
  findGame,
  LANG,
  type ListParameter,
  type QueryParameter,
  type Route,
  tagOf,
} from './route.ts';

const END = Buffer.from(']}');

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
): Body | Promise<Body<Buffer>> {
  const { total, rows } = selectRows(list, query);
  const { limit = null, offset, sortName, ids, projection, translation } = query;
  const missing = ids ? `,"missing":${JSON.stringify(ids.missing)}` : '';
  const meant = total === 0 ? findMeant(query) : undefined;
  const hint = meant ? `,"did_you_mean":${JSON.stringify(meant)}` : '';
  const sort = JSON.stringify(sortName);
  const page = `"total":${total},"count":${rows.length},"limit":${limit},"offset":${offset},"sort":${sort}${missing}${hint}`;
  const head = `${opening},${page},"${recordsKey}":[`;
  const links = pageLinks(request, total, rows.length, offset, limit);
  if (projection || translation) countWork(WORK.written * rows.length);
  if (isLong(rows.length)) {
    const whole = writeInSlices({ opening: head, rows, end: END }, recordWriter(list, query));
    return whole.then((json) => ({ json, links }));
  }
  const draft = new Draft();
  draft.writeText(head);
  const write = recordWriter(list, query);
  if (projection || translation) writeJoined(draft, rows, (row) => write(draft, row));
  else writeRecords(draft, list.records, rows);
  draft.write(END);
  return { json: draft.bytes(), links };
}

/** Returns what writes the record of a row as a request wants it. */
export function recordWriter(
  list: Collection,
  { projection, translation }: ListQuery,
): (draft: Draft, row: number) => void {
  if (projection) return (draft, row) => writeRecord(draft, projection, row);
  if (translation) return (draft, row) => translation.writeRecord(draft, row);
  const { records } = list;
  return (draft, row) => draft.write(records[row] as Buffer);
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
/** How many rows of a long response are written in one step. */
const ROWS_A_STEP = 500;

/** Returns whether a response has so many rows that other requests are handled while it is put together (`writeInSlices`). */
export function isLong(rowCount: number): boolean {
  return rowCount > MAX_ROWS_AT_ONCE;
}

/**
 * Writes items with commas between them.
 *
 * @param write adds an item to the draft
 */
export function writeJoined<T>(draft: Draft, items: readonly T[], write: (item: T) => void): void {
  for (let index = 0; index < items.length; index++) {
    if (index > 0) draft.writeByte(COMMA);
    write(items[index] as T);
  }
}

/** Writes the whole records of rows, with commas between them. @param further how many bytes follow */
export function writeRecords(
  draft: Draft,
  records: readonly Buffer[],
  rows: readonly number[],
  further = END.length,
): void {
  let length = rows.length - 1 + further;
  for (const row of rows) length += records[row]?.length ?? 0;
  draft.makeRoom(length, draft.length + length);
  writeJoined(draft, rows, (row) => draft.write(records[row] as Buffer));
}

/**
 * Puts a long response together: an opening, rows with commas between them, and an end.
 *
 * @param write adds a row to the draft
 */
export async function writeInSlices(
  { opening, rows, end }: { opening: string; rows: readonly number[]; end: Uint8Array },
  write: (draft: Draft, row: number) => void,
): Promise<Buffer> {
  const parts: Uint8Array[] = [Buffer.from(opening)];
  await runInSlices(writeParts(parts, rows, write));
  return Buffer.concat([...parts, end]);
}

function* writeParts(
  parts: Uint8Array[],
  rows: readonly number[],
  write: (draft: Draft, row: number) => void,
): Steps<undefined> {
  yield* inSteps(rows.length, ROWS_A_STEP, (from, to) => {
    const draft = new Draft();
    if (from > 0) draft.writeByte(COMMA);
    writeJoined(draft, rows.slice(from, to), (row) => write(draft, row));
    // The next draft is made in the same memory.
    parts.push(new Uint8Array(readNow(draft.bytes())));
  });
}

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
