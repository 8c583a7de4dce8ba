import { parquetWriteBuffer } from 'hyparquet-writer';
import { valueAt } from '../changes/survey.ts';
import { compressGzip } from '../dist/stage.ts';
import type { Attribute, AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import {
  type Json,
  type JsonObject,
  ownValue,
  parseRecord,
  type TableFormat,
} from '../format/dist-format.ts';
import { csvCell, csvText, LINE_END } from './csv.ts';

/** A build to be written in other formats. */
export interface BulkBuild {
  content: BuildContent;
  dictionary: AttributeDictionary;
  collections: readonly BulkCollection[];
}

/** A collection of a build: `characters`, or a dataset. An object is a collection with one record. */
export interface BulkCollection {
  key: string;
  texts: readonly string[];
  records: readonly JsonObject[];
  table: ColumnTable;
}

/** Returns the characters, then the datasets of a build. */
export function collectionsOf(
  { characters, datasets }: BuildContent,
  dictionary: AttributeDictionary,
): BulkCollection[] {
  const lists = [...datasets].map(([key, dataset]) => {
    return [key, dataset.kind === 'list' ? dataset.records : [dataset.text.trimEnd()]] as const;
  });
  return [['characters', characters] as const, ...lists].map(([key, texts]) => {
    const records = texts.map(parseRecord);
    return { key, texts, records, table: makeTable(records, ownValue(dictionary, key)?.attributes ?? []) };
  });
}

/** The type of a column, as Parquet names it. `JSON` is for lists, and for values of several types. */
export type ColumnType = 'BOOLEAN' | 'STRING' | 'INT32' | 'INT64' | 'DOUBLE' | 'JSON';

const MAX_INT32 = 2 ** 31 - 1;

/** Returns the narrowest type for all values; null and undefined fit each type. */
export function columnType(values: readonly (Json | undefined)[]): ColumnType {
  const present = values.filter((value) => value !== undefined && value !== null);
  const isAll = (test: (value: Json) => boolean) => present.length > 0 && present.every(test);
  if (isAll((value) => typeof value === 'boolean')) return 'BOOLEAN';
  if (isAll((value) => typeof value === 'string')) return 'STRING';
  if (!isAll((value) => typeof value === 'number')) return 'JSON';
  const numbers = present as readonly number[];
  if (!numbers.every((value) => Number.isSafeInteger(value))) return 'DOUBLE';
  return numbers.every((value) => Math.abs(value) <= MAX_INT32) ? 'INT32' : 'INT64';
}

/** A collection as a table. */
interface ColumnTable {
  /** Dotted keys. */
  names: string[];
  /** The values of each column by row; undefined if there is none. */
  columns: (Json | undefined)[][];
}

/** Makes a table of records: one column per attribute that is reached through objects and is not an object. */
function makeTable(records: readonly JsonObject[], attributes: readonly Attribute[]): ColumnTable {
  const lists = attributes.filter(({ list }) => list).map(({ key }) => `${key}.`);
  const names = attributes.flatMap(({ key, type, list }) => {
    const isColumn = (list || type !== 'object') && !lists.some((prefix) => key.startsWith(prefix));
    return isColumn ? key : [];
  });
  const columns = names.map((name) => records.map((record) => valueAt(record, name.split('.'))));
  return { names, columns };
}

/** Writes a table as CSV (RFC 4180) in UTF-8. Texts are unchanged, even those that a spreadsheet would run as a formula. */
function writeCsv({ names, columns }: ColumnTable): string {
  const rows = columns[0]?.length ?? 0;
  const lines = [names.map(csvText).join()];
  // Most CSV readers skip an empty line.
  for (let row = 0; row < rows; row++)
    lines.push(columns.map((column) => csvCell(column[row])).join() || '""');
  return lines.map((line) => line + LINE_END).join('');
}

/** Writes a table as Parquet; undefined if it has no columns. */
function writeParquet({ names, columns }: ColumnTable): Uint8Array | undefined {
  if (names.length === 0) return undefined;
  const columnData = names.map((name, at) => ({ name, nullable: true, ...writeColumn(columns[at] ?? []) }));
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: 'game-data-read-api' }));
}

function writeColumn(values: readonly (Json | undefined)[]): { type: ColumnType; data: unknown[] } {
  const type = columnType(values);
  const write = type === 'INT64' ? (value: Json) => BigInt(value as number) : (value: Json) => value;
  return { type, data: values.map((value) => (value === undefined || value === null ? null : write(value))) };
}

/** Writes a collection in a format; undefined if the format cannot represent any of it. */
export const WRITERS: Record<TableFormat, (collection: BulkCollection) => string | Uint8Array | undefined> = {
  ndjson: ({ texts }) => texts.map((text) => `${text}\n`).join(''),
  csv: ({ table }) => writeCsv(table),
  parquet: ({ table }) => writeParquet(table),
};

/** A file of a zip, with its gzip form. */
export interface ZippedFile {
  name: string;
  bytes: Uint8Array;
  gzip: Buffer;
}

export async function zippedFile(name: string, content: string | Uint8Array): Promise<ZippedFile> {
  const bytes = Buffer.from(content);
  return { name, bytes, gzip: await compressGzip(bytes) };
}

/** The lengths of the parts of gzip (RFC 1952) before and after the compressed bytes; the part after them begins with the CRC-32. */
const GZIP_HEAD = 10;
const GZIP_TAIL = 8;

/** Required version, no flags, deflate, and a fixed time: equal content gives equal bytes. */
const VERSION = [20, 0];
const TRAITS = [...VERSION, 0, 0, 8, 0, 0, 0, 0x21, 0];

/** Writes a zip (APPNOTE.TXT of PKWARE) of already compressed files, whose names are ASCII. */
export function writeZip(files: readonly ZippedFile[]): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, gzip } of files) {
    const deflated = gzip.subarray(GZIP_HEAD, -GZIP_TAIL);
    const crc = gzip.readUInt32LE(gzip.length - GZIP_TAIL);
    const traits = [...TRAITS, ...words(crc, deflated.length, bytes.length), name.length, 0, 0, 0];
    const place = [...Array<number>(10).fill(0), ...words(offset)];
    directory.push(join('PK\x01\x02', [...VERSION, ...traits, ...place], name));
    const local = join('PK\x03\x04', traits, name, deflated);
    parts.push(local);
    offset += local.length;
  }
  const names = join(...directory);
  const count = [files.length & 0xff, files.length >> 8];
  const end = [0, 0, 0, 0, ...count, ...count, ...words(names.length, offset), 0, 0];
  return join(...parts, names, 'PK\x05\x06', end);
}

function join(...parts: readonly (string | readonly number[] | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)));
}

/** Encodes numbers in four bytes each, little-endian. */
function words(...numbers: number[]): number[] {
  return [...new Uint8Array(Uint32Array.from(numbers).buffer)];
}
