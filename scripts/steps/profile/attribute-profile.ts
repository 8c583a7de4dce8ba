import { isObject, type Json } from '../../format/dist-format.ts';
import type { Kind } from '../../check/kinds.ts';

/** An attribute in all records of a list. */
export interface AttributeProfile {
  path: readonly string[];
  /** The kind of the first value; undefined if all values are null or empty lists. */
  kind: Kind | undefined;
  /** The same as a number (`kindCode`). */
  code: number;
  /** The position of the record with that value, or of the first record that has the attribute. */
  first: number;
  /** How many records have a value that is not empty (`isEmpty`). */
  filled: number;
}

/** Whether a value is empty, as from a broken source: none, null, zero, or an empty text, list or object; a list of nothing but these is empty too. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === 0 || value === '') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every((element) => element === null || element === '');
  return isObject(value) && Object.keys(value).length === 0;
}
