import type { JsonObject } from '../../../scripts/core/format/dist-format.ts';
import { pointerTo } from '../../../scripts/core/lib/json-pointer.ts';
import { type Cut, ROOM, shorten } from './shorten.ts';
import { parseResult } from './tool.ts';

/** A result that is small enough, as JSON. */
export interface ShortText {
  json: string;
  cut: Cut[];
  /** Its members, of which the list may be missing. */
  around: JsonObject;
  /** Where the next page of the list begins, if it is known. */
  next?: number | undefined;
}

/** As `shorten` without steps to a list, of a result that is still JSON. If it is enough to end the list earlier, no element is parsed. */
export function shortenText(json: string): ShortText | undefined {
  const list = findList(json);
  if (list) {
    const { name, start, ends } = list;
    const end = ends.at(-1);
    const before = json.slice(0, start);
    const after = json.slice(end);
    const room = ROOM - before.length - after.length;
    const shown = ends.findLastIndex((each) => each - start < room) + 1;
    const around = parseResult(before + after);
    if (shown === ends.length && room > 0) return { json, cut: [], around };
    const cut = [{ path: pointerTo('', name), total: ends.length, shown }];
    if (shown > 0) return { json: before + json.slice(start, ends[shown - 1]) + after, cut, around };
  }
  const around = parseResult(json);
  const short = shorten(around);
  return short && { json: JSON.stringify(short.result), cut: short.cut, around };
}

const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map((character) => character.charCodeAt(0));
const [LIST, LIST_END, OBJECT, OBJECT_END] = ['[', ']', '{', '}'].map((character) => character.charCodeAt(0));

/** A list in a text: where its first element begins, and where each ends. An empty one has an end too. */
interface TextList {
  name: string;
  start: number;
  ends: number[];
}

/** Finds the first member of an object that is a list; undefined without one. @param json without spaces between values */
function findList(json: string): TextList | undefined {
  let depth = 0;
  let list: TextList | undefined;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfText(json, at);
    else if (code === LIST || code === OBJECT) {
      depth++;
      if (code === LIST && depth === 2 && !list)
        list = { name: nameBefore(json, at), start: at + 1, ends: [] };
    } else if (code === LIST_END || code === OBJECT_END) {
      depth--;
      if (!list || depth > 1) continue;
      list.ends.push(at);
      return list;
    } else if (code === COMMA && depth === 2 && list) list.ends.push(at);
  }
  return undefined;
}

/** Returns the name of the member whose value begins at a place. */
function nameBefore(json: string, value: number): string {
  const end = value - 2;
  let start = json.lastIndexOf('"', end - 1);
  while (isEscaped(json, start)) start = json.lastIndexOf('"', start - 1);
  return String(JSON.parse(json.slice(start, end + 1)));
}

/** Returns the place of the quotation mark that ends a text. @param start that of the one before it */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}
