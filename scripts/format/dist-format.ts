/**
 * The format of dist/, format 2: the published contract between the compiler, which writes it, and everybody who reads
 * it (the gateway, a CDN, your own scripts). This file is its one definition; `dist-schemas.ts` has the JSON Schemas.
 *
 *     dist/
 *       index.json                                 the only file that is ever replaced; names a manifest for each game
 *       <slug>/manifest.<hash>.json                the game's builds, oldest first, and the files of each
 *       <slug>/roster.<hash>.json                  a list: the roster entries of a build
 *       <slug>/characters.<hash>.json              a list: the full records, same ids in the same order
 *       <slug>/dataset.<key>.<hash>.json           a list of records, or one object
 *       <slug>/snapshot.<hash>.json[.gz|.br]       a build whole, one object (`Snapshot`); plain, and compressed once for all
 *       <slug>/diff.<hash>.json                    one object: what changed from the build before, value by value
 *       <slug>/history.<hash>.json                 one object: what the build brought, by name
 *       <slug>/timeline.<hash>.json                a list: of every character that the build added, changed or removed what it did
 *
 * - `<hash>` is the first 32 hex digits of the SHA-256 of the file's bytes: a file never changes, and two builds with equal
 *   content name the same file. (Compressed bytes may differ from one machine to another; what they hold does not.)
 * - Every build has its own files and no file spans builds: adding a build costs that build, however many there were, and whoever may
 *   not see a build is shown none of its files. A character's timeline is its lines of the builds' `timeline` files put together.
 * - A list is a JSON array written one record a line (`encodeList`), so that a record is the bytes of a line. Records with
 *   an `id` stand in natural order of it (`compareNatural`); other lists keep the order of their source.
 * - Equal values are equal bytes: the keys of an object stand in one order, that in which JavaScript tells them. Keys that
 *   are written like an array index ("0", "90"; no leading zero) come first, by size; then `id` and `name`, then all others
 *   by UTF-16 code unit.
 * - An attribute that is reached through objects (`eachAttribute`) has one kind in all records of a list.
 */

// The order of records is part of the format.
export { compareNatural } from './natural-order.ts';

/** The format number that index.json carries. A reader that meets another number must refuse the whole folder. */
export const FORMAT = 2;

/** The one mutable file of dist/. */
export const INDEX_FILE = 'index.json';

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** A file of dist/: its path from the folder's root with `/`, its size in bytes and the SHA-256 of them in hex. */
export interface FileRef {
  file: string;
  bytes: number;
  sha256: string;
}

/** A file that holds a list of `count` records. */
export interface ListRef extends FileRef {
  count: number;
}

/** A dataset's file: a list of `count` records, or one object (`count` 1). */
export interface DatasetRef extends ListRef {
  key: string;
  kind: 'list' | 'object';
}

/** A file in three forms: plain (the reference itself), gzip and brotli, each with its own size and SHA-256. */
export interface CompressedRef extends FileRef {
  gzip: FileRef;
  brotli: FileRef;
}

/** A build whole, as its snapshot file has it; generated datasets are left out. */
export interface Snapshot {
  game: string;
  title: string;
  build: string;
  released_at: string;
  characters: JsonObject[];
  datasets: { [key: string]: JsonObject[] | JsonObject };
}

/** A correction of a build after its release: when (ISO 8601 UTC) and why. */
export interface Amendment {
  at: string;
  reason: string;
}

/** One build of a game. `released_at` is ISO 8601 in UTC; a reader shows a build to nobody before it. */
export interface BuildEntry {
  build: string;
  released_at: string;
  note: string | null;
  /** Oldest first. */
  amended: Amendment[];
  roster: ListRef;
  characters: ListRef;
  /** In order of their keys. */
  datasets: DatasetRef[];
  snapshot: CompressedRef;
  /** Null for the first build. */
  diff: FileRef | null;
  history: FileRef;
  timeline: ListRef;
}

/** All of a game; `builds` oldest first, never empty. */
export interface Manifest {
  slug: string;
  title: string;
  builds: BuildEntry[];
}

/** What is current. `games` in slug order. */
export interface Index {
  format: number;
  games: { slug: string; manifest: FileRef }[];
}

/** A game's name in paths and addresses: lowercase letters, digits, single hyphens; at most 64. */
export const SLUG = '^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$';
/** A build's name: URL-safe, starts with a letter or digit, at most 64. */
export const BUILD_NAME = '^(?!latest$)[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$';
/** A dataset's key: snake_case, at most 64. */
export const DATASET_KEY = '^(?=.{1,64}$)[a-z][a-z0-9]*(_[a-z0-9]+)*$';

/** Keys that no dataset has: each is an address of its own below a game's. */
export const RESERVED_DATASET_KEYS = [
  'characters',
  'compare',
  'history',
  'snapshot',
  'diff',
  'facets',
] as const;
/** Keys of the datasets that every game has. */
export const REQUIRED_DATASETS: readonly string[] = ['pull_planner'];
/** What a list is asked for by, beside its attributes: names that no attribute at the top of a record has. */
export const LIST_PARAMETERS = ['q', 'sort', 'limit', 'offset', 'ids', 'fields'] as const;

/** Every file that a build names. */
export function filesOf({
  roster,
  characters,
  datasets,
  snapshot,
  diff,
  history,
  timeline,
}: BuildEntry): FileRef[] {
  const { gzip, brotli } = snapshot;
  return [
    roster,
    characters,
    ...datasets,
    snapshot,
    gzip,
    brotli,
    ...(diff ? [diff] : []),
    history,
    timeline,
  ];
}

/** Writes a list file: a JSON array, one record a line. */
export function encodeList(records: readonly Json[]): string {
  return encodeLines(records.map((record) => JSON.stringify(record)));
}

/** Writes a list file of records that are JSON texts already. */
export function encodeLines(lines: readonly string[]): string {
  return `[\n${lines.join(',\n')}\n]\n`;
}

const NEWLINE = 0x0a;
const COMMA = 0x2c;

/**
 * Cuts a list file into its records without parsing it.
 *
 * @returns one view a record onto the bytes of `file` (no copies), in file order
 * @throws Error when the bytes are not what `encodeList` writes
 */
export function sliceList(file: Buffer): Buffer[] {
  const end = file.length - 3;
  if (end < 2 || file.toString('latin1', 0, 2) !== '[\n' || file.toString('latin1', end) !== '\n]\n') {
    throw new Error('not a list file: expected "[", one record a line, "]"');
  }
  const records: Buffer[] = [];
  for (let start = 2; start < end; ) {
    const newline = file.indexOf(NEWLINE, start);
    const isLast = newline === end;
    if (!isLast && file[newline - 1] !== COMMA)
      throw new Error('not a list file: expected a comma after each record but the last');
    records.push(file.subarray(start, isLast ? end : newline - 1));
    start = newline + 1;
  }
  return records;
}

/**
 * Visits every attribute of a record that is reached through objects alone, with its dotted key: scalars, nulls, lists
 * and the objects on the way. These keys are what a reader can filter by and select.
 *
 * @param visit gets the dotted key, the value, and the names that lead to it; the list of names is reused, so copy it to keep it
 */
export function eachAttribute(
  record: JsonObject,
  visit: (key: string, value: Json, path: readonly string[]) => void,
): void {
  const path: string[] = [];
  const walk = (object: JsonObject, prefix: string): void => {
    for (const name of Object.keys(object)) {
      const value = object[name] as Json;
      path.push(name);
      visit(prefix + name, value, path);
      if (isObject(value)) walk(value, `${prefix}${name}.`);
      path.pop();
    }
  };
  walk(record, '');
}

/** Whether a JSON value is an object (neither null nor a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
