/** What a filter compares with: `is` several times means any of the values. */
export const OPERATORS = ['is', 'ne', 'gte', 'gt', 'lte', 'lt', 'exists'] as const;
/** One of `OPERATORS`. */
export type Operator = (typeof OPERATORS)[number];

/** A filter of a list, such as `stats.atk[gte]=300`. */
export interface Filter {
  /** The facet's dotted key. */
  key: string;
  operator: Operator;
  value: string;
}

/** A key by which a list is sorted. */
export interface SortBy {
  key: string;
  descending: boolean;
}

/** What a list shows: everything that its address says. */
export interface ListState {
  filters: readonly Filter[];
  /** The search text; empty without one. */
  q: string;
  sort: readonly SortBy[];
  /** The chosen columns; empty for the usual ones. */
  fields: readonly string[];
  /** Only these records; empty for all. */
  ids: readonly string[];
  /** The language of names; empty for the game's own. */
  lang: string;
  /** undefined for the usual size of a page. */
  limit: number | undefined;
  offset: number;
}

/** The state of an address without a query. */
export const START: ListState = {
  filters: [],
  q: '',
  sort: [],
  fields: [],
  ids: [],
  lang: '',
  limit: undefined,
  offset: 0,
};

const MAX_LIMIT = 1000;
const WITH_OPERATOR = /^(.+)\[(ne|gte|gt|lte|lt|exists)\]$/s;

/**
 * Reads the state of a list from the query of an address. The query of a page is the query of its API request. Malformed pages and sizes
 * are left out; filters are read as they are, since only the API knows which facets exist.
 *
 * @param query with or without its `?`
 */
export function readListState(query: string): ListState {
  const filters: Filter[] = [];
  const lists = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'filter') addFilter(filters, ...splitFilter(value));
    else if (!NAMES.has(name)) addFilter(filters, name, value);
    else if (lists.has(name)) lists.get(name)?.push(value);
    else lists.set(name, [value]);
  }
  const first = (name: string) => lists.get(name)?.[0] ?? '';
  const limit = readWhole(first('limit'));
  return {
    filters,
    q: first('q'),
    sort: splitList(lists.get('sort')).map(readSortBy),
    fields: splitList(lists.get('fields')),
    ids: splitList(lists.get('ids')),
    lang: first('lang'),
    limit: limit !== undefined && limit > 0 && limit <= MAX_LIMIT ? limit : undefined,
    offset: readWhole(first('offset')) ?? 0,
  };
}

/** The parameters that are no filters. */
const NAMES: ReadonlySet<string> = new Set(['q', 'sort', 'fields', 'ids', 'lang', 'limit', 'offset']);

/** What links from other sites add to addresses. */
const FOREIGN = /^(utm_\w+|fbclid|gclid)$/;
/** The records of a list that are chosen to compare. */
const CHOSEN = 'unit';

/** Returns the query of a page's address as it is always written: without what says nothing. @param most the largest page */
export function tidyQuery(query: string, most: number): string {
  const { filters, limit, ...state } = readListState(query);
  const narrowing = filters.filter(
    ({ key, value, operator }) =>
      !FOREIGN.test(key) && key !== CHOSEN && (value !== '' || operator === 'is' || operator === 'ne'),
  );
  return writeListState({
    ...state,
    q: state.q.trim(),
    filters: narrowing,
    limit: limit !== undefined && limit < most ? limit : undefined,
  });
}

function addFilter(filters: Filter[], name: string, value: string): void {
  const [, key, word] = WITH_OPERATOR.exec(name) ?? [];
  const operator = OPERATORS.find((each) => each === word);
  if (key !== undefined && operator !== undefined) filters.push({ key, operator, value });
  else if (name !== '') filters.push({ key: name, operator: 'is', value });
}

/** `rarity[gte]=4` as the value of the parameter `filter`. */
function splitFilter(text: string): [name: string, value: string] {
  const end = text.indexOf('=');
  return end === -1 ? ['', ''] : [text.slice(0, end), text.slice(end + 1)];
}

function splitList(values: readonly string[] | undefined): string[] {
  return [...new Set((values ?? []).join().split(',').filter(Boolean))];
}

function readSortBy(name: string): SortBy {
  return name.startsWith('-') ? { key: name.slice(1), descending: true } : { key: name, descending: false };
}

function readWhole(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * Writes the state as a query. Equal states have equal queries, so that they share an address and a cached response.
 *
 * @returns without `?`; empty for `START`
 */
export function writeListState(state: ListState): string {
  const { filters, q, sort, fields, ids, lang, limit, offset } = state;
  const pairs: [name: string, value: string][] = filters.map(({ key, operator, value }) => [
    operator === 'is' ? encode(key) : `${encode(key)}[${operator}]`,
    encode(value),
  ]);
  pairs.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  const add = (name: string, value: string) => {
    if (value !== '') pairs.push([name, value]);
  };
  add('q', encode(q));
  add('sort', writeSort(sort, encode));
  add('fields', fields.map(encode).join());
  add('ids', ids.map(encode).join());
  add('lang', encode(lang));
  add('limit', limit === undefined ? '' : String(limit));
  add('offset', offset === 0 ? '' : String(offset));
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

/** Writes the value of `sort`. */
export function writeSort(sort: readonly SortBy[], write = (key: string) => key): string {
  return sort.map(({ key, descending }) => write(descending ? `-${key}` : key)).join();
}

/** Encodes for an address that may stand in single quotes of a shell. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll("'", '%27');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Turns a value of a facet on or off. The list begins at its first page again. */
export function toggleValue(state: ListState, key: string, value: string): ListState {
  const isSame = (filter: Filter) => filter.key === key && filter.operator === 'is' && filter.value === value;
  const isOn = state.filters.some(isSame);
  const filters = isOn
    ? state.filters.filter((filter) => !isSame(filter))
    : [...state.filters, { key, operator: 'is' as const, value }];
  return { ...state, filters, offset: 0 };
}

/** Sets or, with an empty value, removes the filter of a facet with an operator. */
export function setFilter(state: ListState, key: string, operator: Operator, value: string): ListState {
  const others = state.filters.filter((filter) => filter.key !== key || filter.operator !== operator);
  const filters = value === '' ? others : [...others, { key, operator, value }];
  return { ...state, filters, offset: 0 };
}

/** Returns the value of a facet's filter with an operator; empty without one. */
export function filterValue({ filters }: ListState, key: string, operator: Operator): string {
  return filters.find((filter) => filter.key === key && filter.operator === operator)?.value ?? '';
}

/** Returns whether a value of a facet is chosen. */
export function isChosen({ filters }: ListState, key: string, value: string): boolean {
  return filters.some((filter) => filter.key === key && filter.operator === 'is' && filter.value === value);
}

/**
 * Sorts by a column: first the way that is usual for it, then the other way, then in the list's own order.
 *
 * @param descendingFirst whether the largest value is usually wanted first
 */
export function cycleSort(state: ListState, key: string, descendingFirst: boolean): ListState {
  const current = state.sort.find((by) => by.key === key);
  if (current === undefined) return { ...state, sort: [{ key, descending: descendingFirst }], offset: 0 };
  if (current.descending === descendingFirst)
    return { ...state, sort: [{ key, descending: !descendingFirst }], offset: 0 };
  return { ...state, sort: [], offset: 0 };
}
