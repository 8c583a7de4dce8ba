import { LIST_PARAMETERS } from '../../scripts/format/dist-format.ts';
import { ParameterError } from '../http/raw-query.ts';
import { quote, suggest } from '../http/suggest.ts';
import { findNested, insideOf } from '../nested-filters/nested-filters.ts';
import type { Collection } from './collection.ts';
import { type Column, countBelow, findCode, type Scalar } from './column.ts';
import type { RowSet } from './row-set.ts';

/** The operators of the form `facet[operator]=value`. */
export const OPERATORS = ['gte', 'gt', 'lte', 'lt', 'ne', 'exists'] as const;
type Operator = (typeof OPERATORS)[number];

/** A condition on one facet: the rows whose values have codes in one of the ranges, or (`negated`) all other rows. */
export interface Condition {
  /** The facet as the request names it, without the operator. */
  facet: string;
  column: Column;
  /** From, to (exclusive). */
  ranges: [number, number][];
  negated: boolean;
  /** The values to be equal to that no row has. */
  unknown: readonly string[];
}

type Parsed = Omit<Condition, 'facet'>;

/**
 * Reads the values of one facet and operator in a request.
 *
 * @param name the parameter as given, for the error
 * @param operator the text in brackets; undefined for equality
 * @param values without an operator one of them must match; with one, all must hold
 * @throws ParameterError
 */
export function parseCondition(
  name: string,
  column: Column,
  operator: string | undefined,
  values: string[],
): Parsed {
  if (operator === undefined) return parseEqual(name, column, values);
  if (!isOperator(operator)) {
    throw new ParameterError(
      name,
      `${quote(operator)} is not an operator, expected one of ${OPERATORS.join(', ')}`,
    );
  }
  if (operator === 'ne') return { ...parseEqual(name, column, values), negated: true };
  if (operator === 'exists') return parseExists(name, column, values);
  if (column.type !== 'number') {
    throw new ParameterError(name, `[${operator}] compares numbers, and ${column.key} is a ${column.type}`);
  }
  const limits = values.map((value) => parseScalar(name, column, value) as number);
  return { column, ranges: [rangeOf(column, operator, limits)], negated: false, unknown: [] };
}

function isOperator(text: string): text is Operator {
  return (OPERATORS as readonly string[]).includes(text);
}

function parseEqual(name: string, column: Column, values: string[]): Parsed {
  const codes = new Set<number>();
  const unknown: string[] = [];
  for (const value of values) {
    const code = findCode(column, parseScalar(name, column, value));
    if (code === undefined) unknown.push(value);
    else codes.add(code);
  }
  return { column, ranges: [...codes].map((code) => [code, code + 1]), negated: false, unknown };
}

function parseExists(name: string, column: Column, values: string[]): Parsed {
  const value = values[0];
  if (values.length > 1 || (value !== 'true' && value !== 'false')) {
    throw new ParameterError(
      name,
      `[exists] is ${values.map(quote).join(', ')}, expected true or false, once`,
    );
  }
  return { column, ranges: [[0, column.values.length]], negated: value === 'false', unknown: [] };
}

function rangeOf(column: Column, operator: 'gte' | 'gt' | 'lte' | 'lt', limits: number[]): [number, number] {
  switch (operator) {
    case 'gte':
      return [countBelow(column, Math.max(...limits), false), column.values.length];
    case 'gt':
      return [countBelow(column, Math.max(...limits), true), column.values.length];
    case 'lte':
      return [0, countBelow(column, Math.min(...limits), true)];
    case 'lt':
      return [0, countBelow(column, Math.min(...limits), false)];
  }
}

const NUMBER = /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/;

function parseScalar(name: string, { key, type }: Column, text: string): Scalar {
  if (type === 'string') return text;
  if (type === 'number' && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  throw new ParameterError(
    name,
    `${key} is ${quote(text)}, expected a ${type === 'boolean' ? 'boolean (true or false)' : type}`,
  );
}

/**
 * Adds the rows whose values have codes in one of a condition's ranges: those for which it holds or, if `negated`, does not hold.
 *
 * @param set an empty set for the same list
 */
export function addRows({ column, ranges }: Condition, set: RowSet): void {
  const { offsets, rows, codes, list } = column;
  const isOfAll = ranges.length === 1 && !list && rows.length === codes.length;
  for (const [fromCode, toCode] of ranges) {
    const from = offsets[fromCode] ?? 0;
    const to = offsets[toCode] ?? 0;
    // The fewer rows are visited.
    if (isOfAll && 2 * (to - from) > rows.length) set.fillRange(rows, from, to);
    else set.addAll(rows, from, to);
  }
}

/** Conditions that must hold for one element of a list: several if their names have a label, otherwise one. */
export interface ElementConditions {
  /** The key of the list with the label: `ascension.materials[m]`. */
  name: string | undefined;
  conditions: Condition[];
  /** Adds the rows that have such an element to an empty set for the list of records. */
  addRows(rows: RowSet, rowCount: number): void;
}

/** What filters select. */
export interface Filters {
  conditions: Condition[];
  groups: ElementConditions[];
  /** Whether a condition has `unknown` values. */
  hasUnknown?: true;
}

/** A facet. */
export interface Facet {
  column: Column;
  /** Of a facet inside a list of objects: the row of each element. The column has elements instead of rows. */
  rowOf?: Int32Array;
  /** Adds a condition on such a facet. @throws ParameterError when there are too many */
  addTo?(filters: Filters, condition: Condition): void;
}

/**
 * Reads the values of one filter, and adds what they select.
 *
 * @param name the parameter as given: `stats.atk[gte]`, `ascension.materials.name`, `ascension.materials[m].count[gte]`
 * @throws ParameterError
 */
export function addFilter(filters: Filters, name: string, values: string[], list: Collection): void {
  const bracket = name.endsWith(']') ? name.lastIndexOf('[') : -1;
  const key = bracket === -1 ? name : name.slice(0, bracket);
  const facet = findFacet(key, list);
  if (facet === undefined) throw unknownFacet(name, key, list);
  const operator = bracket === -1 ? undefined : name.slice(bracket + 1, -1);
  const condition: Condition = { facet: key, ...parseCondition(name, facet.column, operator, values) };
  if (condition.unknown.length > 0) filters.hasUnknown = true;
  if (facet.addTo) facet.addTo(filters, condition);
  else filters.conditions.push(condition);
}

function findFacet(key: string, list: Collection): Facet | undefined {
  const column = list.columns.get(key);
  if (column) return { column };
  return list.objectLists.size === 0 ? undefined : findNested(key, list);
}

function unknownFacet(name: string, key: string, list: Collection): Error {
  const inside = insideOf(key, list);
  const near = suggest(key, [...list.columns.keys(), ...inside, ...LIST_PARAMETERS]);
  const detail = `${quote(key)} is neither a parameter nor a facet${near}; expected a facet, with an operator ${OPERATORS.map((operator) => `[${operator}]`).join(' ')} or none, or one of ${LIST_PARAMETERS.join(', ')}; /api/{game}/attributes and /api/{game}/{dataset}/attributes describe the facets`;
  return new ParameterError(name, detail);
}
