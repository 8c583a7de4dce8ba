import { isObject, type Json } from '../../format/dist-format.ts';
import { type Rows, shapeOf } from './table-shape.ts';

/** With fewer members, each of them is a table. */
const MIN_GROUPS = 8;
/** The share of the members that must have rows, and of these that must have a field, and of all fields that must be in common. */
const MIN_SHARE = 0.8;
const MIN_COMMON = 0.5;

/**
 * Finds the rows of an object with many members, each of which is a list or an object of rows of the same shape, such as the goods of each shop.
 *
 * @param isApart whether the name of a member has a meaning, such as a language
 * @returns the rows of all members; undefined if it is no such object
 */
export function findGroups(
  value: Json,
  isApart: (name: string) => boolean,
): { kind: 'list' | 'keyed'; rows: Rows } | undefined {
  if (!isObject(value)) return undefined;
  const names = Object.keys(value);
  if (names.length < MIN_GROUPS || names.some((name) => name === '' || isApart(name))) return undefined;
  const shapes = names.map((name) => shapeOf(value[name] ?? null));
  const groups = shapes.flatMap((shape) => ('rows' in shape ? [shape] : []));
  const [first] = groups;
  if (first === undefined || groups.length < names.length * MIN_SHARE) return undefined;
  if (groups.some(({ kind }) => kind !== first.kind)) return undefined;
  // An empty member has no rows; anything else is no group.
  if (shapes.some((shape) => !('rows' in shape) && !('count' in shape && shape.count === 0)))
    return undefined;
  const sets = groups.map(({ rows }) => new Set([...rows.values()].flatMap((row) => Object.keys(row))));
  const all = new Set(sets.flatMap((set) => [...set]));
  const common = [...all].filter(
    (field) => sets.filter((set) => set.has(field)).length >= sets.length * MIN_SHARE,
  );
  if (common.length === 0 || common.length < all.size * MIN_COMMON) return undefined;
  const rows = groups.flatMap((group, at) =>
    [...group.rows].map(([key, row]) => [`${at}/${key}`, row] as const),
  );
  return { kind: first.kind, rows: new Map(rows) };
}
