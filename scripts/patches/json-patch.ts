import { alignLists } from '../diff/align-lists.ts';
import { equalValues } from '../diff/equal-values.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';

/** An operation of a JSON Patch (RFC 6902). */
export type Operation = { op: 'add' | 'replace'; path: string; value: Json } | { op: 'remove'; path: string };

/**
 * The operations that turn one value into another, applied in order. List elements are matched as in `compareValues`. Removed elements are
 * removed from the end to the start, then new ones are added from the start to the end; the following operations use the indexes of the
 * value after. An element that changed its order is removed and added.
 *
 * @param path the value's place in the document, as a JSON Pointer
 */
export function patchValue(before: Json, after: Json, path: string): Operation[] {
  const operations: Operation[] = [];
  // The path of the current part. A pointer is only made of it for an operation.
  const steps: (string | number)[] = [];
  const here = () => pointerTo(path, ...steps);
  const patchBelow = (step: string | number, from: Json, to: Json): void => {
    steps.push(step);
    patch(from, to);
    steps.pop();
  };
  const patch = (from: Json, to: Json): void => {
    if (from === to) return;
    if (Array.isArray(from) && Array.isArray(to)) patchLists(from, to);
    else if (isObject(from) && isObject(to)) patchObjects(from, to);
    else operations.push({ op: 'replace', path: here(), value: to });
  };
  const patchObjects = (from: JsonObject, to: JsonObject): void => {
    for (const key of Object.keys(from)) {
      if (Object.hasOwn(to, key)) patchBelow(key, from[key] ?? null, to[key] ?? null);
      else operations.push({ op: 'remove', path: pointerTo(here(), key) });
    }
    for (const key of Object.keys(to)) {
      if (Object.hasOwn(from, key)) continue;
      operations.push({ op: 'add', path: pointerTo(here(), key), value: to[key] ?? null });
    }
  };
  const patchLists = (from: Json[], to: Json[]): void => {
    const alignment = alignLists(from, to);
    if (alignment === undefined) {
      if (!equalValues(from, to)) operations.push({ op: 'replace', path: here(), value: to });
      return;
    }
    const { removed, added, moved, kept } = alignment;
    const toRemove = [...removed, ...moved.map(([i]) => i)];
    const toAdd = [...added, ...moved.map(([, j]) => j)];
    if (toRemove.length + toAdd.length > 0) {
      const valueAt = (j: number) => to[j] ?? null;
      append(operations, patchPositions(here(), toRemove, toAdd, valueAt));
    }
    for (const [i, j] of kept) patchBelow(j, from[i] ?? null, to[j] ?? null);
  };
  patch(before, after);
  return operations;
}

/**
 * The operations that remove elements from a list and add others.
 *
 * @param path the list's JSON Pointer
 * @param removed positions in the list before, in any order
 * @param added positions in the list after, in any order
 * @param valueAt the element at a position of the list after
 */
export function patchPositions(
  path: string,
  removed: readonly number[],
  added: readonly number[],
  valueAt: (position: number) => Json,
): Operation[] {
  return [
    ...removed.toSorted((a, b) => b - a).map((i): Operation => ({ op: 'remove', path: pointerTo(path, i) })),
    ...added
      .toSorted((a, b) => a - b)
      .map((j): Operation => ({ op: 'add', path: pointerTo(path, j), value: valueAt(j) })),
  ];
}

/** Adds operations to others, one by one: a patch can have more of them than `push` accepts arguments. */
export function append(operations: Operation[], more: readonly Operation[]): void {
  for (const operation of more) operations.push(operation);
}
