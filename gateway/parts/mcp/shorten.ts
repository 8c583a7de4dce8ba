import { isObject, type Json, type JsonObject } from '../../../scripts/core/format/dist-format.ts';
import { pointerTo } from '../../../scripts/core/lib/json-pointer.ts';

/** A list that is not whole. */
export interface Cut {
  /** A JSON Pointer into the result. */
  path: string;
  total: number;
  shown: number;
}

/** The maximum size of a result as JSON: a model reads it whole, at some four characters a token. */
export const MAX_RESULT_CHARS = 40_000;
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
 * Cuts the lists of a result that is too large, the longest ones first, until it is small enough.
 *
 * @returns undefined if it is too large even then
 */
export function shorten(result: JsonObject): { result: JsonObject; cut: Cut[] } | undefined {
  if (isSmall(result)) return { result, cut: [] };
  for (const length of LENGTHS) {
    const cut: Cut[] = [];
    const shorter = cutLists(result, length, '', cut) as JsonObject;
    if (isSmall(shorter)) return { result: shorter, cut };
  }
  return undefined;
}

function isSmall(value: Json): boolean {
  return JSON.stringify(value).length <= MAX_RESULT_CHARS;
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
