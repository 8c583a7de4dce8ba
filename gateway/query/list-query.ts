// List queries: reads the parameters of a list request, and selects the rows of its page.
// Every parameter is checked against the facets of the list before any row is visited.
// Selection: filters give a set of rows (filters.ts), search ranks the rows of that set by their names (name-index.ts), and a cached order of all
// rows puts the result in order. A query without filters is a slice of that order.
// The cost is linear in the number of rows; only search with typos does more work.
import { LIST_PARAMETERS } from '../../scripts/format/dist-format.ts';
import {
  longName,
  MAX_NAME_LENGTH,
  parseWhole,
  type RawQuery,
  readOnce,
  splitList,
} from '../http/incoming.ts';
import { type HttpProblem, invalidParameter, quote, suggest } from '../http/problem.ts';
import type { Collection, SortKey } from './collection.ts';
import type { Projection } from './fields.ts';
import { addFilter, applyFilters, type Filters } from './filters.ts';
import { readSearchText, type SearchText } from './fold.ts';
import { isNameInLanguage, type Languages, languageTag, readLanguage, Translation } from './translation.ts';

export const MAX_RECORDS = 1000;
const MAX_SORT_KEYS = 8;
/** The maximum length of `q`, in characters, and its maximum number of different words. */
export const MAX_SEARCH_LENGTH = 256;
export const MAX_SEARCH_WORDS = 16;

/** A list request, checked against the list. */
export interface ListQuery extends Filters {
  q: SearchText | undefined;
  /** The rows of `ids` in the given order, and the unknown ids. */
  ids: { rows: number[]; missing: string[] } | undefined;
  /** Empty for the order of `ids`, for relevance with `q`, and for the list's own order. */
  sort: SortKey[];
  /** The envelope's `sort`: `-rarity,name`, `id`, `ids`, `relevance`; null for a list without ids in its own order. */
  sortName: string | null;
  /** Undefined for all records. */
  limit: number | undefined;
  offset: number;
  projection: Projection | undefined;
  /** Translates the records into the language of `lang`. */
  translation: Translation | undefined;
  /** The language tag of `lang`. */
  language: string | undefined;
}

type Parameter = (typeof LIST_PARAMETERS)[number];
const PARAMETERS: ReadonlySet<string> = new Set(LIST_PARAMETERS);
/** A parameter whose values are filters, for clients that can send only the parameters that they know. */
const FILTER: Parameter = 'filter';

/**
 * Reads the parameters of a list request.
 *
 * @param defaultLimit the limit if none is given; undefined for all records
 * @param languages undefined if the list has no texts of a game
 * @throws HttpProblem at the first invalid parameter
 */
export function parseListQuery(
  raw: RawQuery,
  list: Collection,
  defaultLimit: number | undefined,
  languages?: Languages,
): ListQuery {
  const parameters = groupByName(raw);
  const sort = readOnce('sort', parameters.get('sort'));
  const idTexts = parameters.get('ids');
  const ids = idTexts && parseIds(idTexts, list);
  const limit = readOnce('limit', parameters.get('limit'));
  const offset = readOnce('offset', parameters.get('offset'));
  const isRanked = parameters.has('q');
  const query: ListQuery = {
    conditions: [],
    groups: [],
    q: undefined,
    ids,
    sort: [],
    sortName: sort ?? (ids ? 'ids' : isRanked ? 'relevance' : list.rowOfId ? 'id' : null),
    limit: limit === undefined ? defaultLimit : parseWhole('limit', limit, 0, MAX_RECORDS),
    offset: offset === undefined ? 0 : parseWhole('offset', offset, 0),
    projection: undefined,
    translation: undefined,
    language: undefined,
  };
  if (parameters.has('lang')) Object.assign(query, readTranslation(parameters.get('lang'), list, languages));
  // An empty list has no facets to check against; every query selects nothing.
  if (list.count === 0) return query;
  for (const [name, values] of parameters) {
    if (!PARAMETERS.has(name)) addFilter(query, name, values, list);
  }
  query.q = parseSearch(readOnce('q', parameters.get('q')), list);
  if (sort !== undefined) query.sort = parseSort(sort, list);
  const fields = parameters.get('fields');
  if (fields) query.projection = parseFields(fields, list, query.translation);
  return query;
}

/**
 * Reads the values of `lang`.
 *
 * @param languages undefined if the list has no texts of a game
 * @throws HttpProblem
 */
export function readTranslation(
  values: readonly string[] | undefined,
  list: Collection,
  languages: Languages | undefined,
): Pick<ListQuery, 'translation' | 'language'> {
  if (values === undefined) return { translation: undefined, language: undefined };
  if (languages === undefined) throw invalidParameter('lang', 'these records have no texts in languages');
  const code = readLanguage(values, languages);
  return { translation: new Translation(list, code, languages.own), language: languageTag(code) };
}

function groupByName(raw: RawQuery): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const pair of raw) {
    const [name, value] = pair[0] === FILTER ? splitFilter(pair[1]) : pair;
    const values = parameters.get(name);
    if (values) values.push(value);
    else parameters.set(name, [value]);
  }
  return parameters;
}

/** Splits the value of `filter`: `filter=rarity[gte]=4` is `rarity[gte]=4`. */
function splitFilter(text: string): [name: string, value: string] {
  const end = text.indexOf('=');
  const name = text.slice(0, Math.max(0, end));
  if (name.length > MAX_NAME_LENGTH) throw longName(name);
  if (name !== '' && !PARAMETERS.has(name)) return [name, text.slice(end + 1)];
  throw invalidParameter(
    FILTER,
    `${FILTER} is ${quote(text)}, expected a facet, an operator or none, "=" and a value, such as rarity[gte]=4`,
  );
}

function parseSearch(q: string | undefined, list: Collection): SearchText | undefined {
  if (q === undefined) return undefined;
  if (list.columns.get('name')?.type !== 'string')
    throw invalidParameter('q', 'q searches names, and these records have none');
  return checkSearch(q);
}

/** Reads a search text. @throws HttpProblem when it is too long or has no words */
export function checkSearch(q: string): SearchText {
  // The limit counts characters, not code units, as in the OpenAPI document; most texts are too short to need the exact count.
  const length = q.length > MAX_SEARCH_LENGTH ? [...q].length : q.length;
  if (length > MAX_SEARCH_LENGTH) {
    throw invalidParameter('q', `q has ${length} characters, expected at most ${MAX_SEARCH_LENGTH}`);
  }
  const text = readSearchText(q);
  if (text === undefined) throw invalidParameter('q', 'q is empty, expected a part of a name');
  const count = text.words.length;
  if (count > MAX_SEARCH_WORDS) {
    throw invalidParameter('q', `q has ${count} different words, expected at most ${MAX_SEARCH_WORDS}`);
  }
  return text;
}

function parseIds(values: string[], list: Collection): { rows: number[]; missing: string[] } {
  const { rowOfId } = list;
  if (rowOfId === undefined) throw invalidParameter('ids', 'these records have no ids');
  const ids = new Set(splitList('ids', values));
  const missing = [...ids].filter((id) => !rowOfId.has(id));
  return { rows: [...ids].flatMap((id) => rowOfId.get(id) ?? []), missing };
}

function parseSort(text: string, list: Collection): SortKey[] {
  const names = splitList('sort', [text]);
  if (names.length > MAX_SORT_KEYS) {
    throw invalidParameter('sort', `sort has ${names.length} keys, expected at most ${MAX_SORT_KEYS}`);
  }
  const sort = names.map((name): SortKey => {
    const descending = name.startsWith('-');
    const key = descending ? name.slice(1) : name;
    const column = list.columns.get(key);
    if (column === undefined) {
      throw invalidParameter(
        'sort',
        `cannot sort by ${quote(key)}, which is not a facet${suggest(key, list.columns.keys())}`,
      );
    }
    if (column.list)
      throw invalidParameter('sort', `cannot sort by ${quote(key)}, which has several values per record`);
    return { column, descending };
  });
  const twice = sort.find(({ column }, index) => sort.findIndex((other) => other.column === column) < index);
  if (twice) throw invalidParameter('sort', `${quote(twice.column.key)} is in sort twice, expected once`);
  return sort;
}

/**
 * Reads the parameter `fields`. `id` is always included; a name in a language that the records lack is left out.
 *
 * @throws HttpProblem
 */
export function parseFields(
  values: string[],
  list: Collection,
  translation: Translation | undefined,
): Projection {
  const keys = splitList('fields', values).filter(
    (key) => list.hasField(key) || translation?.keeps(key) || !isNameInLanguage(key),
  );
  for (const key of keys) {
    if (!list.hasField(key) && !translation?.keeps(key)) throw unknownField(key, list);
  }
  const all = list.rowOfId ? ['id', ...keys] : keys;
  return translation ? translation.project(all) : list.project(all);
}

function unknownField(key: string, list: Collection): HttpProblem {
  const near = list.hasField(key.trim())
    ? '; expected names separated by commas, without spaces'
    : suggest(key, list.attributes);
  return invalidParameter('fields', `${quote(key)} is not an attribute of these records${near}`);
}

/** A page of a list: the number of matching rows, and the rows on the page, in order. */
export interface Selection {
  total: number;
  rows: readonly number[];
}

/** Returns the page of the rows that match a query. */
export function selectRows(list: Collection, query: ListQuery): Selection {
  const { conditions, groups, q, ids, offset, limit = list.count, sort } = query;
  const isFiltered = conditions.length + groups.length > 0;
  if (!isFiltered && q === undefined && ids === undefined)
    return { total: list.count, rows: [...list.order(sort).subarray(offset, offset + limit)] };

  const passing = applyFilters(query, list.count);
  const hit = new Uint8Array(list.count);
  for (let at = 0; at < passing.length; at++) hit[passing[at] as number] = 1;
  const ranked = q && list.names.search(q, hit);
  if (ids !== undefined) {
    const rows = ids.rows.filter((row) => hit[row] === 1);
    if (sort.length > 0) sortByOrder(rows, list.order(sort));
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }
  if (ranked !== undefined && sort.length === 0)
    return { total: ranked.length, rows: ranked.slice(offset, offset + limit) };

  const order = list.order(sort);
  const total = ranked?.length ?? passing.length;
  const rows: number[] = [];
  const length = Math.min(limit, Math.max(0, total - offset));
  for (let at = 0, skipped = 0; rows.length < length; at++) {
    const row = order[at] as number;
    if (hit[row] === 1 && skipped++ >= offset) rows.push(row);
  }
  return { total, rows };
}

function sortByOrder(rows: number[], order: Int32Array): void {
  const placeOf = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) placeOf[order[at] ?? 0] = at;
  rows.sort((a, b) => (placeOf[a] ?? 0) - (placeOf[b] ?? 0));
}
