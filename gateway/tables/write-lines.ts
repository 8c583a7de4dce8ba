import { isLong } from '../api/list-body.ts';
import { type Bytes, Draft, readNow } from '../http/draft.ts';
import { inSteps, runInSlices } from '../http/work.ts';

/** How many lines of a long response are written in one step. */
const ROWS_A_STEP = 500;

/**
 * Writes a head and the lines of rows, in steps if there are many.
 *
 * @param write adds the line of a row to the draft
 */
export function writeLines(
  head: string,
  rows: readonly number[],
  write: (draft: Draft, row: number) => void,
): Bytes | Promise<Buffer> {
  if (isLong(rows.length)) return writeLinesInSlices(head, rows, write);
  const draft = new Draft();
  draft.writeText(head);
  for (const row of rows) write(draft, row);
  return draft.bytes();
}

async function writeLinesInSlices(
  head: string,
  rows: readonly number[],
  write: (draft: Draft, row: number) => void,
): Promise<Buffer> {
  const parts: Uint8Array[] = [Buffer.from(head)];
  const steps = inSteps(rows.length, ROWS_A_STEP, (from, to) => {
    const draft = new Draft();
    for (const row of rows.slice(from, to)) write(draft, row);
    parts.push(new Uint8Array(readNow(draft.bytes())));
  });
  await runInSlices(steps);
  return Buffer.concat(parts);
}
