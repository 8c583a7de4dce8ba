import { LIST_PARAMETERS } from '../../scripts/format/dist-format.ts';
import { invalidParameter, quote, suggest } from '../http/problem.ts';
import type { Collection } from './collection.ts';
import { type Column, countBelow, readTime, type Scalar } from './column.ts';
import { type ElementList, outermostList } from './fields.ts';
import { foldText } from './fold.ts';

/** A range of codes, `to` excluded. */
type Range = readonly [from: number, to: number];

/** A condition on a facet: selects the rows with a code in one of the ranges or, if `negated`, all other rows. */
export interface Condition {
  /** The facet as the request names it, without the operator. */
  facet: string;
  column: Column;
  ranges: readonly Range[];
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

/** A facet. Inside a list of objects, its column has elements instead of rows. */
interface Facet {
  column: Column;
  elements?: ElementList;
  /** The list and the label of the element, if it has one. */
  name?: string;
}

/** The maximum number of labels in a request: each one needs another pass over the elements of its list. */
const MAX_GROUPS = 16;
/** `ascension.materials[m].name`: the list, the label, and the attribute of its elements. */
const LABELLED = /^([^[\]]+)\[([a-z][a-z0-9]{0,15})\]\.([^[\]]+)$/;

/**
 * Adds the condition of one filter.
 *
 * @param name the parameter as given: `stats.atk[gte]`, `ascension.materials.name`, `ascension.materials[m].count[gte]`
 * @throws HttpProblem
 */
export function addFilter(filters: Filters, name: string, values: string[], list: Collection): void {
  const bracket = name.endsWith(']') ? name.lastIndexOf('[') : -1;
  const key = bracket === -1 ? name : name.slice(0, bracket);
  const facet = findFacet(key, list);
  if (facet === undefined) throw unknownFacet(name, key, list);
  const operator = bracket === -1 ? undefined : name.slice(bracket + 1, -1);
  const condition: Condition = { facet: key, ...parseCondition(name, facet.column, operator, values) };
  if (condition.unknown.length > 0) filters.hasUnknown = true;
  if (facet.elements) groupOf(filters, facet.elements, facet.name).push(condition);
  else filters.conditions.push(condition);
}

/** Returns the conditions on the same element. @throws HttpProblem */
function groupOf({ groups }: Filters, elements: ElementList, name: string | undefined): Condition[] {
  const match = name === undefined ? undefined : groups.find((group) => group.name === name);
  if (match) return match.conditions;
  if (name !== undefined && groups.filter((group) => group.name !== undefined).length === MAX_GROUPS)
    throw invalidParameter(
      name,
      `${quote(name)} is one label too many, expected at most ${MAX_GROUPS} in a request`,
    );
  const conditions: Condition[] = [];
  groups.push({ name, elements, conditions });
  return conditions;
}

/** Finds a facet, including those inside lists of objects. */
function findFacet(key: string, list: Collection): Facet | undefined {
  const column = list.columns.get(key);
  if (column) return { column };
  if (list.objectLists.size === 0) return undefined;
  const [, listKey, label, attribute] = LABELLED.exec(key) ?? [];
  const outer = listKey ?? outermostList(key, list.objectLists);
  const elements = outer === undefined ? undefined : list.findElements(outer);
  const inside = elements?.columns.get(attribute ?? key.slice((outer?.length ?? 0) + 1));
  if (elements === undefined || inside === undefined) return undefined;
  return { column: inside, elements, ...(label !== undefined && { name: `${listKey}[${label}]` }) };
}

function unknownFacet(name: string, key: string, list: Collection): Error {
  const outer = outermostList(key.replace(/\[[^[\]]*\]/g, ''), list.objectLists);
  const inside = [...((outer && list.findElements(outer)?.columns.keys()) || [])].map(
    (of) => `${outer}.${of}`,
  );
  const near = suggest(key, [...list.columns.keys(), ...inside, ...LIST_PARAMETERS]);
  const detail = `${quote(key)} is neither a parameter nor a facet${near}; expected a facet, with an operator ${OPERATOR_NAMES.map((operator) => `[${operator}]`).join(' ')} or none, or one of ${LIST_PARAMETERS.join(', ')}; /api/{game}/attributes and /api/{game}/{dataset}/attributes describe the facets`;
  return invalidParameter(name, detail);
}

/**
 * Reads the values of one facet and operator.
 *
 * @param name the parameter as given, for the error
 * @param operator the text in brackets; undefined for equality
 * @param values without an operator, one of them must match; with one, all must hold
 * @throws HttpProblem
 */
function parseCondition(
  name: string,
  column: Column,
  operator: string | undefined,
  values: string[],
): Omit<Condition, 'facet'> {
  if (operator === undefined) return parseEqual(name, column, values);
  if (!isOperator(operator))
    throw invalidParameter(
      name,
      `${quote(operator)} is not an operator, expected one of ${OPERATOR_NAMES.join(', ')}`,
    );
  const type = column.type === 'string' && column.times ? 'time' : column.type;
  const types: readonly string[] = OPERATORS[operator].types;
  if (!types.includes(type))
    throw invalidParameter(
      name,
      `[${operator}] ${OPERATORS[operator].value === 'text' ? 'is for texts' : 'compares numbers and times'}, and ${column.key} is a ${type}`,
    );
  return { column, negated: false, unknown: [], ...PARSERS[operator](name, column, values) };
}

function isOperator(text: string): text is Operator {
  return Object.hasOwn(OPERATORS, text);
}

type Parse = (
  name: string,
  column: Column,
  values: string[],
) => Pick<Condition, 'ranges'> & Partial<Condition>;

const bound =
  (which: 'max' | 'min', holds: (limit: number, value: number) => boolean): Parse =>
  (name, column, values) => ({ ranges: compare(name, column, values, which, holds) });

/** The reader of the values of each operator. */
const PARSERS: Record<Operator, Parse> = {
  gte: bound('max', (limit, at) => at >= limit),
  gt: bound('max', (limit, at) => at > limit),
  lte: bound('min', (limit, at) => at <= limit),
  lt: bound('min', (limit, at) => at < limit),
  ne: (name, column, values) => ({ ...parseEqual(name, column, values), negated: true }),
  contains(_, column, values) {
    const parts = values.map((value) => foldText(value));
    return { ranges: rangesOf(column, (code) => parts.every((part) => column.folded[code]?.includes(part))) };
  },
  exists(name, column, values) {
    const value = values[0];
    if (values.length > 1 || (value !== 'true' && value !== 'false'))
      throw invalidParameter(
        name,
        `[exists] is ${values.map(quote).join(', ')}, expected true or false, once`,
      );
    return { ranges: [[0, column.values.length]], negated: value === 'false' };
  },
};

/** Returns the codes of the numbers or times beyond the strictest of some limits. */
function compare(
  name: string,
  column: Column,
  texts: string[],
  which: 'max' | 'min',
  holds: (limit: number, value: number) => boolean,
): readonly Range[] {
  const { times, values } = column;
  const limits = texts.map((text) =>
    times ? parseTime(name, column, text) : (parseScalar(name, column, text) as number),
  );
  const limit = Math[which](...limits);
  if (times) return rangesOf(column, (code) => holds(limit, times[code] ?? Number.NaN));
  // Numbers are sorted, so those beyond the limit are one range.
  const border = countBelow(column, limit, holds(limit, limit) === (which === 'min'));
  return which === 'max' ? [[border, values.length]] : [[0, border]];
}

function rangesOf({ values }: Column, passes: (code: number) => boolean | undefined): Range[] {
  const ranges: Range[] = [];
  for (let code = 0; code < values.length; code++) {
    if (!passes(code)) continue;
    const from = code;
    while (code + 1 < values.length && passes(code + 1)) code++;
    ranges.push([from, code + 1]);
  }
  return ranges;
}

function parseEqual(name: string, column: Column, values: string[]): Omit<Condition, 'facet'> {
  const codes = new Set<number>();
  const unknown: string[] = [];
  for (const value of values) {
    const code = column.coded.codeOf.get(parseScalar(name, column, value));
    if (code === undefined) unknown.push(value);
    else codes.add(code);
  }
  return { column, ranges: [...codes].map((code) => [code, code + 1]), negated: false, unknown };
}

const NUMBER = /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/;

function parseScalar(name: string, { key, type }: Column, text: string): Scalar {
  if (type === 'string') return text;
  if (type === 'number' && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const parts = text.split(',');
  const remedy =
    parts.length > 1 && parts.length <= 8
      ? `; for any of several values repeat the parameter: ${parts.map((part) => `${key}=${part.trim()}`).join('&')}`
      : '';
  throw invalidParameter(
    name,
    `${key} is ${quote(text)}, expected a ${type === 'boolean' ? 'boolean (true or false)' : type}${remedy}`,
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

/** Returns the rows that pass all filters, in any order. It begins with the condition that the fewest rows pass. */
export function applyFilters({ conditions, groups }: Filters, count: number): Int32Array {
  let rows: Int32Array | undefined;
  let first: Condition | undefined;
  for (const condition of conditions) {
    const { column, ranges, negated } = condition;
    const [range = [0, 0]] = ranges;
    if (negated || ranges.length > 1 || (column.list && range[1] - range[0] > 1)) continue;
    const passing = column.rowsIn(range[0], range[1]);
    if (rows === undefined || passing.length < rows.length) [rows, first] = [passing, condition];
  }
  rows ??= Int32Array.from({ length: count }, (_, row) => row);
  for (const condition of conditions) if (condition !== first) rows = keep(condition, rows);
  for (const { name, elements, conditions: ofElement } of groups) {
    // Without a label, `[ne]` means that no element has the value.
    const isNone = name === undefined && ofElement[0]?.negated === true;
    const asked = isNone ? ofElement.map((each) => ({ ...each, negated: false })) : ofElement;
    const has = new Uint8Array(count);
    const passing = applyFilters({ conditions: asked, groups: [] }, elements.count);
    for (const element of passing) has[elements.rowOf[element] ?? 0] = 1;
    rows = rows.filter((row) => (has[row] === 1) !== isNone);
  }
  return rows;
}

/** Returns the rows that pass a condition. */
function keep({ column, ranges, negated }: Condition, rows: Int32Array): Int32Array {
  const { codes, list, values } = column;
  const flip = negated ? 1 : 0;
  const kept = new Int32Array(rows.length);
  let length = 0;
  const [[from, to] = [0, 0]] = ranges;
  if (ranges.length <= 1 && !list) {
    // Without a branch, which would be mispredicted for every second row: the sign of either difference is negative outside the range.
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number;
      const code = codes[row] as number;
      kept[length] = row;
      length += (((code - from) | (to - 1 - code)) >>> 31) ^ 1 ^ flip;
    }
    return kept.subarray(0, length);
  }
  const mask = new Uint8Array(values.length);
  for (const [start, end] of ranges) mask.fill(1, start, end);
  const { starts, items } = column.coded;
  for (const row of rows) {
    let has = list ? 0 : (mask[codes[row] ?? -1] ?? 0);
    const end = starts[row + 1] ?? 0;
    if (list) for (let at = starts[row] ?? 0; at < end; at++) has |= mask[items[at] ?? 0] ?? 0;
    kept[length] = row;
    length += has ^ flip;
  }
  return kept.subarray(0, length);
}

/** An operator of a filter `attribute[operator]=value`, as parsers, the API document, clients and pages use it. */
export interface OperatorInfo {
  /** The operator in words: `at least`. */
  label: string;
  /** The types of attributes that it supports; `time` is a text whose values are all dates or times. */
  types: readonly ('string' | 'number' | 'boolean' | 'time')[];
  /** Its value: of the attribute's own type, several of these, a part of a text, or true or false. */
  value: 'own' | 'list' | 'text' | 'boolean';
  description: string;
}

/** All operators. Without an operator, a filter means equality with any of its values. */
export const OPERATORS = {
  gte: { label: 'at least', types: ['number', 'time'], value: 'own', description: 'The value or more.' },
  gt: { label: 'more than', types: ['number', 'time'], value: 'own', description: 'More than the value.' },
  lte: { label: 'at most', types: ['number', 'time'], value: 'own', description: 'The value or less.' },
  lt: { label: 'less than', types: ['number', 'time'], value: 'own', description: 'Less than the value.' },
  ne: {
    label: 'is not',
    types: ['string', 'number', 'boolean', 'time'],
    value: 'list',
    description: 'Any other value, or none.',
  },
  contains: {
    label: 'contains',
    types: ['string', 'time'],
    value: 'text',
    description: 'A text that contains the value; case, accents and width do not matter.',
  },
  exists: {
    label: 'exists',
    types: ['string', 'number', 'boolean', 'time'],
    value: 'boolean',
    description: 'Whether the record has the attribute.',
  },
} as const satisfies Record<string, OperatorInfo>;

export type Operator = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[];
