import type { JsonObject } from '../format/dist-format.ts';
import { sortAttributes } from './canonical.ts';

/** What a full record has beside its roster entry where the mapping adds nothing. */
export const NOTHING_MORE: JsonObject = {};

/** By what came of a roster's `entry`, what was joined to it. From build to build most of both are the same objects. */
const joined = new WeakMap<JsonObject, { more: JsonObject; made: Joined }>();

interface Joined {
  /** The roster entry. */
  entry: JsonObject;
  /** The full record. */
  record: JsonObject;
}

/**
 * Makes a character of what came of a roster's expressions.
 *
 * @param more what `record` adds
 * @returns for the same two objects the same two
 */
export function joinRecord(entry: JsonObject, more: JsonObject): Joined {
  const known = joined.get(entry);
  if (known?.more === more) return known.made;
  const made = { entry: withTextId(entry), record: withTextId(sortAttributes({ ...more, ...entry })) };
  joined.set(entry, { more, made });
  return made;
}

/** A record with its id as a text; the record itself where the id is no number. */
export function withTextId(record: JsonObject): JsonObject {
  return typeof record.id === 'number' ? { ...record, id: String(record.id) } : record;
}
