import { Draft, readNow } from '../../bytes/draft.ts';
import { inSteps, MAX_ROWS_AT_ONCE, runInSlices, type Steps } from '../../lib/part.ts';

const COMMA = 0x2c;
/** How many rows of a long response are written in one step. */
const ROWS_A_STEP = 500;

/** Returns whether a response has so many rows that other requests are handled while it is put together (`writeInSlices`). */
export function isLong(rowCount: number): boolean {
  return rowCount > MAX_ROWS_AT_ONCE;
}

/**
 * Writes items with commas between them.
 *
 * @param write adds an item to the draft
 */
export function writeJoined<T>(draft: Draft, items: readonly T[], write: (item: T) => void): void {
  for (let index = 0; index < items.length; index++) {
    if (index > 0) draft.writeByte(COMMA);
    write(items[index] as T);
  }
}

/** Writes the whole records of rows, with commas between them. */
export function writeRecords(draft: Draft, records: readonly Buffer[], rows: readonly number[]): void {
  writeJoined(draft, rows, (row) => draft.write(records[row] as Buffer));
}

/**
 * Puts a long response together: an opening, rows with commas between them, and an end.
 *
 * @param write adds a row to the draft
 */
export async function writeInSlices(
  { opening, rows, end }: { opening: string; rows: readonly number[]; end: Uint8Array },
  write: (draft: Draft, row: number) => void,
): Promise<Buffer> {
  const parts: Uint8Array[] = [Buffer.from(opening)];
  await runInSlices(writeParts(parts, rows, write));
  return Buffer.concat([...parts, end]);
}

function* writeParts(
  parts: Uint8Array[],
  rows: readonly number[],
  write: (draft: Draft, row: number) => void,
): Steps<undefined> {
  yield* inSteps(rows.length, ROWS_A_STEP, (from, to) => {
    const draft = new Draft();
    if (from > 0) draft.writeByte(COMMA);
    writeJoined(draft, rows.slice(from, to), (row) => write(draft, row));
    // The next draft is made in the same memory.
    parts.push(new Uint8Array(readNow(draft.bytes())));
  });
}
