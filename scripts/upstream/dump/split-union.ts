import { isObject, type JsonObject } from '../../format/dist-format.ts';
import type { Rows } from './table-shape.ts';

/** The rows of a table that have one member, such as `pokemonSettings`, which says what they are. */
export interface Member {
  /** The names that lead to the member. */
  path: string[];
  /** The rows, with the fields that all rows have, and only this member. */
  rows: Rows;
}

const MIN_ROWS = 20;
const MIN_MEMBERS = 3;
/** The share of the rows that a field must have to be common to all. */
const COMMON = 0.95;
/** The share of the rows that may have a member. */
const MAX_SHARE = 0.6;
const MAX_COMMON_FIELDS = 6;

/**
 * Splits a table of rows of many kinds, each of which has a member that only rows of its kind have.
 *
 * @returns none if it is no such table
 */
export function splitUnion(rows: Rows): Member[] {
  if (rows.size < MIN_ROWS) return [];
  const list = [...rows.values()];
  const counts = countFields(list);
  const common = [...counts].filter(([, count]) => count >= rows.size * COMMON).map(([name]) => name);
  if (common.length === 0 || common.length > MAX_COMMON_FIELDS) return [];
  // The members may be together in one object that all rows have.
  const wrapper = common.find((name) => list.every((row) => isObject(row[name])));
  const insideOf = (row: JsonObject) => (wrapper === undefined ? row : (row[wrapper] as JsonObject));
  const members = [...countFields(list.map(insideOf))].filter(
    ([name, count]) =>
      count >= MIN_MEMBERS &&
      count <= rows.size * MAX_SHARE &&
      !/[`\\\p{Cc}]/u.test(name) &&
      list.every((row) => insideOf(row)[name] === undefined || isObject(insideOf(row)[name])),
  );
  const names = new Set(members.map(([name]) => name));
  const tagged = list.filter((row) => Object.keys(insideOf(row)).some((name) => names.has(name)));
  if (members.length < MIN_MEMBERS || tagged.length < rows.size * 0.8) return [];
  const commonNames = common.filter((name) => name !== wrapper);
  return members.map(([name]) => ({
    path: [...(wrapper === undefined ? [] : [wrapper]), name],
    rows: new Map(
      [...rows]
        .filter(([, row]) => insideOf(row)[name] !== undefined)
        .map(([key, row]) => [key, only(row, commonNames, wrapper, name)]),
    ),
  }));
}

function only(
  row: JsonObject,
  common: readonly string[],
  wrapper: string | undefined,
  name: string,
): JsonObject {
  const own = Object.fromEntries(
    common.flatMap((field) => (row[field] === undefined ? [] : [[field, row[field]]])),
  );
  const inside = wrapper === undefined ? row : (row[wrapper] as JsonObject);
  const member = { [name]: inside[name] as JsonObject };
  return { ...own, ...(wrapper === undefined ? member : { [wrapper]: member }) };
}

function countFields(rows: readonly JsonObject[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) for (const name of Object.keys(row)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
