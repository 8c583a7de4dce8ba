import { quote } from '../suggest.ts';
import { type Column, countBelow, findCode, type Scalar } from './column.ts';
import { ParameterError } from './parameter-error.ts';
import { RowSet } from './row-set.ts';

/** The operators of the form `facet[operator]=value`. */
export const OPERATORS = ['gte', 'gt', 'lte', 'lt', 'ne', 'exists'] as const;
type Operator = (typeof OPERATORS)[number];

/** A condition on one facet: the rows whose values have codes in one of the ranges, or (`negated`) all but those. */
export interface Condition {
  column: Column;
  /** From, to (exclusive). */
  ranges: [number, number][];
  negated: boolean;
}

/**
 * Reads the values that a request gives for one facet and operator.
 *
 * @param name the parameter as given, for the error
 * @param operator what stands in brackets; undefined for equality
 * @param values without operator any of them may match; with one all must hold
 * @throws ParameterError
 */
export function parseCondition(
  name: string,
  column: Column,
  operator: string | undefined,
  values: string[],
): Condition {
  if (operator === undefined) return { column, ranges: parseEqual(name, column, values), negated: false };
  if (!isOperator(operator)) {
    throw new ParameterError(
      name,
      `${quote(operator)} is no operator, expected one of ${OPERATORS.join(', ')}`,
    );
  }
  if (operator === 'ne') return { column, ranges: parseEqual(name, column, values), negated: true };
  if (operator === 'exists') return parseExists(name, column, values);
  if (column.type !== 'number') {
    throw new ParameterError(name, `[${operator}] compares numbers, and ${column.key} is a ${column.type}`);
  }
  const limits = values.map((value) => parseScalar(name, column, value) as number);
  return { column, ranges: [rangeOf(column, operator, limits)], negated: false };
}

function isOperator(text: string): text is Operator {
  return (OPERATORS as readonly string[]).includes(text);
}

function parseEqual(name: string, column: Column, values: string[]): [number, number][] {
  const codes = new Set<number>();
  for (const value of values) {
    const code = findCode(column, parseScalar(name, column, value));
    if (code !== undefined) codes.add(code);
  }
  return [...codes].map((code) => [code, code + 1]);
}

function parseExists(name: string, column: Column, values: string[]): Condition {
  const value = values[0];
  if (values.length > 1 || (value !== 'true' && value !== 'false')) {
    throw new ParameterError(
      name,
      `[exists] is ${values.map(quote).join(', ')}, expected true or false, once`,
    );
  }
  return { column, ranges: [[0, column.values.length]], negated: value === 'false' };
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

/** How many rows a condition leaves; where a row may have several values, at most. */
export function estimateRows({ column, ranges, negated }: Condition, rowCount: number): number {
  let rows = 0;
  for (const [from, to] of ranges) {
    rows += (column.offsets[to] as number) - (column.offsets[from] as number);
  }
  return negated ? rowCount - Math.min(rows, rowCount) : rows;
}

/**
 * Lists the rows for which a condition holds, each once, in no particular order.
 *
 * @param into has room for all rows of the list
 * @returns how many they are
 */
export function listRows(condition: Condition, rowCount: number, into: Int32Array): number {
  const { column, ranges, negated } = condition;
  let count = 0;
  if (negated || column.list) {
    for (let row = 0; row < rowCount; row++) into[count++] = row;
    return siftRows(condition, rowCount, into, count);
  }
  const { offsets, rows } = column;
  for (const [from, to] of ranges) {
    const end = offsets[to] as number;
    for (let entry = offsets[from] as number; entry < end; entry++) into[count++] = rows[entry] as number;
  }
  return count;
}

/**
 * Keeps of some rows those for which a condition holds.
 *
 * @returns how many they are; they stand at the beginning of `rows`
 */
export function siftRows(
  { column, ranges, negated }: Condition,
  rowCount: number,
  rows: Int32Array,
  count: number,
): number {
  if (column.list || ranges.length !== 1) {
    const matched = new RowSet(rowCount);
    for (const [from, to] of ranges) matched.addAll(column.rows, column.offsets[from], column.offsets[to]);
    return matched.sift(rows, count, negated);
  }
  const { codes } = column;
  const [from, to] = ranges[0] as [number, number];
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    const code = codes[row] as number;
    if ((code >= from && code < to) !== negated) rows[kept++] = row;
  }
  return kept;
}
