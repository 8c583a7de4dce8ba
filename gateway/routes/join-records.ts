import type { Bytes } from '../http/bytes.ts';

const COMMA = 0x2c;
/** Where answers are put together: one at a time, and with no memory of their own until they are whole. Larger ones are rare. */
const BENCH = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Puts records together, as they are and with commas between them.
 *
 * @param opening what stands before the first, in characters
 * @param rows which of the records, in order
 * @param ending what stands after the last
 */
export function joinRecords(
  opening: string,
  records: readonly Buffer[],
  rows: ArrayLike<number>,
  ending: string,
): Bytes {
  let length = Buffer.byteLength(opening) + Math.max(0, rows.length - 1) + Buffer.byteLength(ending);
  for (let index = 0; index < rows.length; index++)
    length += (records[rows[index] as number] as Buffer).length;
  const json = length <= BENCH.length ? BENCH : Buffer.allocUnsafeSlow(length);
  let at = json.write(opening);
  for (let index = 0; index < rows.length; index++) {
    if (index > 0) json[at++] = COMMA;
    const record = records[rows[index] as number] as Buffer;
    json.set(record, at);
    at += record.length;
  }
  json.write(ending, at);
  return json === BENCH ? json.toString('latin1', 0, length) : json;
}
