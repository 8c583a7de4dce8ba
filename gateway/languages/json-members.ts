import { OPEN_LIST, skipString, skipValue } from '../query/fields.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSE_LIST = 0x5d;

/** A member of an object: its key, and where its value is. */
export interface Member {
  key: string;
  from: number;
  /** Exclusive. */
  to: number;
}

/** Lists the members of the object at a position. */
export function membersOf(json: Buffer, start: number): Member[] {
  const members: Member[] = [];
  for (let at = start + 1; json[at] === QUOTE; at++) {
    const end = skipString(json, at);
    const from = end + 1;
    const to = skipValue(json, from);
    members.push({ key: JSON.parse(json.toString('utf8', at, end)) as string, from, to });
    at = to;
    if (json[at] !== COMMA) break;
  }
  return members;
}

/** Lists where the elements of the list at a position begin. */
export function elementsOf(json: Buffer, start: number): number[] {
  const starts: number[] = [];
  for (let at = start + 1; json[at] !== CLOSE_LIST && at < json.length; at++) {
    starts.push(at);
    at = skipValue(json, at);
    if (json[at] !== COMMA) break;
  }
  return starts;
}

/** Returns whether a text begins at a position, or a list of texts. */
export function isText(json: Buffer, at: number): boolean {
  return json[json[at] === OPEN_LIST ? at + 1 : at] === QUOTE;
}
