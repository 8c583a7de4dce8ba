import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer';
import type { Json } from '../format/dist-format.ts';
import { type ColumnType, columnType } from './column-type.ts';
import type { Table } from './columns.ts';

const TYPES: Readonly<Record<ColumnType, BasicType>> = {
  boolean: 'BOOLEAN',
  string: 'STRING',
  int32: 'INT32',
  int64: 'INT64',
  double: 'DOUBLE',
  json: 'JSON',
};

/** Writes a table as Parquet; undefined if it has no columns. */
export function writeParquet({ names, columns }: Table): Uint8Array | undefined {
  if (names.length === 0) return undefined;
  const columnData = names.map((name, at) => ({ name, nullable: true, ...writeColumn(columns[at] ?? []) }));
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: 'game-data-read-api' }));
}

function writeColumn(values: readonly (Json | undefined)[]): { type: BasicType; data: unknown[] } {
  const type = TYPES[columnType(values)];
  const write = type === 'INT64' ? (value: Json) => BigInt(value as number) : (value: Json) => value;
  return { type, data: values.map((value) => (value === undefined || value === null ? null : write(value))) };
}
