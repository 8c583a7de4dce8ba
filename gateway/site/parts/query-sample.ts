// Runs a request for a list on records that the browser has: a whole list, or the sample of a game.
import { compareNatural } from '../../../scripts/format/natural-order.ts';

/** A sample in the form of a roster's response. */
export interface RosterSample {
  game: string;
  build: string;
  characters: readonly Record<string, unknown>[];
}

/** A response, as the API would send it if the sample were all characters. */
export interface SampleResponse {
  status: number;
  body: Record<string, unknown>;
}

type Value = string | number | boolean;
type Row = Record<string, unknown>;

const PARAMETERS = new Set(['q', 'sort', 'limit', 'offset', 'ids', 'fields']);
const COMPARISONS: Readonly<Record<string, (a: Value, b: number) => boolean>> = {
  gte: (a, b) => Number(a) >= b,
  gt: (a, b) => Number(a) > b,
  lte: (a, b) => Number(a) <= b,
  lt: (a, b) => Number(a) < b,
};
const MAX_LIMIT = 1000;

/** A parameter that is not valid. */
class InvalidParameter extends Error {
  readonly parameter: string;

  constructor(parameter: string, detail: string) {
    super(detail);
    this.parameter = parameter;
  }
}

/** Filters, sorts and pages the characters of a sample as the API does with a whole roster. */
export function querySample(sample: RosterSample, query: URLSearchParams): SampleResponse {
  try {
    return { status: 200, body: select(sample, query) };
  } catch (error) {
    if (!(error instanceof InvalidParameter)) throw error;
    const { message: detail, parameter } = error;
    const title = 'A parameter is not valid';
    return { status: 400, body: { title, status: 400, code: 'invalid-parameter', detail, parameter } };
  }
}

function select({ game, build, characters }: RosterSample, query: URLSearchParams): Record<string, unknown> {
  const keys = new Set(characters.flatMap((row) => keysOf(row)));
  const isKept = [...new Set(query.keys())]
    .filter((name) => !PARAMETERS.has(name))
    .map((name) => filterOf(name, query.getAll(name), keys));
  const word = query.get('q')?.toLowerCase();
  const ids = query.get('ids')?.split(',');
  const rows = characters
    .filter((row) => isKept.every((keep) => keep(row)))
    .filter((row) => word === undefined || namesOf(row).some((name) => name.includes(word)))
    .filter((row) => ids === undefined || ids.includes(String(row.id)));
  const sort = query.get('sort') ?? 'id';
  const inOrder = ids ? rows.toSorted((a, b) => ids.indexOf(String(a.id)) - ids.indexOf(String(b.id))) : rows;
  const sorted = query.has('sort') ? sortRows(rows, sort, keys) : inOrder;
  const limit = wholeNumber(query, 'limit', 100);
  const offset = wholeNumber(query, 'offset', 0);
  const fields = query.get('fields')?.split(',');
  const shown = sorted
    .slice(offset, offset + limit)
    .map((row) => (fields ? project(row, fields, keys) : row));
  const idsOfRoster = new Set(characters.map(({ id }) => String(id)));
  const missing = ids && { missing: ids.filter((id) => !idsOfRoster.has(id)) };
  return {
    game,
    build,
    total: rows.length,
    count: shown.length,
    limit,
    offset,
    sort,
    ...missing,
    characters: shown,
  };
}

/** Makes the filter of a parameter: `element=Pyro`, `stats.atk[gte]=300`. */
function filterOf(name: string, values: string[], keys: ReadonlySet<string>): (row: Row) => boolean {
  const [, key = name, operator] = /^(.*)\[(\w+)\]$/.exec(name) ?? [];
  if (!keys.has(key)) throw new InvalidParameter(name, `the sample has no attribute "${key}"`);
  const texts = (row: Row) => valuesAt(row, key).map(String);
  const isAny = (row: Row) => texts(row).some((text) => values.includes(text));
  if (operator === undefined) return isAny;
  if (operator === 'ne') return (row) => !isAny(row);
  if (operator === 'exists') return (row) => texts(row).length > 0 === (values[0] === 'true');
  const compare = COMPARISONS[operator];
  const bound = Number(values[0]);
  if (compare === undefined)
    throw new InvalidParameter(
      name,
      `there is no operator [${operator}], expected [gte], [gt], [lte], [lt], [ne] or [exists]`,
    );
  if (values[0] === '' || Number.isNaN(bound))
    throw new InvalidParameter(name, `"${values[0]}" is not a number`);
  return (row) => valuesAt(row, key).some((value) => typeof value === 'number' && compare(value, bound));
}

function sortRows(rows: readonly Row[], sort: string, keys: ReadonlySet<string>): Row[] {
  const orders = sort
    .split(',')
    .map((part) => ({ key: part.replace(/^-/, ''), sign: part.startsWith('-') ? -1 : 1 }));
  for (const { key } of orders) {
    if (!keys.has(key)) throw new InvalidParameter('sort', `the sample has no attribute "${key}"`);
  }
  return rows.toSorted((a, b) => {
    for (const { key, sign } of orders) {
      const [left] = valuesAt(a, key);
      const [right] = valuesAt(b, key);
      if (left === right) continue;
      // Rows without the attribute come last in either direction.
      if (left === undefined) return 1;
      if (right === undefined) return -1;
      return compareValues(left, right) * sign;
    }
    return 0;
  });
}

/** As the API orders values: numbers by size, false before true, texts in natural order. */
function compareValues(left: Value, right: Value): number {
  return typeof left === 'string' && typeof right === 'string'
    ? compareNatural(left, right)
    : Number(left) - Number(right);
}

function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const number = Number(text);
  if (/^\d+$/.test(text) && (name !== 'limit' || number <= MAX_LIMIT)) return number;
  throw new InvalidParameter(name, `"${text}" is not a whole number from 0 to ${MAX_LIMIT}`);
}

function project(row: Row, fields: readonly string[], keys: ReadonlySet<string>): Row {
  const shown: Row = { id: row.id };
  for (const field of fields) {
    const path = field.split('.');
    if (!keys.has(field) && valueAt(row, path) === undefined) {
      if (![...keys].some((key) => key.startsWith(`${field}.`)))
        throw new InvalidParameter('fields', `the sample has no attribute "${field}"`);
      continue;
    }
    copyAt(row, shown, path);
  }
  return shown;
}

function copyAt(from: Row, to: Row, [name = '', ...rest]: readonly string[]): void {
  const value = Object.hasOwn(from, name) ? from[name] : undefined;
  if (value === undefined) return;
  if (rest.length === 0 || !isRow(value)) {
    to[name] = value;
    return;
  }
  const inner = Object.hasOwn(to, name) && isRow(to[name]) ? to[name] : {};
  to[name] = inner;
  copyAt(value, inner, rest);
}

/** The dotted keys of a row's values: of scalars, and of lists of scalars. */
function keysOf(row: Row, prefix = ''): string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (isRow(value)) return keysOf(value, `${prefix}${name}.`);
    return [value].flat().some(isRow) ? [] : [prefix + name];
  });
}

function valuesAt(row: Row, key: string): Value[] {
  const value = valueAt(row, key.split('.'));
  return [value]
    .flat()
    .filter((each): each is Value => each !== undefined && each !== null && typeof each !== 'object');
}

function valueAt(row: Row, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isRow(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    row,
  );
}

function namesOf(row: Row): string[] {
  return Object.entries(row).flatMap(([key, value]) =>
    /^name(_|$)/.test(key) && typeof value === 'string' ? value.toLowerCase() : [],
  );
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
