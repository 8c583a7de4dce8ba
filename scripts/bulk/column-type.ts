import type { Json } from '../format/dist-format.ts';

/** The type of a column. `json` is for lists, and for values of several types. */
export type ColumnType = 'boolean' | 'string' | 'int32' | 'int64' | 'double' | 'json';

const MAX_INT32 = 2 ** 31 - 1;

/** Returns the narrowest type that holds all values; null and undefined are in each type. */
export function columnType(values: readonly (Json | undefined)[]): ColumnType {
  const present = values.filter((value) => value !== undefined && value !== null);
  const isAll = (test: (value: Json) => boolean) => present.length > 0 && present.every(test);
  if (isAll((value) => typeof value === 'boolean')) return 'boolean';
  if (isAll((value) => typeof value === 'string')) return 'string';
  if (!isAll((value) => typeof value === 'number')) return 'json';
  const numbers = present as readonly number[];
  if (!numbers.every((value) => Number.isSafeInteger(value) && !Object.is(value, -0))) return 'double';
  return numbers.every((value) => Math.abs(value) <= MAX_INT32) ? 'int32' : 'int64';
}
