// Compares two JSON values, and describes the differences as changes or as a JSON Patch (RFC 6902).
// Objects are compared by key. The elements of a list of objects are matched by `id` if every id is unique; otherwise by position, after equal
// elements at both ends. A list with scalars is one value.
// Elements that changed their order are as few as possible: those outside a longest ascending subsequence of the old positions (patience sorting, O(n
// log n)).
// Guarantees: equal values have no changes; applying the patch to the first value gives the second (test/scripts/diff).
// Limits: without ids, a list is never aligned in its middle; recursion is as deep as the values, which the compiler bounds.
import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, ownValue, type Renames } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';

/** The correspondence of the elements of two lists. Every position of both lists is in exactly one of the four parts. */
interface Alignment {
  /** Positions in the earlier list, ascending. */
  removed: number[];
  /** Positions in the later list, ascending. */
  added: number[];
  /** Elements in both lists whose order changed, as few as possible: `[before, after]`, ascending by `after`. */
  moved: [number, number][];
  /** Elements in both lists whose order did not change: `[before, after]`, ascending. */
  kept: [number, number][];
}

/**
 * Aligns two lists of objects or lists. Objects that all have a unique id are matched by it. Others are matched by position; if the lengths
 * differ, after equal elements at both ends.
 *
 * @returns undefined for lists with other elements (scalars, null), which are compared as one value
 */
function alignLists(before: readonly Json[], after: readonly Json[]): Alignment | undefined {
  if (!before.every(hasParts) || !after.every(hasParts)) return undefined;
  const [idsBefore, idsAfter] = [uniqueIds(before), uniqueIds(after)];
  return idsBefore && idsAfter ? alignByKey(idsBefore, idsAfter) : alignByPosition(before, after);
}

function hasParts(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** The ids of a list's elements; undefined if one lacks an id or two share one. */
function uniqueIds(list: readonly Json[]): (Json | undefined)[] | undefined {
  const ids = list.map((element) => (isObject(element) ? ownValue(element, 'id') : undefined));
  const isWhole = ids.every((id) => typeof id === 'string' || typeof id === 'number');
  return isWhole && new Set(ids).size === ids.length ? ids : undefined;
}

function alignByKey(before: readonly unknown[], after: readonly unknown[]): Alignment {
  const positions = new Map(before.map((key, index) => [key, index]));
  const remaining = new Set(after);
  const pairs = after.flatMap((key, index): [number, number][] => {
    const position = positions.get(key);
    return position === undefined ? [] : [[position, index]];
  });
  const inOrder = longestAscent(pairs.map(([position]) => position));
  return {
    removed: [...before.keys()].filter((index) => !remaining.has(before[index])),
    added: [...after.keys()].filter((index) => !positions.has(after[index])),
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
    while (head < shared && isDeepStrictEqual(before[head], after[head])) head++;
    while (tail < shared - head && isDeepStrictEqual(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  }
  const rest = shared - tail;
  const kept = range(0, shared).map((index): [number, number] =>
    index < rest ? [index, index] : [index + Math.max(0, -growth), index + Math.max(0, growth)],
  );
  return { removed: range(rest, -growth), added: range(rest, growth), moved: [], kept };
}

function range(start: number, length: number): number[] {
  return Array.from({ length: Math.max(0, length) }, (_, index) => start + index);
}

/**
 * A difference between two values. `from` is absent if the part was added, `to` if it was removed.
 *
 * `path` is a JSON Pointer (RFC 6901) to `to` in the later value; without `to`, to `from` in the earlier value. A matched list element can have
 * different indexes: `from_path` is then the path of `from` in the earlier value; it is absent if it equals `path`. With `path` "", the whole value
 * differs.
 */
export interface Change {
  path: string;
  from_path?: string;
  from?: Json;
  to?: Json;
}

/** The differences between two values. */
export interface Comparison {
  /**
   * The dotted keys of the attributes that differ, as in `eachAttribute`. For a difference inside a list, this is the list's key. Empty if one of the
   * values is not an object.
   */
  fields: string[];
  /** Empty for equal values. */
  changes: Change[];
}

type Steps = (string | number)[];

/** Receives the differences between two values, with the paths of the current parts. These become pointers only if there is a difference. */
interface Visitor {
  /** A part was added, removed or replaced. */
  change(from: Json | undefined, to: Json | undefined, earlier: Steps, later: Steps): void;
  /** Two aligned lists; the kept elements are compared afterwards. */
  list(alignment: Alignment, from: readonly Json[], to: readonly Json[], earlier: Steps, later: Steps): void;
}

/** Compares two values: objects by key, lists with `alignLists`. */
function visitDifferences(before: Json, after: Json, visitor: Visitor): void {
  const [earlier, later]: [Steps, Steps] = [[], []];
  const below = (i: string | number, j: string | number, from: Json | undefined, to: Json | undefined) => {
    earlier.push(i);
    later.push(j);
    visit(from, to);
    earlier.pop();
    later.pop();
  };
  const visit = (from: Json | undefined, to: Json | undefined): void => {
    if (from === to) return;
    if (Array.isArray(from) && Array.isArray(to)) {
      const alignment = alignLists(from, to);
      if (alignment === undefined) {
        if (!isDeepStrictEqual(from, to)) visitor.change(from, to, earlier, later);
        return;
      }
      visitor.list(alignment, from, to, earlier, later);
      for (const [i, j] of alignment.kept) below(i, j, from[i] ?? null, to[j] ?? null);
    } else if (isObject(from) && isObject(to)) {
      for (const key of Object.keys(from))
        below(key, key, from[key] ?? null, Object.hasOwn(to, key) ? (to[key] ?? null) : undefined);
      for (const key of Object.keys(to)) if (!Object.hasOwn(from, key)) below(key, key, undefined, to[key]);
    } else visitor.change(from, to, earlier, later);
  };
  visit(before, after);
}

/**
 * Compares two JSON values. A list element whose order among the others changed is one change with its whole value before and after. If only its
 * index changed, because others were added or removed, that is not a change.
 */
export function compareValues(before: Json, after: Json): Comparison {
  const changes: Change[] = [];
  const fields = new Set<string>();
  const change: Visitor['change'] = (from, to, earlier, later) => {
    const fromPath = pointerTo('', ...earlier);
    const path = to === undefined ? fromPath : pointerTo('', ...later);
    changes.push({
      path,
      ...(from !== undefined && path !== fromPath && { from_path: fromPath }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    const list = later.findIndex((step) => typeof step === 'number');
    const field = (list < 0 ? later : later.slice(0, list)).join('.');
    if (field !== '') fields.add(field);
  };
  visitDifferences(before, after, {
    change,
    list({ removed, added, moved }, from, to, earlier, later) {
      for (const i of removed) change(from[i], undefined, [...earlier, i], [...later, i]);
      for (const j of added) change(undefined, to[j], [...earlier, j], [...later, j]);
      for (const [i, j] of moved) change(from[i], to[j], [...earlier, i], [...later, j]);
    },
  });
  return { fields: [...fields], changes };
}

/** An operation of a JSON Patch (RFC 6902). */
export type PatchOp = { op: 'add' | 'replace'; path: string; value: Json } | { op: 'remove'; path: string };

/**
 * Returns the operations that turn one value into another, applied in order. List elements are matched as in `compareValues`. Elements are first
 * removed from the end to the start, then added from the start to the end; the following operations use the later indexes. An element whose order
 * changed is removed and added.
 *
 * @param at the value's place in the document, as a JSON Pointer
 */
export function patchValue(before: Json, after: Json, at: string): PatchOp[] {
  const operations: PatchOp[] = [];
  visitDifferences(before, after, {
    change(from, to, _earlier, later) {
      const path = pointerTo(at, ...later);
      if (to === undefined) operations.push({ op: 'remove', path });
      else operations.push({ op: from === undefined ? 'add' : 'replace', path, value: to });
    },
    list({ removed, added, moved }, _from, to, _earlier, later) {
      const toRemove = [...removed, ...moved.map(([i]) => i)];
      const toAdd = [...added, ...moved.map(([, j]) => j)];
      if (toRemove.length + toAdd.length === 0) return;
      const path = pointerTo(at, ...later);
      // A patch can have more operations than `push` accepts as arguments.
      for (const each of patchPositions(path, toRemove, toAdd, (j) => to[j] ?? null)) operations.push(each);
    },
  });
  return operations;
}

/**
 * Returns the operations that remove elements from a list and add others.
 *
 * @param path the list's JSON Pointer
 * @param removed positions in the earlier list, in any order
 * @param added positions in the later list, in any order
 * @param valueAt returns an element of the later list
 */
export function patchPositions(
  path: string,
  removed: readonly number[],
  added: readonly number[],
  valueAt: (position: number) => Json,
): PatchOp[] {
  return [
    ...removed.toSorted((a, b) => b - a).map((i): PatchOp => ({ op: 'remove', path: pointerTo(path, i) })),
    ...added
      .toSorted((a, b) => a - b)
      .map((j): PatchOp => ({ op: 'add', path: pointerTo(path, j), value: valueAt(j) })),
  ];
}

/**
 * Returns the ids that records of one build have in another, by collection, according to the builds between them.
 *
 * @param builds all builds, oldest first; `from` may be the newer of the two
 */
export function renamesBetween<Build extends { renamed?: Renames }>(
  builds: readonly Build[],
  from: Build,
  to: Build,
): Renames {
  const [start, end] = [builds.indexOf(from), builds.indexOf(to)];
  const renames: Record<string, Record<string, string>> = {};
  for (const { renamed = {} } of builds.slice(Math.min(start, end) + 1, Math.max(start, end) + 1)) {
    for (const [collection, ids] of Object.entries(renamed)) {
      const known = Object.entries(renames[collection] ?? {});
      const taken = new Set(known.flat());
      const current = known.map(([first, id]) => [first, ownValue(ids, id) ?? id]);
      const added = Object.entries(ids).filter(([old]) => !taken.has(old));
      renames[collection] = Object.fromEntries([...current, ...added]);
    }
  }
  if (start <= end) return renames;
  for (const [collection, ids] of Object.entries(renames))
    renames[collection] = Object.fromEntries(Object.entries(ids).map(([old, current]) => [current, old]));
  return renames;
}

/** All values at a path of names, of all rows of the lists on it and at its end. */
export function valuesAt(records: readonly Json[], path: readonly string[]): Json[] {
  const within = (values: readonly Json[], name: string) =>
    values.flat().flatMap((value) => (isObject(value) ? (ownValue(value, name) ?? []) : []));
  return path.reduce<readonly Json[]>(within, records).flat();
}
