import type { Draft } from '../../bytes/draft.ts';

const COMMA = 0x2c;

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
