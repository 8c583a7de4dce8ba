import { isObject, type Json } from '../format/dist-format.ts';
import { equalValues } from './equal-values.ts';

/** Which elements of two lists correspond. Every position of both lists is in exactly one of the four parts. */
export interface Alignment {
  /** Positions in the list before, ascending. */
  removed: number[];
  /** Positions in the list after, ascending. */
  added: number[];
  /** Elements in both lists that changed their order, as few as possible: `[before, after]`, ascending by `after`. */
  moved: [number, number][];
  /** Elements in both lists that kept their order: `[before, after]`, ascending. */
  kept: [number, number][];
}

/**
 * Aligns two lists of objects or lists. Objects that all have a unique id are matched by it. Others are matched by position; if the lengths
 * differ, after equal elements at both ends.
 *
 * @returns undefined for lists with other elements (scalars, null), which are compared as one value
 */
export function alignLists(before: readonly Json[], after: readonly Json[]): Alignment | undefined {
  if (!before.every(hasParts) || !after.every(hasParts)) return undefined;
  // A shortcut for most lists: with the same length and order, matching by id equals matching by position.
  if (
    before.length === after.length &&
    before.every((element, index) => idOf(element) === idOf(after[index]))
  ) {
    return { removed: [], added: [], moved: [], kept: before.map((_element, index) => [index, index]) };
  }
  const idsBefore = uniqueIds(before);
  const idsAfter = idsBefore && uniqueIds(after);
  return idsBefore && idsAfter ? alignByKey(idsBefore, idsAfter) : alignByPosition(before, after);
}

function hasParts(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

function idOf(element: Json | undefined): Json | undefined {
  return isObject(element) && Object.hasOwn(element, 'id') ? element.id : undefined;
}

/** The ids of a list's elements; undefined if one has none or two have the same. */
function uniqueIds(list: readonly Json[]): Json[] | undefined {
  const ids: Json[] = [];
  for (const element of list) {
    const id = idOf(element);
    if (typeof id !== 'string' && typeof id !== 'number') return undefined;
    ids.push(id);
  }
  return new Set(ids).size === ids.length ? ids : undefined;
}

function alignByKey(before: readonly Json[], after: readonly Json[]): Alignment {
  const positions = new Map(before.map((key, index) => [key, index]));
  const remaining = new Set(after);
  const pairs: [number, number][] = [];
  const added: number[] = [];
  for (const [index, key] of after.entries()) {
    const position = positions.get(key);
    if (position === undefined) added.push(index);
    else pairs.push([position, index]);
  }
  const inOrder = longestAscent(pairs.map(([position]) => position));
  return {
    removed: [...before.keys()].filter((index) => !remaining.has(before[index] ?? null)),
    added,
    moved: pairs.filter((_pair, index) => !inOrder.has(index)),
    kept: pairs.filter((_pair, index) => inOrder.has(index)),
  };
}

/** The indices of a longest ascending subsequence of distinct numbers (patience sorting, O(n log n)). */
function longestAscent(numbers: readonly number[]): Set<number> {
  // For each length, the index of the smallest number that ends such a subsequence; and the predecessor of each index.
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, number] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous.push(ends[low - 1]);
    ends[low] = index;
  }
  const ascent = new Set<number>();
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) ascent.add(index);
  return ascent;
}

function alignByPosition(before: readonly Json[], after: readonly Json[]): Alignment {
  const shared = Math.min(before.length, after.length);
  const growth = after.length - before.length;
  let head = 0;
  let tail = 0;
  if (growth !== 0) {
    while (head < shared && equalValues(before[head], after[head])) head++;
    while (tail < shared - head && equalValues(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  }
  const rest = shared - tail;
  const pairs: [number, number][] = [];
  for (let index = 0; index < rest; index++) pairs.push([index, index]);
  for (let index = rest; index < shared; index++) {
    pairs.push([index + Math.max(0, -growth), index + Math.max(0, growth)]);
  }
  return { removed: range(rest, -growth), added: range(rest, growth), moved: [], kept: pairs };
}

function range(start: number, length: number): number[] {
  return Array.from({ length: Math.max(0, length) }, (_, index) => start + index);
}
