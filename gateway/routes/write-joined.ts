import type { Draft } from '../http/draft.ts';

const COMMA = 0x2c;

/** Writes one thing after the other, with commas between them. */
export function writeJoined<T>(draft: Draft, things: readonly T[], write: (thing: T) => void): void {
  for (let index = 0; index < things.length; index++) {
    if (index > 0) draft.writeByte(COMMA);
    write(things[index] as T);
  }
}

/** Writes records as they are. */
export function writeRecords(draft: Draft, records: readonly Buffer[], rows: readonly number[]): void {
  writeJoined(draft, rows, (row) => draft.write(records[row] as Buffer));
}
