import { parquetWriteBuffer } from 'hyparquet-writer';
import { compressGzip } from '../dist/stage.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import {
  compareNatural,
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
  parseRecord,
  type TableFormat,
} from '../format/dist-format.ts';

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
    const inOrder = ownValue(dictionary, key)?.attributes.map((attribute) => attribute.key) ?? [];
    return { key, texts, records, table: makeTable(records, inOrder) };
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
  if (!numbers.every((value) => Number.isSafeInteger(value) && !Object.is(value, -0))) return 'DOUBLE';
  return numbers.every((value) => Math.abs(value) <= MAX_INT32) ? 'INT32' : 'INT64';
}

/** A collection as a table. */
interface ColumnTable {
  /** Dotted keys. */
  names: string[];
  /** The values of each column by row; undefined if there is none. */
  columns: (Json | undefined)[][];
}

/**
 * Makes a table of records: one column per attribute that is reached through objects and is not an object.
 *
 * @param inOrder the keys of attributes in the order of the dictionary; others follow
 */
function makeTable(records: readonly JsonObject[], inOrder: readonly string[]): ColumnTable {
  const values = new Map<string, (Json | undefined)[]>();
  for (const [row, record] of records.entries()) {
    eachAttribute(record, (key, value) => {
      if (isObject(value)) return;
      const column = values.get(key) ?? new Array<Json | undefined>(records.length).fill(undefined);
      column[row] = value;
      values.set(key, column);
    });
  }
  const places = new Map(inOrder.map((key, place) => [key, place]));
  const placeOf = (key: string) => places.get(key) ?? inOrder.length;
  const names = [...values.keys()].sort((a, b) => placeOf(a) - placeOf(b) || compareNatural(a, b));
  const columns = names.map((name) => values.get(name) ?? []);
  return { names, columns };
}

/** Needs quotes: as in RFC 4180; with the separator of spreadsheets in many countries; or with spaces that some programs remove. */
const SPECIAL = /[",;\r\n]|^\s|\s$/;
/** The start of a text that spreadsheets may run as a formula, also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Separates the elements of a list. */
const SEPARATOR = '|';

export const LINE_END = '\r\n';

/**
 * Writes a value as a cell of CSV (RFC 4180).
 *
 * - A list of scalars has `|` between its elements; a `|` or `\` in an element is escaped with `\`.
 * - Any other list, and an object, is JSON.
 * - null and an empty list are an empty cell; an empty text is `""`.
 *
 * @param writeText writes a text, or a list that does not consist of numbers
 */
export function csvCell(value: Json | undefined, writeText: (text: string) => string = csvText): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value) || value.some((element) => isObject(element) || Array.isArray(element)))
    return writeText(JSON.stringify(value));
  if (value.length === 0) return '';
  const joined = value.map(writeElement).join(SEPARATOR);
  return value.every((element) => typeof element === 'number') ? joined : writeText(joined);
}

/** Whether a spreadsheet may run a text as a formula. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text);
}

export function csvText(text: string): string {
  return text !== '' && !SPECIAL.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}

function writeElement(value: Json): string {
  return typeof value === 'string' ? value.replace(/[\\|]/g, '\\$&') : String(value ?? '');
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
const WRITERS: Record<TableFormat, (collection: BulkCollection) => string | Uint8Array | undefined> = {
  ndjson: ({ texts }) => texts.map((text) => `${text}\n`).join(''),
  csv: ({ table }) => writeCsv(table),
  parquet: ({ table }) => writeParquet(table),
};

/** A file of a zip, with its gzip form. */
interface ZippedFile {
  name: string;
  /** The key of its collection; empty for `build.json`. */
  key: string;
  /** Whether it has no records. */
  isEmpty: boolean;
  bytes: Uint8Array;
  gzip: Buffer;
}

/** Writes the collections of a build in a format, and `build.json`, which describes it. */
export async function encodeCollections(
  { content: { game, title, build, released_at }, collections }: BulkBuild,
  format: TableFormat,
): Promise<ZippedFile[]> {
  const add = async (name: string, key: string, content: string | Uint8Array, isEmpty: boolean) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return { name, key, isEmpty, bytes, gzip: await compressGzip(bytes) };
  };
  const about = `${JSON.stringify({ game, title, build, released_at })}\n`;
  const files = [await add('build.json', '', about, true)];
  for (const collection of collections) {
    const { key, texts } = collection;
    const content = WRITERS[format](collection);
    if (content !== undefined) files.push(await add(`${key}.${format}`, key, content, texts.length === 0));
  }
  return files;
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
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );
}

/** Encodes numbers in four bytes each, little-endian. */
function words(...numbers: number[]): number[] {
  return [...new Uint8Array(Uint32Array.from(numbers).buffer)];
}
