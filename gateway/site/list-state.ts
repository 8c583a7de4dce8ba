// The state of a list page, which is its address. The query of a page is the query of its API request.

/** A filter such as `stats.atk[gte]=300`; without an operator, it means equality. */
interface Filter {
  /** The facet's dotted key. */
  key: string;
  /** `gte`; empty for equality. Several equality filters with the same key match any of their values. */
  operator: string;
  value: string;
}

export interface SortBy {
  key: string;
  descending: boolean;
}

export interface ListState {
  filters: readonly Filter[];
  /** Empty if there is no search. */
  q: string;
  sort: readonly SortBy[];
  /** The chosen columns; empty for the default ones. */
  fields: readonly string[];
  /** Only these records; empty for all. */
  ids: readonly string[];
  /** The language of names; empty for the game's own. */
  lang: string;
  /** undefined for the default size of a page. */
  limit: number | undefined;
  offset: number;
}

const MAX_LIMIT = 1000;
/** The parameters that are not filters. */
export const NAMES: ReadonlySet<string> = new Set(['q', 'sort', 'fields', 'ids', 'lang', 'limit', 'offset']);
/** Parameters that other sites add to addresses. */
const FOREIGN = /^(utm_\w+|fbclid|gclid)$/;

/** The state without a query. */
export const START = readListState('');

/** Reads the state of a list from a query. Malformed pages and sizes are ignored; only the API knows the facets. */
export function readListState(query: string): ListState {
  const filters: Filter[] = [];
  const lists = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (NAMES.has(name)) lists.set(name, [...(lists.get(name) ?? []), value]);
    else {
      const [, key = name, operator = ''] = /^(.+)\[([a-z]+)\]$/s.exec(name) ?? [];
      if (name !== '') filters.push({ key, operator, value });
    }
  }
  const first = (name: string) => lists.get(name)?.[0] ?? '';
  const list = (name: string) => [...new Set((lists.get(name) ?? []).join().split(',').filter(Boolean))];
  const limit = readWhole(first('limit')) ?? 0;
  return {
    filters,
    q: first('q'),
    sort: list('sort').map((name) => ({ key: name.replace(/^-/, ''), descending: name.startsWith('-') })),
    fields: list('fields'),
    ids: list('ids'),
    lang: first('lang'),
    limit: limit > 0 && limit <= MAX_LIMIT ? limit : undefined,
    offset: readWhole(first('offset')) ?? 0,
  };
}

function readWhole(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Returns the canonical form of a page's query, without defaults and empty values. @param most the largest page */
export function tidyQuery(query: string, most: number): string {
  const { filters, limit, q, ...state } = readListState(query);
  return writeListState({
    ...state,
    q: q.trim(),
    // Forms send their empty fields too.
    filters: filters.filter(({ key, value }) => !FOREIGN.test(key) && value !== ''),
    limit: limit !== undefined && limit < most ? limit : undefined,
  });
}

/** Writes the state as a query without `?`. Equal states have equal queries, so they share an address and a cached page. */
export function writeListState(state: ListState): string {
  const { filters, q, sort, fields, ids, lang, limit, offset } = state;
  const pairs = filters.map(
    ({ key, operator, value }) => `${encode(key)}${operator && `[${operator}]`}=${encode(value)}`,
  );
  const further = {
    q: encode(q),
    sort: writeSort(sort, encode),
    fields: fields.map(encode).join(),
    ids: ids.map(encode).join(),
    lang: encode(lang),
    limit: limit === undefined ? '' : String(limit),
    offset: offset === 0 ? '' : String(offset),
  };
  const others = Object.entries(further).filter(([, value]) => value !== '');
  return [...pairs.sort(), ...others.map((pair) => pair.join('='))].join('&');
}

export function writeSort(sort: readonly SortBy[], write = (key: string) => key): string {
  return sort.map(({ key, descending }) => write(descending ? `-${key}` : key)).join();
}

/** Encodes a text for an address that may stand in a shell's single quotes. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll("'", '%27');
}

/** Returns the values of a facet's filters with an operator. */
export function filterValues({ filters }: ListState, key: string, operator = ''): string[] {
  return filters.flatMap((filter) =>
    filter.key === key && filter.operator === operator ? filter.value : [],
  );
}

/** Sorts by a column: first in its usual direction, then the other one, then in the list's own order. */
export function cycleSort(state: ListState, key: string, descendingFirst: boolean): ListState {
  const current = state.sort.find((by) => by.key === key);
  const isFirst = current?.descending === descendingFirst;
  const sort = current && !isFirst ? [] : [{ key, descending: descendingFirst !== isFirst }];
  return { ...state, sort, offset: 0 };
}
