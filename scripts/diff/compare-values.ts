import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { alignLists } from './align-lists.ts';
import { equalValues } from './equal-values.ts';

/**
 * One thing that differs between two values. `from` is absent where there was nothing, `to` where there is nothing any more.
 *
 * `path` is a JSON Pointer (RFC 6901) to where `to` stands in the value after, or, without `to`, to where `from` stood in the value
 * before. Elements of lists are matched, so that one may stand at another index before and after: `from_path` is then where `from`
 * stood in the value before. It is absent where it would be `path`. With `path` "" the whole value differs.
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
   * The attributes that differ, by their dotted keys as `eachAttribute` has them: of what differs inside a list, the list's key.
   * Empty where the whole value is no object on both sides.
   */
  fields: string[];
  /** Empty for equal values. */
  changes: Change[];
}

/**
 * Compares two JSON values. Objects are compared key by key; lists of objects with unique ids element by element, matched by id;
 * other lists of objects or of lists by position; lists of scalars as one value. An element of a list that went elsewhere among the others is one
 * change with its whole value before and after; one that is only pushed along is none.
 */
export function compareValues(before: Json, after: Json): Comparison {
  const changes: Change[] = [];
  const fields = new Set<string>();
  // The steps to the parts at hand; only a difference is worth spelling out its pointer.
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
      const value = from[key] as Json;
      below(key, key, () =>
        Object.hasOwn(to, key) ? compare(value, to[key] as Json) : report(value, undefined),
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
    for (const [i, j] of alignment.kept) below(i, j, () => compare(from[i] as Json, to[j] as Json));
  };
  compare(before, after);
  return { fields: [...fields], changes };
}
