import type { Json, JsonObject } from '../../../scripts/format/json.ts';
import type { Known } from './format-value.ts';

/** A name in one of the languages that a reader can choose. */
export const IN_LANGUAGE = /(^|\.)name_[a-z_]+$/;

/** The members of an object in the order of the dictionary, then the others; without its names in other languages, of which there are many. */
export function inOrder(
  object: JsonObject,
  prefix: string,
  attributes: ReadonlyMap<string, Known>,
): [name: string, value: Json][] {
  return namesInOrder(Object.keys(object), prefix, attributes).map((name) => [name, object[name] ?? null]);
}

/** The names of members in the same order, also without those in other languages. */
export function namesInOrder(
  members: readonly string[],
  prefix: string,
  attributes: ReadonlyMap<string, Known>,
): string[] {
  const places = placesOf(attributes).get(prefix);
  const placeOf = (name: string) => places?.get(name) ?? attributes.size;
  const names = members.filter((name) => !name.startsWith('name_') || !IN_LANGUAGE.test(name));
  let last = 0;
  for (const name of names) {
    const place = placeOf(name);
    if (place < last) return names.sort((a, b) => placeOf(a) - placeOf(b));
    last = place;
  }
  // The compiler has put most records in this order.
  return names;
}

/** What readers look for first among the members of an object; the others follow by name, as the dictionary has them. */
const FIRST = (
  'id name level kind hp atk magic_atk def magic_def res spd crit_rate crit_dmg ' +
  'power performance technique vocal dance visual'
).split(' ');

/** Puts the attributes of a dictionary into the order in which pages show them: HP, attack and defence first, the start before the end, and the least before the most. */
export function inReadingOrder<Each extends Known>(attributes: readonly Each[]): Each[] {
  const places = new Map(attributes.map(({ key }, at) => [key, at]));
  const placeOf = (key: string): number => {
    const first = FIRST.indexOf(key.slice(key.lastIndexOf('.') + 1));
    if (first >= 0) return first - FIRST.length;
    const earlier = places.get(key.replace(/(?<=[._]|^)end$/, 'start').replace(/(?<=[._]|^)max$/, 'min'));
    const place = places.get(key) ?? attributes.length;
    return earlier === undefined || earlier === place ? place : earlier + 0.5;
  };
  const pathOf = (key: string) =>
    key.split('.').map((_, at, parts) => placeOf(parts.slice(0, at + 1).join('.')));
  const paths = new Map(attributes.map(({ key }) => [key, pathOf(key)]));
  return attributes.toSorted((a, b) => comparePaths(paths.get(a.key) ?? [], paths.get(b.key) ?? []));
}

/** An object comes before its members. */
function comparePaths(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((place, step) => place !== b[step]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? Number.NEGATIVE_INFINITY);
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
