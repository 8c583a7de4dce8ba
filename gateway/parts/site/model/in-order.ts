import type { Json, JsonObject } from '../../../../scripts/core/format/json.ts';
import type { Known } from './format-value.ts';

/** A name in one of the languages that a reader can choose. */
export const IN_LANGUAGE = /(^|\.)name_[a-z_]+$/;

/** The members of an object in the order of the dictionary, then the others; without its names in other languages, of which there are many. */
export function inOrder(
  object: JsonObject,
  prefix: string,
  attributes: ReadonlyMap<string, Known>,
): [name: string, value: Json][] {
  const places = placesOf(attributes).get(prefix);
  const placeOf = (name: string) => places?.get(name) ?? attributes.size;
  const members = Object.entries(object).filter(
    ([name]) => !name.startsWith('name_') || !IN_LANGUAGE.test(name),
  );
  let last = 0;
  for (const [name] of members) {
    const place = placeOf(name);
    if (place < last) return members.sort(([a], [b]) => placeOf(a) - placeOf(b));
    last = place;
  }
  // The compiler has put most records in this order.
  return members;
}

/** The places of attributes in the dictionary, by the start of their key and its last name. */
type Places = ReadonlyMap<string, ReadonlyMap<string, number>>;

const placesByDictionary = new WeakMap<ReadonlyMap<string, Known>, Places>();

function placesOf(attributes: ReadonlyMap<string, Known>): Places {
  const cachedPlaces = placesByDictionary.get(attributes);
  if (cachedPlaces !== undefined) return cachedPlaces;
  const places = new Map<string, Map<string, number>>();
  for (const key of attributes.keys()) {
    const start = key.slice(0, key.lastIndexOf('.') + 1);
    const names = places.get(start) ?? new Map<string, number>();
    places.set(start, names.set(key.slice(start.length), names.size));
  }
  placesByDictionary.set(attributes, places);
  return places;
}

/** Returns whether a value is an object with members. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
