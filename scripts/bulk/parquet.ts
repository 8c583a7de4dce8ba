import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer';
import type { Json } from '../format/dist-format.ts';
import type { Table } from './columns.ts';

const MAX_INT32 = 2 ** 31 - 1;

/** Writes a table as Parquet; undefined if it has no columns. */
export function writeParquet({ names, columns }: Table): Uint8Array | undefined {
  if (names.length === 0) return undefined;
  const columnData = names.map((name, at) => ({ name, nullable: true, ...writeColumn(columns[at] ?? []) }));
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: 'game-data-read-api' }));
}

function writeColumn(values: readonly (Json | undefined)[]): { type: BasicType; data: unknown[] } {
  const given = values.filter((value) => value !== undefined && value !== null);
  const type = typeOf(given);
  const write = type === 'INT64' ? (value: Json) => BigInt(value as number) : (value: Json) => value;
  return { type, data: values.map((value) => (value === undefined || value === null ? null : write(value))) };
}

/** The narrowest type that holds all values. */
function typeOf(values: readonly Json[]): BasicType {
  const isAll = (test: (value: Json) => boolean) => values.length > 0 && values.every(test);
  if (isAll((value) => typeof value === 'boolean')) return 'BOOLEAN';
  if (isAll((value) => typeof value === 'string')) return 'STRING';
  if (!isAll((value) => typeof value === 'number')) return 'JSON';
  const numbers = values as readonly number[];
  if (!numbers.every((value) => Number.isSafeInteger(value) && !Object.is(value, -0))) return 'DOUBLE';
  return numbers.every((value) => Math.abs(value) <= MAX_INT32) ? 'INT32' : 'INT64';
}
