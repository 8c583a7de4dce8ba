import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { alignLists } from './align-lists.ts';
import { equalValues } from './equal-values.ts';

/**
 * One difference between two values. `from` is absent if the part was added, `to` if it was removed.
 *
 * `path` is a JSON Pointer (RFC 6901) to the place of `to` in the value after; without `to`, to the place of `from` in the value before.
 * A matched list element may have another index before and after: `from_path` is then the place of `from` in the value before. It is absent
 * if it equals `path`. With `path` "" the whole value differs.
 */
export interface Change {
  path: string;
  from_path?: string;
  from?: Json;
  to?: Json;
}

/** How two values differ. */
export interface Comparison {
  /**
   * The attributes that differ, by their dotted keys as in `eachAttribute`. For a difference inside a list, this is the list's key. Empty if
   * one of the values is not an object.
   */
  fields: string[];
  /** Empty for equal values. */
  changes: Change[];
}

/**
 * Compares two JSON values: objects by key, lists as `alignLists` aligns them. A list element that changed its order among the others is one
 * change with its whole value before and after. One whose index changed only because others were added or removed is not a change.
 */
export function compareValues(before: Json, after: Json): Comparison {
  const changes: Change[] = [];
  const fields = new Set<string>();
  // The paths of the current parts. Pointers are only made of them for a difference.
  const stepsBefore: (string | number)[] = [];
  const stepsAfter: (string | number)[] = [];

  const report = (from: Json | undefined, to: Json | undefined): void => {
    const fromPath = pointerTo('', ...stepsBefore);
    const path = to === undefined ? fromPath : pointerTo('', ...stepsAfter);
    changes.push({
      path,
      ...(from !== undefined && path !== fromPath && { from_path: fromPath }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    const list = stepsAfter.findIndex((step) => typeof step === 'number');
    const field = (list < 0 ? stepsAfter : stepsAfter.slice(0, list)).join('.');
    if (field !== '') fields.add(field);
  };
  const below = (stepBefore: string | number, stepAfter: string | number, visit: () => void): void => {
    stepsBefore.push(stepBefore);
    stepsAfter.push(stepAfter);
    visit();
    stepsBefore.pop();
    stepsAfter.pop();
  };
  const compare = (from: Json, to: Json): void => {
    if (from === to) return;
    if (Array.isArray(from) && Array.isArray(to)) compareLists(from, to);
    else if (isObject(from) && isObject(to)) compareObjects(from, to);
    else report(from, to);
  };
  const compareObjects = (from: JsonObject, to: JsonObject): void => {
    for (const key of Object.keys(from)) {
      const value = from[key] ?? null;
      below(key, key, () =>
        Object.hasOwn(to, key) ? compare(value, to[key] ?? null) : report(value, undefined),
      );
    }
    for (const key of Object.keys(to)) {
      if (!Object.hasOwn(from, key)) below(key, key, () => report(undefined, to[key]));
    }
  };
  const compareLists = (from: Json[], to: Json[]): void => {
    const alignment = alignLists(from, to);
    if (alignment === undefined) {
      if (!equalValues(from, to)) report(from, to);
      return;
    }
    for (const index of alignment.removed) below(index, index, () => report(from[index], undefined));
    for (const index of alignment.added) below(index, index, () => report(undefined, to[index]));
    for (const [i, j] of alignment.moved) below(i, j, () => report(from[i], to[j]));
    for (const [i, j] of alignment.kept) below(i, j, () => compare(from[i] ?? null, to[j] ?? null));
  };
  compare(before, after);
  return { fields: [...fields], changes };
}
