import type { JsonObject } from '../format/dist-format.ts';
import { sortAttributes } from './canonical.ts';

/** The additional attributes of full records if the mapping has no `record`. */
export const NOTHING_MORE: JsonObject = {};

/** Joined records, by the result of `entry`. From build to build most results of `entry` and `record` are the same objects. */
const joined = new WeakMap<JsonObject, { more: JsonObject; made: Joined }>();

interface Joined {
  /** The roster entry. */
  entry: JsonObject;
  /** The full record. */
  record: JsonObject;
}

/**
 * Makes the roster entry and the full record of a character.
 *
 * @param entry the result of the roster's `entry`
 * @param more the result of `record`, which the full record has in addition
 * @returns the same objects whenever it is called with the same ones
 */
export function joinRecord(entry: JsonObject, more: JsonObject): Joined {
  const joinedRecord = joined.get(entry);
  if (joinedRecord?.more === more) return joinedRecord.made;
  const made = { entry: withTextId(entry), record: withTextId(sortAttributes({ ...more, ...entry })) };
  joined.set(entry, { more, made });
  return made;
}

/** Returns the record with its id as a text; the record itself if the id is not a number. */
export function withTextId(record: JsonObject): JsonObject {
  return typeof record.id === 'number' ? { ...record, id: String(record.id) } : record;
}
