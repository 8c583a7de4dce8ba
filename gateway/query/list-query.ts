// List queries: reads the parameters of a list request, and selects the rows of its page.
// Every parameter is checked against the facets of the list before any row is visited.
// Selection: each filter is a loop that keeps the rows which pass it, search ranks these by their names (name-index.ts), and a cached order of all
// rows puts the result in order. A query without filters is a slice of that order.
// The cost is linear in the number of rows; only search with typos does more work.
import type { Scalar } from '../../scripts/format/attributes.ts';
import { LIST_PARAMETERS } from '../../scripts/format/dist-format.ts';
import { parseWhole, type RawQuery, readOnce, splitList } from '../http/incoming.ts';
import { invalidParameter, quote, suggest } from '../http/problem.ts';
import {
  type Collection,
  type Column,
  type ElementList,
  outermostList,
  readTime,
  type SortKey,
} from './collection.ts';
import type { Projection } from './fields.ts';
import { foldText, readSearchText, type SearchText } from './fold.ts';
import { searchNames } from './name-index.ts';
import { isNameInLanguage, type Languages, languageTag, readLanguage, Translation } from './translation.ts';

export const MAX_RECORDS = 1000;
const MAX_SORT_KEYS = 8;
/** The maximum length of `q`, in characters, and its maximum number of different words. */
export const MAX_SEARCH_LENGTH = 256;
export const MAX_SEARCH_WORDS = 16;

/** A list request, checked against the list. */
export interface ListQuery extends Filters {
  q?: SearchText | undefined;
  /** The rows of `ids` in the given order, and the unknown ids. */
  ids: { rows: number[]; missing: string[] } | undefined;
  /** Empty for the order of `ids`, for relevance with `q`, and for the list's own order. */
  sort: SortKey[];
  /** The envelope's `sort`: `-rarity,name`, `id`, `ids`, `relevance`; null for a list without ids in its own order. */
  sortName: string | null;
  /** Undefined for all records. */
  limit: number | undefined;
  offset: number;
  projection?: Projection;
  /** Translates the records into the language of `lang`. */
  translation?: Translation;
  /** The language tag of `lang`. */
  language?: string;
}

type Parameter = (typeof LIST_PARAMETERS)[number];
const PARAMETERS: ReadonlySet<string> = new Set(LIST_PARAMETERS);
/** A parameter whose values are filters, for clients that can send only the parameters that they know. */
const FILTER: Parameter = 'filter';

/**
 * Reads the parameters of a list request.
 *
 * @param defaultLimit the limit if none is given; undefined for all records
 * @throws HttpProblem at the first invalid parameter
 */
export function parseListQuery(
  raw: RawQuery,
  list: Collection,
  defaultLimit: number | undefined,
  languages: Languages = { codes: [], own: undefined },
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
    ids,
    sort: [],
    sortName: sort ?? (ids ? 'ids' : ownSort),
    limit: limit === undefined ? defaultLimit : parseWhole('limit', limit, 0, MAX_RECORDS),
    offset: offset === undefined ? 0 : parseWhole('offset', offset, 0),
    ...readTranslation(parameters.get('lang'), list, languages),
  };
  // An empty list has no facets to check against; every query selects nothing.
  if (list.count === 0) return query;
  for (const [name, values] of parameters) if (!PARAMETERS.has(name)) addFilter(query, name, values, list);
  const q = once('q');
  if (q !== undefined && list.columns.get('name')?.type !== 'string')
    throw invalidParameter('q', 'q searches names, and these records have none');
  query.q = q === undefined ? undefined : checkSearch(q);
  if (sort !== undefined) query.sort = parseSort(sort, list);
  const fields = parameters.get('fields');
  if (fields) query.projection = parseFields(fields, list, query.translation);
  return query;
}

/** Reads the values of `lang`. @throws HttpProblem */
export function readTranslation(
  values: readonly string[] | undefined,
  list: Collection,
  languages: Languages,
): Pick<ListQuery, 'translation' | 'language'> {
  if (values === undefined) return {};
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
  if (name !== '' && !PARAMETERS.has(name)) return [name, text.slice(end + 1)];
  throw invalidParameter(
    FILTER,
    `${FILTER} is ${quote(text)}, expected a facet, an operator or none, "=" and a value, such as rarity[gte]=4`,
  );
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
  const sort: SortKey[] = [];
  for (const name of names) {
    const key = name.startsWith('-') ? name.slice(1) : name;
    const column = list.columns.get(key);
    if (column === undefined)
      throw refuse(`cannot sort by ${quote(key)}, which is not a facet${suggest(key, list.columns.keys())}`);
    if (column.list) throw refuse(`cannot sort by ${quote(key)}, which has several values per record`);
    if (sort.some((each) => each.column === column))
      throw refuse(`${quote(key)} is in sort twice, expected once`);
    sort.push({ column, descending: name !== key });
  }
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
  const isKnown = (key: string) => list.hasField(key) || key === translation?.keptName;
  const named = new Set(splitList('fields', values));
  const keys = [...named].filter((key) => isKnown(key) || !isNameInLanguage(key));
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
  /** The values that pass have codes from `from` to below `to`. */
  from: number;
  to: number;
  /** If not all of these pass: a 1 for each code that does. */
  chosen?: Uint8Array | undefined;
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

/** The most groups in a request: each one needs another pass over the elements of its list. */
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
  const parsed = parse(name, column, values);
  const { from = 0, to = column.values.length, chosen, negated = false, unknown = [] } = parsed;
  const condition = { facet: key, column, from, to, chosen, negated, unknown };
  if (unknown.length > 0) filters.hasUnknown = true;
  if (elements) groupOf(filters, elements, label && `${listKey}[${label}]`).push(condition);
  else filters.conditions.push(condition);
}

/** Returns the conditions on the same element. @throws HttpProblem */
function groupOf({ groups }: Filters, elements: ElementList, name: string | undefined): Condition[] {
  const match = groups.find((group) => name !== undefined && group.name === name);
  if (match) return match.conditions;
  const fault = `filters look into ${MAX_GROUPS + 1} elements of lists, expected at most ${MAX_GROUPS}`;
  if (groups.length === MAX_GROUPS) throw invalidParameter(name ?? FILTER, fault);
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
) => Partial<Pick<Condition, 'from' | 'to' | 'chosen' | 'negated' | 'unknown'>>;

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

/** Chooses the codes whose value, in one of a column's forms, passes a test. */
function choose<Value>(values: ArrayLike<Value>, passes: (value: Value) => boolean): Uint8Array {
  const chosen = new Uint8Array(values.length);
  for (let code = 0; code < values.length; code++) if (passes(values[code] as Value)) chosen[code] = 1;
  return chosen;
}

/** Selects the numbers or times beyond the strictest of some limits. @param sign 1 for larger ones, -1 for smaller ones */
function bound(sign: 1 | -1, isInclusive: boolean): Parse {
  return (name, column, texts) => {
    const parse = column.type === 'number' ? parseScalar : parseTime;
    const limit = sign * Math.max(...texts.map((text) => sign * Number(parse(name, column, text))));
    const numbers = column.numbers as Float64Array;
    const passes = (value: number) => sign * (value - limit) > 0 || (isInclusive && value === limit);
    if (column.type !== 'number') return { chosen: choose(numbers, passes) };
    // Numbers ascend, so those beyond a limit are together.
    let [from, to] = [0, numbers.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (passes(numbers[middle] as number) === (sign === 1)) to = middle;
      else from = middle + 1;
    }
    return sign === 1 ? { from } : { to };
  };
}

const parseEqual: Parse = (name, column, texts) => {
  const found = texts.map((text) => column.coded.codeOf.get(parseScalar(name, column, text)));
  const unknown = texts.filter((_, at) => found[at] === undefined);
  const [from = 0] = found;
  if (found.length === 1) return { from, to: unknown.length === 1 ? from : from + 1, unknown };
  const chosen = new Uint8Array(column.values.length);
  for (const code of found) if (code !== undefined) chosen[code] = 1;
  return { chosen, unknown };
};

const parseContains: Parse = (_, { folded }, texts) => {
  const parts = texts.map(foldText);
  return { chosen: choose(folded, (text) => parts.every((part) => text.includes(part))) };
};

const parseExists: Parse = (name, _, texts) => {
  const [text] = texts;
  if (texts.length > 1 || (text !== 'true' && text !== 'false'))
    throw invalidParameter(name, `[exists] is ${texts.map(quote).join(', ')}, expected true or false, once`);
  return { negated: text === 'false' };
};

const NUMBER = /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/;

function parseScalar(name: string, { key, type }: Column, text: string): Scalar {
  if (type === 'string') return text;
  if (type === 'number' && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const [first, second] = text.split(',');
  const remedy = `; for any of several values repeat the parameter: ${key}=${first}&${key}=${second?.trim()}`;
  const expected = type === 'boolean' ? 'boolean (true or false)' : type;
  const fault = `${key} is ${quote(text)}, expected a ${expected}${second === undefined ? '' : remedy}`;
  throw invalidParameter(name, fault);
}

function parseTime(name: string, { key }: Column, text: string): number {
  const time = readTime(text);
  if (time !== undefined) return time;
  const expected = 'expected a date or time such as 2026-07-01 or 2026-07-01T18:00:00Z';
  throw invalidParameter(name, `${key} is ${quote(text)}, ${expected}`);
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
    label: 'is not',
    types: ALL_TYPES,
    value: 'list',
    description: 'Any other value, or none.',
    parse: (name, column, texts) => ({ ...parseEqual(name, column, texts), negated: true }),
  },
  contains: {
    label: 'contains',
    types: ['string', 'time'],
    value: 'text',
    parse: parseContains,
    description: 'A text that contains the value; case, accents and width do not matter.',
  },
  exists: {
    label: 'exists',
    types: ALL_TYPES,
    value: 'boolean',
    parse: parseExists,
    description: 'Whether the record has the attribute.',
  },
} as const satisfies Record<string, OperatorInfo>;

type Operator = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[];

/** Marks the rows that pass all filters with a 1, and returns their number. It begins with the value that the fewest rows have. */
function applyFilters({ conditions, groups }: Filters, marks: Uint8Array): number {
  let rows: readonly number[] | undefined;
  let first: Condition | undefined;
  for (const condition of conditions) {
    const { column, from, to, chosen, negated } = condition;
    if (negated || chosen || to - from !== 1) continue;
    const passing = column.coded.rowsOf[from] as readonly number[];
    if (rows === undefined || passing.length < rows.length) [rows, first] = [passing, condition];
  }
  marks.fill(rows === undefined ? 1 : 0);
  let total = rows === undefined ? marks.length : mark(rows, marks).length;
  for (const condition of conditions) if (condition !== first) total = keep(condition, rows, marks);
  for (const { name, elements, conditions: ofElement } of groups) {
    // Without a label, `[ne]` means that no element has the value.
    const isNone = name === undefined && ofElement[0]?.negated === true;
    const asked = isNone ? ofElement.map((each) => ({ ...each, negated: false })) : ofElement;
    applyFilters({ conditions: asked, groups: [] }, elements.marks);
    const has = new Uint8Array(marks.length);
    for (const [element, row] of elements.rowOf.entries()) if (elements.marks[element] === 1) has[row] = 1;
    total = 0;
    for (let row = 0; row < marks.length; row++) {
      if ((has[row] === 1) === isNone) marks[row] = 0;
      else total += marks[row] as number;
    }
  }
  return total;
}

/** Unmarks the rows that do not pass a condition, and returns how many are left. @param rows the marked ones; all if absent */
function keep(condition: Condition, rows: readonly number[] | undefined, marks: Uint8Array): number {
  const { column, from, to, chosen, negated } = condition;
  const { codes, rowsOf } = column.coded;
  const passes = (code: number) => code >= from && code < to && (chosen === undefined || chosen[code] === 1);
  const has = column.list ? new Uint8Array(marks.length) : undefined;
  if (has) for (const [code, each] of rowsOf.entries()) if (passes(code)) mark(each, has);
  let total = 0;
  const length = rows?.length ?? marks.length;
  for (let at = 0; at < length; at++) {
    const row = rows === undefined ? at : (rows[at] as number);
    if ((has === undefined ? passes(codes[row] as number) : has[row] === 1) === negated) marks[row] = 0;
    else total += marks[row] as number;
  }
  return total;
}

/** Marks rows, and returns them. */
function mark(rows: readonly number[], marks: Uint8Array): readonly number[] {
  for (let at = 0; at < rows.length; at++) marks[rows[at] as number] = 1;
  return rows;
}

/** Returns the page of the rows that match a query, in order, and the number of these rows. */
export function selectRows(list: Collection, query: ListQuery): { total: number; rows: readonly number[] } {
  const { conditions, groups, q, ids, offset, limit = list.count, sort } = query;
  const order = list.order(sort);
  if (conditions.length + groups.length === 0 && q === undefined && ids === undefined)
    return { total: list.count, rows: [...order.subarray(offset, offset + limit)] };

  const { marks } = list;
  const passing = applyFilters(query, marks);
  // Without a sort, the order is that of `ids`, else relevance, else the list's own.
  let rows: readonly number[] | undefined;
  const select = (chosen: readonly number[]) => mark(chosen, marks.fill(0));
  if (q) {
    const hits = searchNames(list.names, q, passing < list.count ? marks : undefined);
    rows = select(hits.map(({ row }) => row));
  }
  if (ids) rows = select(ids.rows.filter((row) => marks[row] === 1));
  const total = rows?.length ?? passing;
  if (rows && sort.length === 0) return { total, rows: rows.slice(offset, offset + limit) };
  const length = Math.min(limit, total - offset);
  const page: number[] = [];
  for (let at = 0, skipped = 0; at < order.length && page.length < length; at++) {
    const row = order[at] as number;
    if (marks[row] === 1 && skipped++ >= offset) page.push(row);
  }
  return { total, rows: page };
}
