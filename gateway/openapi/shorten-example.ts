import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';

/** Lists of an example are cut to this length. */
const MAX_ELEMENTS = 2;

/** Returns an object with only the first elements of each list inside it. */
export function shortenExample(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, shorten(value)]));
}

function shorten(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, MAX_ELEMENTS).map(shorten);
  return isObject(value) ? shortenExample(value) : value;
}
