import { zipSync, type Zippable } from 'fflate';
import type { AttributeDictionary } from '../../core/format/attributes.ts';
import type { BuildContent } from '../../core/format/build-content.ts';
import type { TableFormat } from '../../core/format/dist-format.ts';
import { type BulkCollection, collectionsOf, recordsOf } from './collections.ts';
import { makeTable, type Table } from './columns.ts';
import { writeCsv } from './csv.ts';
import { writeParquet } from './parquet.ts';

/** A time in every zip, so that equal content gives equal bytes. */
const MODIFIED = new Date(1980, 0, 1);
const LEVEL = 6;

/** A build in a format. */
export interface Bulk {
  /** A zip with the files of all collections, and `build.json`. */
  zip: Uint8Array;
  /** The files of the collections that have records, by key. */
  collections: Map<string, Uint8Array>;
}

/** Writes a collection in a format; undefined if it has nothing that the format can hold. */
type WriteCollection = (collection: BulkCollection, table: () => Table) => string | Uint8Array | undefined;

const WRITERS: Readonly<Record<TableFormat, WriteCollection>> = {
  ndjson: ({ texts }) => texts.map((text) => `${text}\n`).join(''),
  csv: (_, table) => writeCsv(table()),
  parquet: (_, table) => writeParquet(table()),
};

/** Writes a build in a format. */
export function makeBulk(content: BuildContent, dictionary: AttributeDictionary, format: TableFormat): Bulk {
  const { game, title, build, released_at } = content;
  const collections = new Map<string, Uint8Array>();
  const files: Zippable = {
    'build.json': entryOf(encode(`${JSON.stringify({ game, title, build, released_at })}\n`)),
  };
  for (const collection of collectionsOf(content)) {
    const { key, texts } = collection;
    const inOrder = dictionary[key]?.attributes.map((attribute) => attribute.key) ?? [];
    const file = WRITERS[format](collection, () => makeTable(recordsOf(collection), inOrder));
    if (file === undefined) continue;
    const bytes = typeof file === 'string' ? encode(file) : file;
    files[`${key}.${format}`] = entryOf(bytes);
    if (texts.length > 0) collections.set(key, bytes);
  }
  return { zip: zipSync(files), collections };
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function entryOf(bytes: Uint8Array): [Uint8Array, { level: typeof LEVEL; mtime: Date }] {
  return [bytes, { level: LEVEL, mtime: MODIFIED }];
}
