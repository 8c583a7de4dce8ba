// List queries: reads the parameters of a list request, and selects the rows of its page.
// Every parameter is checked against the facets of the list before any row is visited.
// Selection: each filter is a loop that keeps the rows which pass it, search ranks these by their names (name-index.ts), and a cached order of all
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
import { invalidParameter, quote, suggest } from '../http/problem.ts';
import {
  type Collection,
  type Column,
  type ElementList,
  outermostList,
  readTime,
  type Scalar,
  type SortKey,
} from './collection.ts';
import type { Projection } from './fields.ts';
import { foldText, readSearchText, type SearchText } from './fold.ts';
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
  const once = (name: Parameter) => readOnce(name, parameters.get(name));
  const [sort, limit, offset] = [once('sort'), once('limit'), once('offset')];
  const idTexts = parameters.get('ids');
  const ids = idTexts && parseIds(idTexts, list);
  const ownSort = parameters.has('q') ? 'relevance' : list.rowOfId ? 'id' : null;
  const query: ListQuery = {
    conditions: [],
    groups: [],
    q: undefined,
    ids,
    sort: [],
    sortName: sort ?? (ids ? 'ids' : ownSort),
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
  query.q = parseSearch(once('q'), list);
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
  if (length > MAX_SEARCH_LENGTH)
    throw invalidParameter('q', `q has ${length} characters, expected at most ${MAX_SEARCH_LENGTH}`);
  const text = readSearchText(q);
  if (text === undefined) throw invalidParameter('q', 'q is empty, expected a part of a name');
  const count = text.words.length;
  if (count <= MAX_SEARCH_WORDS) return text;
  throw invalidParameter('q', `q has ${count} different words, expected at most ${MAX_SEARCH_WORDS}`);
}

function parseIds(values: string[], list: Collection): { rows: number[]; missing: string[] } {
  const { rowOfId } = list;
  if (rowOfId === undefined) throw invalidParameter('ids', 'these records have no ids');
  const ids = [...new Set(splitList('ids', values))];
  const missing = ids.filter((id) => !rowOfId.has(id));
  return { rows: ids.flatMap((id) => rowOfId.get(id) ?? []), missing };
}

function parseSort(text: string, list: Collection): SortKey[] {
  const refuse = (detail: string) => invalidParameter('sort', detail);
  const names = splitList('sort', [text]);
  if (names.length > MAX_SORT_KEYS)
    throw refuse(`sort has ${names.length} keys, expected at most ${MAX_SORT_KEYS}`);
  const sort = names.map((name): SortKey => {
    const descending = name.startsWith('-');
    const key = descending ? name.slice(1) : name;
    const column = list.columns.get(key);
    if (column === undefined)
      throw refuse(`cannot sort by ${quote(key)}, which is not a facet${suggest(key, list.columns.keys())}`);
    if (column.list) throw refuse(`cannot sort by ${quote(key)}, which has several values per record`);
    return { column, descending };
  });
  const twice = sort.find(({ column }, at) => sort.findIndex((other) => other.column === column) < at);
  if (twice) throw refuse(`${quote(twice.column.key)} is in sort twice, expected once`);
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
  const isKnown = (key: string) => list.hasField(key) || translation?.keeps(key) === true;
  const keys = splitList('fields', values).filter((key) => isKnown(key) || !isNameInLanguage(key));
  const unknown = keys.find((key) => !isKnown(key));
  if (unknown !== undefined) {
    const near = list.hasField(unknown.trim())
      ? '; expected names separated by commas, without spaces'
      : suggest(unknown, list.attributes);
    throw invalidParameter('fields', `${quote(unknown)} is not an attribute of these records${near}`);
  }
  return (translation ?? list).project(list.rowOfId ? ['id', ...keys] : keys);
}

/** A condition on a facet: selects the rows with one of some values or, if `negated`, all other rows. */
export interface Condition {
  /** The facet as the request names it, without the operator. */
  facet: string;
  column: Column;
  /** The codes of the values that pass: those from `from` to below `to`, or those with a 1. */
  codes: { from: number; to: number } | Uint8Array;
  negated: boolean;
  /** The requested values that no row has. */
  unknown: readonly string[];
}

/** Conditions on the elements of a list of objects: those with the same label must hold for the same element. */
interface ElementConditions {
  /** The key of the list with the label, `ascension.materials[m]`; undefined for a condition without a label. */
  name: string | undefined;
  elements: ElementList;
  conditions: Condition[];
}

export interface Filters {
  conditions: Condition[];
  groups: ElementConditions[];
  /** Whether a condition has `unknown` values. */
  hasUnknown?: true;
}

/** The maximum number of labels in a request: each one needs another pass over the elements of its list. */
const MAX_GROUPS = 16;
/** `ascension.materials[m].name`: the list, the label, and the attribute of its elements. */
const LABELLED = /^([^[\]]+)\[([a-z][a-z0-9]{0,15})\]\.([^[\]]+)$/;

/**
 * Adds the condition of one filter.
 *
 * @param name the parameter as given: `stats.atk[gte]`, `ascension.materials.name`, `ascension.materials[m].count[gte]`
 * @param values without an operator, one of them must match; with one, all must hold
 * @throws HttpProblem
 */
function addFilter(filters: Filters, name: string, values: string[], list: Collection): void {
  const bracket = name.endsWith(']') ? name.lastIndexOf('[') : -1;
  const key = bracket === -1 ? name : name.slice(0, bracket);
  const operator = bracket === -1 ? undefined : name.slice(bracket + 1, -1);
  const own = list.columns.get(key);
  const [, listKey, label, attribute] = own ? [] : (LABELLED.exec(key) ?? []);
  const outer = own ? undefined : (listKey ?? outermostList(key, list.objectLists));
  const elements = outer === undefined ? undefined : list.findElements(outer);
  const column = own ?? elements?.columns.get(attribute ?? key.slice((outer ?? '').length + 1));
  if (column === undefined) throw unknownFacet(name, key, list);
  const parse = operator === undefined ? parseEqual : parserOf(name, column, operator);
  const condition = { facet: key, column, negated: false, unknown: [], ...parse(name, column, values) };
  if (condition.unknown.length > 0) filters.hasUnknown = true;
  if (elements) groupOf(filters, elements, label && `${listKey}[${label}]`).push(condition);
  else filters.conditions.push(condition);
}

/** Returns the conditions on the same element. @throws HttpProblem */
function groupOf({ groups }: Filters, elements: ElementList, name: string | undefined): Condition[] {
  const labelled = groups.filter((group) => group.name !== undefined);
  const match = labelled.find((group) => group.name === name);
  if (match) return match.conditions;
  if (name !== undefined && labelled.length === MAX_GROUPS)
    throw invalidParameter(
      name,
      `${quote(name)} is one label too many, expected at most ${MAX_GROUPS} in a request`,
    );
  const conditions: Condition[] = [];
  groups.push({ name, elements, conditions });
  return conditions;
}

function unknownFacet(name: string, key: string, list: Collection): Error {
  const outer = outermostList(key.replace(/\[[^[\]]*\]/g, ''), list.objectLists);
  const inside = [...((outer && list.findElements(outer)?.columns.keys()) || [])].map(
    (of) => `${outer}.${of}`,
  );
  const near = suggest(key, [...list.columns.keys(), ...inside, ...LIST_PARAMETERS]);
  const operators = OPERATOR_NAMES.map((operator) => `[${operator}]`).join(' ');
  return invalidParameter(
    name,
    `${quote(key)} is neither a parameter nor a facet${near}; expected a facet, with an operator ${operators} or none, or one of ${LIST_PARAMETERS.join(', ')}; /api/{game}/attributes and /api/{game}/{dataset}/attributes describe the facets`,
  );
}

/** Reads the values of a filter. @param name the parameter as given, for the error @throws HttpProblem */
type Parse = (
  name: string,
  column: Column,
  values: string[],
) => Pick<Condition, 'codes'> & Partial<Pick<Condition, 'negated' | 'unknown'>>;

/** Returns the reader of an operator's values. @throws HttpProblem if there is no such operator, or not for the facet */
function parserOf(name: string, column: Column, operator: string): Parse {
  if (!Object.hasOwn(OPERATORS, operator))
    throw invalidParameter(
      name,
      `${quote(operator)} is not an operator, expected one of ${OPERATOR_NAMES.join(', ')}`,
    );
  const { types, value, parse }: OperatorInfo = OPERATORS[operator as Operator];
  const type = column.type === 'string' && column.numbers ? 'time' : column.type;
  if (types.includes(type)) return parse;
  const use = value === 'text' ? 'is for texts' : 'compares numbers and times';
  throw invalidParameter(name, `[${operator}] ${use}, and ${column.key} is a ${type}`);
}

/** Selects the values that pass a test. */
function codesOf({ values }: Column, passes: (code: number) => boolean): Uint8Array {
  return Uint8Array.from(values, (_, code) => (passes(code) ? 1 : 0));
}

/** Selects the numbers or times beyond the strictest of some limits. @param sign 1 for larger ones, -1 for smaller ones */
function bound(sign: 1 | -1, isInclusive: boolean): Parse {
  return (name, column, texts) => {
    const isNumber = column.type === 'number';
    const parse = isNumber ? parseScalar : parseTime;
    const limit = sign * Math.max(...texts.map((text) => sign * Number(parse(name, column, text))));
    const numbers = column.numbers as Float64Array;
    if (!isNumber) {
      const over = (code: number) => sign * ((numbers[code] as number) - limit);
      return { codes: codesOf(column, (code) => over(code) > 0 || (isInclusive && over(code) === 0)) };
    }
    // Numbers are sorted, so those beyond the limit are together.
    const border = countBelow(numbers, limit, isInclusive === (sign === -1));
    return { codes: sign === 1 ? { from: border, to: numbers.length } : { from: 0, to: border } };
  };
}

/** Returns how many ascending numbers are below `limit` (or equal to it, if `isInclusive`). */
function countBelow(numbers: Float64Array, limit: number, isInclusive: boolean): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = numbers[middle] as number;
    if (value < limit || (isInclusive && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const parseEqual: Parse = (name, column, texts) => {
  const found = texts.map((text) => column.coded.codeOf.get(parseScalar(name, column, text)));
  const unknown = texts.filter((_, at) => found[at] === undefined);
  const [from = -1] = found;
  if (found.length === 1)
    return { codes: from === -1 ? { from, to: from } : { from, to: from + 1 }, unknown };
  return { codes: codesOf(column, (code) => found.includes(code)), unknown };
};

const parseContains: Parse = (_, column, texts) => {
  const parts = texts.map(foldText);
  const { folded } = column;
  return { codes: codesOf(column, (code) => parts.every((part) => folded[code]?.includes(part))) };
};

const parseExists: Parse = (name, { values }, texts) => {
  const [text] = texts;
  if (texts.length > 1 || (text !== 'true' && text !== 'false'))
    throw invalidParameter(name, `[exists] is ${texts.map(quote).join(', ')}, expected true or false, once`);
  return { codes: { from: 0, to: values.length }, negated: text === 'false' };
};

const NUMBER = /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/;
/** A value with more commas is not a list that somebody typed. */
const MAX_PARTS = 8;

function parseScalar(name: string, { key, type }: Column, text: string): Scalar {
  if (type === 'string') return text;
  if (type === 'number' && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const parts = text.split(',');
  const remedy = `; for any of several values repeat the parameter: ${parts.map((part) => `${key}=${part.trim()}`).join('&')}`;
  const expected = type === 'boolean' ? 'boolean (true or false)' : type;
  throw invalidParameter(
    name,
    `${key} is ${quote(text)}, expected a ${expected}${parts.length > 1 && parts.length <= MAX_PARTS ? remedy : ''}`,
  );
}

function parseTime(name: string, { key }: Column, text: string): number {
  const time = readTime(text);
  if (time !== undefined) return time;
  throw invalidParameter(
    name,
    `${key} is ${quote(text)}, expected a date or time such as 2026-07-01 or 2026-07-01T18:00:00Z`,
  );
}

/** An operator of a filter `attribute[operator]=value`, as the parser, the API document, clients and pages use it. */
export interface OperatorInfo {
  /** The operator in words: `at least`. */
  label: string;
  /** The types of attributes that it supports; `time` is a text whose values are all dates or times. */
  types: readonly ('string' | 'number' | 'boolean' | 'time')[];
  /** Its value: of the attribute's own type, several of these, a part of a text, or true or false. */
  value: 'own' | 'list' | 'text' | 'boolean';
  description: string;
  parse: Parse;
}

const COMPARED = { types: ['number', 'time'], value: 'own' } as const;
const ALL_TYPES = ['string', 'number', 'boolean', 'time'] as const;

/** All operators. Without an operator, a filter means equality with any of its values. */
export const OPERATORS = {
  gte: { label: 'at least', ...COMPARED, description: 'The value or more.', parse: bound(1, true) },
  gt: { label: 'more than', ...COMPARED, description: 'More than the value.', parse: bound(1, false) },
  lte: { label: 'at most', ...COMPARED, description: 'The value or less.', parse: bound(-1, true) },
  lt: { label: 'less than', ...COMPARED, description: 'Less than the value.', parse: bound(-1, false) },
  ne: {
    ...{ label: 'is not', types: ALL_TYPES, value: 'list', description: 'Any other value, or none.' },
    parse: (name, column, texts) => ({ ...parseEqual(name, column, texts), negated: true }),
  },
  contains: {
    ...{ label: 'contains', types: ['string', 'time'], value: 'text', parse: parseContains },
    description: 'A text that contains the value; case, accents and width do not matter.',
  },
  exists: {
    ...{ label: 'exists', types: ALL_TYPES, value: 'boolean', parse: parseExists },
    description: 'Whether the record has the attribute.',
  },
} as const satisfies Record<string, OperatorInfo>;

type Operator = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[];

/** Returns the rows that pass all filters, ascending. It begins with the value that the fewest rows have. */
function applyFilters({ conditions, groups }: Filters, count: number): Int32Array {
  let rows: Int32Array | undefined;
  let first: Condition | undefined;
  for (const condition of conditions) {
    const { column, codes, negated } = condition;
    if (negated || codes instanceof Uint8Array || codes.to - codes.from !== 1) continue;
    const passing = column.rowsOf(codes.from);
    if (rows === undefined || passing.length < rows.length) [rows, first] = [passing, condition];
  }
  if (rows === undefined) {
    rows = new Int32Array(count);
    for (let row = 0; row < count; row++) rows[row] = row;
  }
  for (const condition of conditions) if (condition !== first) rows = keep(condition, rows, count);
  for (const { name, elements, conditions: ofElement } of groups) {
    // Without a label, `[ne]` means that no element has the value.
    const isNone = name === undefined && ofElement[0]?.negated === true;
    const asked = isNone ? ofElement.map((each) => ({ ...each, negated: false })) : ofElement;
    const has = new Uint8Array(count);
    for (const element of applyFilters({ conditions: asked, groups: [] }, elements.count))
      has[elements.rowOf[element] as number] = 1;
    rows = rows.filter((row) => (has[row] === 1) !== isNone);
  }
  return rows;
}

/** Returns the rows that pass a condition. */
function keep({ column, codes, negated }: Condition, rows: Int32Array, count: number): Int32Array {
  const { codes: codeOf, items, rows: rowOf } = column.coded;
  const flip = negated ? 1 : 0;
  const kept = new Int32Array(rows.length);
  let length = 0;
  if (!column.list && !(codes instanceof Uint8Array)) {
    const [from, last] = [codes.from, codes.to - 1];
    // Without a branch, which would be mispredicted for every second row: the sign of either difference is negative outside the range.
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number;
      const code = codeOf[row] as number;
      kept[length] = row;
      length += (((code - from) | (last - code)) >>> 31) ^ 1 ^ flip;
    }
    return kept.subarray(0, length);
  }
  const has = new Uint8Array(count);
  const passes = (code: number) =>
    codes instanceof Uint8Array ? codes[code] === 1 : code >= codes.from && code < codes.to;
  for (let at = 0; at < items.length; at++) if (passes(items[at] as number)) has[rowOf[at] as number] = 1;
  return rows.filter((row) => has[row] !== flip);
}

/** A page of a list: the number of matching rows, and the rows on the page, in order. */
interface Selection {
  total: number;
  rows: readonly number[];
}

/** Returns the page of the rows that match a query. */
export function selectRows(list: Collection, query: ListQuery): Selection {
  const { conditions, groups, q, ids, offset, limit = list.count, sort } = query;
  const isFiltered = conditions.length + groups.length > 0;
  if (!isFiltered && q === undefined && ids === undefined)
    return { total: list.count, rows: [...list.order(sort).subarray(offset, offset + limit)] };

  const passing = isFiltered ? applyFilters(query, list.count) : undefined;
  let hit = new Uint8Array(list.count);
  if (passing === undefined) hit.fill(1);
  else for (let at = 0; at < passing.length; at++) hit[passing[at] as number] = 1;
  const ranked = q && list.names.search(q, hit);
  let total = ranked?.length ?? passing?.length ?? list.count;
  if (ids !== undefined) {
    const asked = new Uint8Array(list.count);
    for (const row of ids.rows) asked[row] = hit[row] as number;
    hit = asked;
    total = asked.reduce((sum, one) => sum + one, 0);
  }
  const order = sort.length > 0 ? list.order(sort) : (ids?.rows ?? ranked ?? list.order(sort));
  const rows: number[] = [];
  const length = Math.min(limit, Math.max(0, total - offset));
  for (let at = 0, skipped = 0; rows.length < length; at++) {
    const row = order[at] as number;
    if (hit[row] === 1 && skipped++ >= offset) rows.push(row);
  }
  return { total, rows };
}
