import { compressGzip } from '../dist/compress.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import { ownValue, type TableFormat } from '../format/dist-format.ts';
import { type BulkCollection, collectionsOf } from './collections.ts';
import { type Table, tableOf } from './columns.ts';
import { writeCsv } from './csv.ts';
import { writeParquet } from './parquet.ts';
import { type Gzipped, writeZip } from './zip.ts';

/** A build in a format. */
export interface Bulk {
  /** A zip with the files of all collections, and `build.json`. */
  zip: Uint8Array;
  /** The files of the collections that have records, by key. */
  collections: Map<string, Gzipped>;
}

/** Writes a collection in a format; undefined if it has nothing that the format can hold. */
type WriteCollection = (collection: BulkCollection, table: () => Table) => string | Uint8Array | undefined;

const WRITERS: Readonly<Record<TableFormat, WriteCollection>> = {
  ndjson: ({ texts }) => texts.map((text) => `${text}\n`).join(''),
  csv: (_, table) => writeCsv(table()),
  parquet: (_, table) => writeParquet(table()),
};

/** Writes a build in a format. What earlier builds share with it is not made again. */
export async function makeBulk(
  content: BuildContent,
  dictionary: AttributeDictionary,
  format: TableFormat,
): Promise<Bulk> {
  const { game, title, build, released_at } = content;
  const about = encode(`${JSON.stringify({ game, title, build, released_at })}\n`);
  const files = new Map([['build.json', { bytes: about, gzip: await compressGzip(about) }]]);
  const collections = new Map<string, Gzipped>();
  for (const collection of collectionsOf(content)) {
    const { key, texts } = collection;
    const inOrder = ownValue(dictionary, key)?.attributes.map((attribute) => attribute.key) ?? [];
    const file = await makeFile(collection, inOrder, format);
    if (file === undefined) continue;
    files.set(`${key}.${format}`, file);
    if (texts.length > 0) collections.set(key, file);
  }
  return { zip: writeZip(files), collections };
}

/** The files of the collections that builds share, by what these are, and by format and order of attributes. */
const made = new WeakMap<object, Map<string, Gzipped | undefined>>();

async function makeFile(
  collection: BulkCollection,
  inOrder: readonly string[],
  format: TableFormat,
): Promise<Gzipped | undefined> {
  const { source } = collection;
  const files = made.get(source) ?? new Map<string, Gzipped | undefined>();
  made.set(source, files);
  const key = JSON.stringify([format, inOrder]);
  if (files.has(key)) return files.get(key);
  const text = WRITERS[format](collection, () => tableOf(collection, inOrder));
  const bytes = typeof text === 'string' ? encode(text) : text;
  const file = bytes && { bytes, gzip: await compressGzip(bytes) };
  files.set(key, file);
  return file;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
