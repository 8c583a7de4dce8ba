import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { pointerTo } from '../../scripts/lib/json-pointer.ts';

/** A list that is not whole. */
export interface Cut {
  /** A JSON Pointer into the result. */
  path: string;
  total: number;
  shown: number;
}

/** The maximum size of a result as JSON: a model reads it whole, at some four characters a token. */
export const MAX_RESULT_CHARS = 8000;
/** What `next_offset`, `cut` and the names of members around the result need at most. */
const AROUND = 600;
/** How much of a result is left for its own members. */
export const ROOM = MAX_RESULT_CHARS - AROUND;
/** The lengths to which the lists of a result that is too large are cut, one after the other. */
const LENGTHS = [100, 30, 10, 3, 1];

/** A page of one list of a result. */
export interface Page {
  /** The steps to the list. */
  list: readonly string[];
  offset: number;
  limit: number;
}

/** Replaces a list in a result by a page of it. @returns where the next page begins; undefined after the last one, or without such a list */
export function takePage(result: Json, { list, offset, limit }: Page): number | undefined {
  let part: Json | undefined = result;
  for (const step of list.slice(0, -1)) part = isObject(part) ? part[step] : undefined;
  const name = list.at(-1) ?? '';
  const all = isObject(part) ? part[name] : undefined;
  if (!isObject(part) || !Array.isArray(all)) return undefined;
  part[name] = all.slice(offset, offset + limit);
  return offset + limit < all.length ? offset + limit : undefined;
}

/**
 * Makes a result small enough: the list of its pages ends earlier, and if even one element of it is too large, lists inside are cut.
 *
 * @param list the steps to the list of the pages; without them, the first list of the result
 * @returns undefined if it is too large even then
 */
export function shorten(
  result: JsonObject,
  list: readonly string[] = firstList(result),
): { result: JsonObject; cut: Cut[] } | undefined {
  const cut: Cut[] = [];
  const found = list.reduce<Json | undefined>(
    (part, step) => (isObject(part) ? part[step] : undefined),
    result,
  );
  const all = Array.isArray(found) ? found.splice(0) : [];
  let room = ROOM - JSON.stringify(result).length;
  // What is left out is never made into JSON.
  const shown = all.findIndex((each) => {
    room -= JSON.stringify(each).length + 1;
    return room < 0;
  });
  if (Array.isArray(found)) found.push(...(shown < 0 ? all : all.slice(0, Math.max(1, shown))));
  if (shown >= 0) cut.push({ path: pointerTo('', ...list), total: all.length, shown: Math.max(1, shown) });
  if (room >= 0 || shown > 0) return { result, cut };
  for (const length of LENGTHS) {
    const inside: Cut[] = [];
    const shorter = cutLists(result, length, '', inside) as JsonObject;
    if (isSmall(shorter)) return { result: shorter, cut: [...cut, ...inside.slice(0, MAX_CUTS)] };
  }
  return undefined;
}

/** How many lists that were cut are named. */
const MAX_CUTS = 8;

function firstList(result: JsonObject): string[] {
  const entry = Object.entries(result).find(([, value]) => Array.isArray(value));
  return entry ? [entry[0]] : [];
}

function isSmall(value: Json): boolean {
  return JSON.stringify(value).length <= ROOM;
}

function cutLists(value: Json, length: number, path: string, cut: Cut[]): Json {
  if (Array.isArray(value)) {
    if (value.length > length) cut.push({ path, total: value.length, shown: length });
    return value.slice(0, length).map((each, index) => cutLists(each, length, pointerTo(path, index), cut));
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, each]): [string, Json] => [
    name,
    cutLists(each, length, pointerTo(path, name), cut),
  ]);
  return Object.fromEntries(members);
}
