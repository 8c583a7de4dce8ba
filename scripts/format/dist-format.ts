import type { AttributeDictionary } from './attributes.ts';
import type { BuildEntry, FileRef, GameDescription, StoredRef, ZipRef } from './dist-schemas.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * The format of dist/, format 4: the published contract between the compiler, which writes it, and its readers (the gateway, a CDN,
 * your own scripts). `dist-schemas.ts` has the schemas and types of its index and manifests.
 *
 *     dist/
 *       index.json                                 the only file that is ever replaced; it names a manifest for each game
 *       <slug>/manifest.<hash>.json                the game's builds, oldest first, and the files of each
 *       <slug>/roster.<hash>.json and .gz          a list: the roster entries of a build; without .gz only of the newest
 *       <slug>/characters.<hash>.json              a list: the full records, same ids in the same order; also the roster entries if they are equal
 *       <slug>/dataset.<key>.<hash>.json           a list of records, or one object
 *       <slug>/aliases.<hash>.json                 one object: further names of a build's records (`Aliases`)
 *       <slug>/attributes.<hash>.json              one object: the attribute dictionary of a build (`attributes.ts`)
 *       <slug>/snapshot.<hash>.json.gz and .br     a whole build as one object (`Snapshot`), compressed in two ways
 *       <slug>/diff.<hash>.json                    one object: the changes from the build before, value by value
 *       <slug>/history.<hash>.json                 one object: the changes of the build, by name; several (`history_pages`) if a list of it is long
 *       <slug>/timeline.<hash>.json                a list: an entry for each character that the build added, changed or removed
 *       <slug>/bulk.<format>.<hash>.zip            a whole build for other tools (`TABLE_FORMATS`), with a file for each collection
 *       <slug>/characters.<hash>.<format>          one of these files: .parquet, or compressed in two ways: .ndjson.gz, .ndjson.br, .csv.gz, .csv.br
 *       <slug>/dataset.<key>.<hash>.<format>       the same of a dataset
 *       <slug>/bulk.<hash>.sqlite.gz and .br       a whole build as an SQLite database, compressed in two ways
 *       <slug>/amendment.<hash>.json               one object: the changes of a correction after the release, value by value
 *
 * - `<hash>` is the first 32 hex digits of the SHA-256 of the file's bytes: a file never changes, and two builds with equal content name
 *   the same file. (Compressed bytes may differ between machines; the decompressed content does not.)
 * - No file spans several builds. So the cost of adding a build does not depend on the number of builds, and the files of a hidden build
 *   can be hidden too. The timeline of a character is the sequence of its entries in the `timeline` files of the builds.
 * - A list is a JSON array with one record per line (`encodeList`), so that a line is the bytes of a record. Records with an `id` are in
 *   natural order of it (`compareNatural`); other lists keep the order of their source.
 * - Equal values are equal bytes: the keys of an object have a fixed order, the same in which JavaScript enumerates them. Keys that look
 *   like an array index ("0", "90"; no leading zero) come first, by size; then `id` and `name`; then all others by UTF-16 code unit.
 * - Only the newest build of a game has plain files of its lists. Of the builds before it (`in_snapshot`), the roster is gzip, and the others are parts of the
 *   plain snapshot, byte for byte (`encodeSnapshot`): references have the size and the hash of each part, and the name that its file would have.
 * - An attribute inside objects (`eachAttribute`) has the same kind of value in all records of a list.
 */

export type * from './dist-schemas.ts';
export type { Json, JsonObject } from './json.ts';
// The order of records is part of the format.
export { compareNatural } from './json.ts';

/** The format number in index.json. A reader that finds another number must refuse the whole folder. */
export const FORMAT = 4;

/** The only file of dist/ that changes. */
export const INDEX_FILE = 'index.json';

/** The file in dist/ that names the process that is writing to it. */
export const LOCK_FILE = '.lock';

/** A format of downloads besides JSON. */
export interface BulkFormatTraits {
  /** The media type of a file. */
  mediaType: string;
  /** Whether dist/ has its files as gzip and brotli; otherwise as they are, because the format is already compressed. */
  isCompressed: boolean;
  /** The name of the schema of a file in the OpenAPI document, and what a file is. */
  schema: string;
  description: string;
}

/** The formats in which each collection is a file, in a zip. To add one, add it here; the type checker then reports what else it needs. */
const TABLES = {
  ndjson: {
    mediaType: 'application/x-ndjson',
    isCompressed: true,
    schema: 'Ndjson',
    description: 'A JSON object per line, in UTF-8.',
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    isCompressed: true,
    schema: 'Csv',
    description:
      'CSV (RFC 4180) in UTF-8: a line with the names of the columns, then a line per row. Lines end with CRLF.',
  },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    isCompressed: false,
    schema: 'Parquet',
    description: 'A collection as Parquet.',
  },
} as const satisfies Record<string, BulkFormatTraits>;
export type TableFormat = keyof typeof TABLES;
export const TABLE_FORMATS: readonly TableFormat[] = keysOf(TABLES);
export type BulkFormat = TableFormat | 'sqlite';
/** All formats of downloads besides JSON. */
export const BULK_TRAITS: Readonly<Record<BulkFormat, BulkFormatTraits>> = {
  ...TABLES,
  sqlite: {
    mediaType: 'application/vnd.sqlite3',
    isCompressed: true,
    schema: 'Database',
    description: 'An SQLite database.',
  },
};
export const BULK_FORMATS: readonly BulkFormat[] = keysOf(BULK_TRAITS);

const compressed = ['json', ...BULK_FORMATS.filter((format) => BULK_TRAITS[format].isCompressed)];
const plain = ['zip', ...BULK_FORMATS.filter((format) => !BULK_TRAITS[format].isCompressed)];
/** Matches the endings of files that never change. */
export const FILE_EXTENSION = String.raw`(?:${plain.join('|')}|(?:${compressed.join('|')})(?:\.gz|\.br)?)`;

/** The content of a snapshot file: a complete build, without generated datasets. */
export interface Snapshot {
  game: string;
  title: string;
  build: string;
  released_at: string;
  characters: JsonObject[];
  datasets: { [key: string]: JsonObject[] | JsonObject };
}

/** Additional names of records: by `characters` or the key of a dataset, then by id. They are for search, and not part of the records. */
export type Aliases = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** A game's name in paths and URLs: lowercase letters, digits, single hyphens; at most 64 characters. */
export const SLUG = '^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$';
/** A build's name: URL-safe, starts with a letter or digit, at most 64 characters. */
export const BUILD_NAME = '^(?!latest$)[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$';
/** A dataset's key: snake_case, at most 64 characters. */
export const DATASET_KEY = '^(?=.{1,64}$)[a-z][a-z0-9]*(_[a-z0-9]+)*$';

/** A language in the name of an attribute, as in `name_ja` or `name_zh_cn`. */
export const LANGUAGE = '^[a-z]{2,3}(_[a-z]{2,4})?$';

/** Keys that no dataset may have, because they are other endpoints below a game. */
// biome-ignore format: a row of names.
export const RESERVED_DATASET_KEYS = ['characters', 'compare', 'history', 'snapshot', 'diff', 'facets', 'names', 'attributes', 'bulk'] as const;
export const REQUIRED_DATASETS: readonly string[] = ['pull_planner'];
/** Query parameters of lists that are not filters. */
export const LIST_PARAMETERS = ['q', 'sort', 'limit', 'offset', 'ids', 'fields', 'lang', 'filter'] as const;
/** Names that no top-level attribute of a record may have: the query parameters of lists, including those of CSV. */
export const RESERVED_ATTRIBUTES = [...LIST_PARAMETERS, 'columns', 'csv'] as const;

/** Returns the members of a manifest that describe the game as a whole. */
export function descriptionOf(game: GameDescription): GameDescription {
  const { title, other_names, language, played_in, cadence_days, successor, other_regions, images } = game;
  return { title, other_names, language, played_in, cadence_days, successor, other_regions, images };
}

/** Returns the date of the source of each collection of a build, by `characters` or the key of a dataset. */
export function asOf({ released_at, datasets, as_of = {} }: BuildEntry): Record<string, string> {
  const keys = ['characters', ...datasets.map(({ key }) => key)];
  return Object.fromEntries(keys.map((key) => [key, ownValue(as_of, key) ?? released_at.slice(0, 10)]));
}

/** Returns all downloads of a build: its snapshot, and the other formats. */
export function downloadsOf({ snapshot, bulk = {} }: Pick<BuildEntry, 'snapshot' | 'bulk'>): StoredRef[] {
  return [snapshot, ...Object.values<StoredRef | ZipRef>(bulk).flatMap(partsOf)];
}

/** Returns the parts of a build in a format: one file, or a zip and the files of its collections. */
export function partsOf(ref: StoredRef | ZipRef): StoredRef[] {
  return 'collections' in ref ? [ref, ...ref.collections] : [ref];
}

/** Returns the files of dist/ with the content of a reference. */
export function storedFilesOf(ref: StoredRef): FileRef[] {
  return 'gzip' in ref ? [ref.gzip, ref.brotli] : [ref];
}

/** Returns the files of dist/ with the roster, the characters and the datasets of a build, without its snapshot. */
export function listFilesOf({ roster, characters, datasets, in_snapshot }: BuildEntry): FileRef[] {
  if (!in_snapshot) return [roster, characters, ...datasets];
  return roster.file === characters.file ? [] : [roster.gzip ?? roster];
}

/** Returns the files of dist/ that a build references. */
export function filesOf(entry: BuildEntry): FileRef[] {
  const { roster, attributes, aliases, diff, history, history_pages = [], timeline, amendments = [] } = entry;
  return [
    ...listFilesOf(entry),
    ...(roster.gzip && !entry.in_snapshot ? [roster.gzip] : []),
    attributes,
    ...(aliases ? [aliases] : []),
    ...downloadsOf(entry).flatMap(storedFilesOf),
    ...(diff ? [diff] : []),
    history,
    ...history_pages,
    timeline,
    ...amendments.filter((ref) => ref !== null),
  ];
}

/** Encodes a list file: a JSON array with one record per line. */
export function encodeList(records: readonly Json[]): string {
  return encodeLines(records.map((record) => JSON.stringify(record)));
}

/** Encodes a list file of encoded records. */
export function encodeLines(lines: readonly string[]): string {
  // In the first and the last line, so that the whole text is not copied once more.
  const framed = lines.length === 0 ? [''] : [...lines];
  framed[0] = `[\n${framed[0]}`;
  framed.push(`${framed.pop()}\n]\n`);
  return framed.join(',\n');
}

const NEWLINE = 0x0a;

/**
 * Splits a list file into its records without parsing it: yields a view of the bytes of `file` (no copy) for each, in file order.
 *
 * @throws Error if the bytes are not from `encodeList`
 */
export function* eachRecord(file: Buffer): Generator<Buffer, void, void> {
  const end = file.length - 3;
  if (end < 2 || file.toString('latin1', 0, 2) !== '[\n' || file.toString('latin1', end) !== '\n]\n') {
    throw new Error('not a list file: expected "[", one record per line, "]"');
  }
  for (let start = 2; start < end; ) {
    const newline = file.indexOf(NEWLINE, start);
    yield file.subarray(start, newline === end ? end : newline - 1);
    start = newline + 1;
  }
}

/**
 * Visits every attribute of a record and of the objects inside it, but not inside lists, with its dotted key. These keys are those of filters and
 * `fields`.
 *
 * @param visit receives the dotted key, the value, and the path as a list of names; the list is reused, so copy it to keep it
 */
export function eachAttribute(
  record: JsonObject,
  visit: (key: string, value: Json, path: readonly string[]) => void,
): void {
  const path: string[] = [];
  const walk = (object: JsonObject, prefix: string): void => {
    for (const name of Object.keys(object)) {
      const value = object[name] ?? null;
      path.push(name);
      visit(prefix + name, value, path);
      if (isObject(value)) walk(value, `${prefix}${name}.`);
      path.pop();
    }
  };
  walk(record, '');
}

/** Returns the keys of an object whose type lists all of them, such as a constant table. */
export function keysOf<Key extends string>(table: Readonly<Partial<Record<Key, unknown>>>): Key[] {
  return Object.keys(table) as Key[];
}

/** Parses a record, or a dataset that is one object, from a file of dist/. The compiler wrote it, so it is trusted. */
export function parseRecord(json: string | Buffer): JsonObject {
  return JSON.parse(json.toString());
}

/** Parses an attribute dictionary from dist/. The compiler wrote it, so it is trusted. */
export function parseDictionary(file: Buffer): AttributeDictionary {
  return JSON.parse(file.toString());
}

/** Returns an own member of an object: data may contain the name `constructor`. */
export function ownValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns whether a JSON value is an object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
