import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { pointerTo } from '../../scripts/lib/json-pointer.ts';
import { type Cut, ROOM, shorten } from './shorten.ts';
import { parseResult } from './tool.ts';

/**
 * The bytes of UTF-8 as a text with a character for each byte (latin1). JSON escapes nothing above ASCII, so that such a text can be cut and
 * put into JSON without decoding and encoding it, which takes longer than anything else of a call.
 */
export type ByteText = string;

/** Returns a text as `ByteText`. */
export function toByteText(text: string): ByteText {
  return Buffer.from(text).toString('latin1');
}

/** A result that is small enough, as JSON. */
export interface ShortText {
  json: ByteText;
  cut: Cut[];
  /** Its members, of which the list may be missing. */
  around: JsonObject;
  /** Where the next page of the list begins, if it is known. */
  next?: number | undefined;
}

/** As `shorten` without steps to a list, of a result that is still JSON. If it is enough to end the list earlier, no element is parsed. */
export function shortenText(bytes: Buffer): ShortText | undefined {
  const list = findList(bytes);
  if (list) {
    const { name, start, ends } = list;
    const end = ends.at(-1) ?? start;
    const before = bytes.toString('utf8', 0, start);
    const after = bytes.toString('utf8', end);
    const shown = countShown(bytes, list, ROOM - before.length - after.length);
    const around = parseResult(before + after);
    const json = (from?: number, to?: number) => bytes.toString('latin1', from, to);
    if (shown === ends.length) return { json: json(), cut: [], around };
    const cut = [{ path: pointerTo('', name), total: ends.length, shown }];
    if (shown > 0) return { json: json(0, ends[shown - 1]) + json(end), cut, around };
  }
  const around = parseResult(bytes.toString());
  const short = shorten(around);
  return short && { json: toByteText(JSON.stringify(short.result)), cut: short.cut, around };
}

/** Returns how many elements of a list have room, in characters. */
function countShown(bytes: Buffer, { start, ends }: TextList, room: number): number {
  let characters = 0;
  let at = start;
  for (const [index, end] of ends.entries()) {
    for (; at < end; at++) characters += charactersOf(bytes[at] ?? 0);
    if (characters >= room) return index;
  }
  return ends.length;
}

/** Returns how many UTF-16 characters begin with a byte of UTF-8. */
function charactersOf(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xf0 ? 1 : 2;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** A list in JSON: where its first element begins, and where each ends. An empty one has an end too. */
interface TextList {
  name: string;
  start: number;
  ends: number[];
}

/** Finds the first member of an object that is a list; undefined without one. @param json without spaces between values */
function findList(json: Buffer): TextList | undefined {
  let depth = 0;
  let name = [0, 0];
  let list: TextList | undefined;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      const end = endOfText(json, at);
      if (depth === 1) name = [at, end + 1];
      at = end;
    } else if (byte === COMMA) {
      if (depth === 2) list?.ends.push(at);
    } else if (byte === LIST || byte === OBJECT) {
      depth++;
      if (byte === LIST && depth === 2 && !list)
        list = { name: JSON.parse(json.toString('utf8', ...name)), start: at + 1, ends: [] };
    } else if (byte === LIST_END || byte === OBJECT_END) {
      depth--;
      if (!list || depth > 1) continue;
      list.ends.push(at);
      return list;
    }
  }
  return undefined;
}

/** Returns the place of the quotation mark that ends a text. @param start that of the one before it */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
