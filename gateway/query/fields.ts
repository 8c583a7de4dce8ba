import type { Draft } from '../http/draft.ts';

/** The position of a value in a record's bytes: from, to (exclusive). */
type Span = readonly [number, number];

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
/** `{` */
export const OPEN_OBJECT = 0x7b;
/** `[` */
export const OPEN_LIST = 0x5b;

/**
 * Finds a value in a record by the keys that lead to it, without parsing the record.
 *
 * @param json an object from JSON.stringify (no white space between tokens)
 * @param path keys as JSON texts in UTF-8 (`"stats"` with its quotes), outermost first
 * @returns undefined when the record has no such value
 */
function findValue(json: Buffer, path: readonly Buffer[]): Span | undefined {
  let at = 0;
  for (const [depth, key] of path.entries()) {
    if (json[at] !== OPEN_OBJECT) return undefined;
    const value = findKey(json, at, key);
    if (value === undefined) return undefined;
    if (depth === path.length - 1) return [value, skipValue(json, value)];
    at = value;
  }
  return undefined;
}

/** Finds the value of a key in the object at `start`. */
function findKey(json: Buffer, start: number, key: Buffer): number | undefined {
  for (let at = start + 1; json[at] === QUOTE; at++) {
    const end = skipString(json, at);
    const value = end + 1;
    if (json[end] === COLON && end - at === key.length && json.compare(key, 0, key.length, at, end) === 0)
      return value;
    at = skipValue(json, value);
    if (json[at] !== COMMA) return undefined;
  }
  return undefined;
}

/** Writes the bytes `from` to `to` (exclusive) of a row's record. */
export type WriteSpan = (draft: Draft, row: number, from: number, to: number) => void;

/** Writes one attribute of a row as JSON; writes nothing and returns false when the row does not have it. */
export type Field = (draft: Draft, row: number) => boolean;

/**
 * Creates the writer of a value that is found in the bytes of a record. A search reads a record up to the value, which is much slower than
 * copying the value. So each record is searched once, and the place is kept: 8 bytes per record.
 *
 * @param path as for `findValue`
 * @param write writes the value; without it, the bytes are copied
 */
export function createFinder(
  records: () => readonly Buffer[],
  path: readonly Buffer[],
  write: WriteSpan = (draft, row, from, to) => draft.write(records()[row] as Buffer, from, to),
): Field {
  // From and to, per row; 0 where no search was made, -1 where there is no value. No value begins at 0.
  let places: Int32Array | undefined;
  return (draft, row) => {
    places ??= new Int32Array(2 * records().length);
    const json = records()[row] as Buffer;
    if (places[2 * row] === 0) places.set(findValue(json, path) ?? [-1, -1], 2 * row);
    const from = places[2 * row] ?? 0;
    if (from === -1) return false;
    write(draft, row, from, places[2 * row + 1] ?? 0);
    return true;
  };
}

/** Returns the keys that lead to an attribute, as `findValue` expects them. */
export function pathOf(key: string): Buffer[] {
  return key.split('.').map((step) => Buffer.from(JSON.stringify(step)));
}

/** Chosen attributes as the object that they form: `stats.atk, name` is `{stats: {atk}, name}`. */
export type Projection = {
  name: string;
  /** `"name":` */
  opening: Buffer;
  value: Projection | Field;
}[];

/** Writes the projection of a row as JSON; writes nothing and returns false when the row has none of the attributes. */
export function writeProjection(draft: Draft, projection: Projection, row: number): boolean {
  const start = draft.length;
  for (const { opening, value } of projection) {
    const before = draft.length;
    draft.writeByte(before === start ? OPEN_OBJECT : COMMA);
    draft.write(opening);
    const isThere = typeof value === 'function' ? value(draft, row) : writeProjection(draft, value, row);
    if (!isThere) draft.truncate(before);
  }
  if (draft.length === start) return false;
  draft.writeByte(CLOSE_OBJECT);
  return true;
}

/** Returns where a text ends that begins at a position, after its closing quote. */
export function skipString(json: Buffer, start: number): number {
  let at = start + 1;
  while (json[at] !== QUOTE && at < json.length) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Returns where a value ends that begins at a position of a JSON without white space between tokens. */
export function skipValue(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return skipString(json, start);
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) {
    let at = start;
    while (json[at] !== COMMA && json[at] !== CLOSE_OBJECT && json[at] !== CLOSE_LIST && at < json.length)
      at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < json.length; ) {
    const unit = json[at];
    if (unit === QUOTE) {
      at = skipString(json, at);
      continue;
    }
    at++;
    if (unit === OPEN_OBJECT || unit === OPEN_LIST) depth++;
    else if ((unit === CLOSE_OBJECT || unit === CLOSE_LIST) && --depth === 0) return at;
  }
  return json.length;
}
