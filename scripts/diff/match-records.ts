import type { RecordTexts } from '../format/build-content.ts';

/** Which records of two lists differ. Both lists are in the natural order of their ids. */
export interface RecordMatches {
  /** Positions in the list before, ascending. */
  removed: number[];
  /** Positions in the list after, ascending. */
  added: number[];
  /** Records that are in both lists with different texts: `[before, after]`, ascending. */
  changed: [number, number][];
}

/**
 * Matches the records of two lists by id. Records with equal texts are equal, and are not parsed.
 *
 * @param renamed the new ids of records of the list before, by their old ids
 * @returns undefined if a list has a record without an id, or two with the same id
 */
export function matchRecords(
  before: RecordTexts,
  after: RecordTexts,
  renamed: Readonly<Record<string, string>> = {},
): RecordMatches | undefined {
  const positionsBefore = positionsById(before);
  const idsAfter = positionsById(after);
  if (positionsBefore === undefined || idsAfter === undefined) return undefined;
  const positions = renumber(positionsBefore, renamed);
  const matches: RecordMatches = { removed: [], added: [], changed: [] };
  const positionsKept = new Set([...positions].flatMap(([id, index]) => (idsAfter.has(id) ? [index] : [])));
  for (const index of positionsBefore.values()) if (!positionsKept.has(index)) matches.removed.push(index);
  for (const [id, index] of idsAfter) {
    const position = positions.get(id);
    if (position === undefined) matches.added.push(index);
    else if (before[position] !== after[index]) matches.changed.push([position, index]);
  }
  return matches;
}

/** Positions by the new ids. If a renamed record has the id of another one, that id means the renamed one. */
function renumber(
  positions: ReadonlyMap<string, number>,
  renamed: Readonly<Record<string, string>>,
): ReadonlyMap<string, number> {
  const pairs = Object.entries(renamed);
  if (pairs.length === 0) return positions;
  const result = new Map(positions);
  for (const [from] of pairs) result.delete(from);
  for (const [from, to] of pairs) {
    const position = positions.get(from);
    if (position !== undefined) result.set(to, position);
  }
  return result;
}

function positionsById(records: RecordTexts): Map<string, number> | undefined {
  const positions = new Map<string, number>();
  for (const [index, record] of records.entries()) {
    const id = idOf(record);
    if (id === undefined) return undefined;
    positions.set(id, index);
  }
  return positions.size === records.length ? positions : undefined;
}

const LEADING_ID = /^\{"id":"([^"\\]*)"/;

/** The id of a record. It comes first, except after keys that look like an array index. */
function idOf(record: string): string | undefined {
  const leading = LEADING_ID.exec(record)?.[1];
  if (leading !== undefined) return leading;
  const { id }: { id?: unknown } = JSON.parse(record);
  return typeof id === 'string' ? id : undefined;
}
