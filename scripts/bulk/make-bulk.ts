import { zipSync, type Zippable } from 'fflate';
import type { AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent, DatasetContent } from '../format/build-content.ts';
import type { BulkFormat, JsonObject } from '../format/dist-format.ts';
import { makeTable } from './columns.ts';
import { writeCsv } from './csv.ts';
import { writeParquet } from './parquet.ts';

/** A time in every zip, so that equal content gives equal bytes. */
const MODIFIED = new Date(1980, 0, 1);
const LEVEL = 6;

/** Writes a collection in a format; undefined if it has nothing that the format can hold. */
type WriteCollection = (
  texts: readonly string[],
  inOrder: () => readonly string[],
) => string | Uint8Array | undefined;

const WRITERS: Readonly<Record<BulkFormat, WriteCollection>> = {
  ndjson: (texts) => texts.map((text) => `${text}\n`).join(''),
  csv: (texts, inOrder) => writeCsv(makeTable(parseAll(texts), inOrder())),
  parquet: (texts, inOrder) => writeParquet(makeTable(parseAll(texts), inOrder())),
};

/** Writes a build in a format, as a zip with a file for each collection. */
export function makeBulk(
  { game, title, build, released_at, characters, datasets }: BuildContent,
  dictionary: AttributeDictionary,
  format: BulkFormat,
): Uint8Array {
  const files: Zippable = {
    'build.json': entryOf(`${JSON.stringify({ game, title, build, released_at })}\n`),
  };
  for (const [key, texts] of [['characters', characters] as const, ...[...datasets].map(textsOf)]) {
    const inOrder = () => dictionary[key]?.attributes.map((attribute) => attribute.key) ?? [];
    const content = WRITERS[format](texts, inOrder);
    if (content !== undefined) files[`${key}.${format}`] = entryOf(content);
  }
  return zipSync(files);
}

function textsOf([key, dataset]: readonly [string, DatasetContent]): readonly [string, readonly string[]] {
  return [key, dataset.kind === 'list' ? dataset.records : [dataset.text.trimEnd()]];
}

function entryOf(content: string | Uint8Array): [Uint8Array, { level: typeof LEVEL; mtime: Date }] {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return [bytes, { level: LEVEL, mtime: MODIFIED }];
}

function parseAll(texts: readonly string[]): JsonObject[] {
  return texts.map((text) => JSON.parse(text) as JsonObject);
}
