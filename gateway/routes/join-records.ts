import { lendMemory } from '../http/workbench.ts';

const COMMA = 0x2c;

/**
 * Puts records together, as they are and with commas between them.
 *
 * @param opening what stands before the first
 * @param rows which of the records, in order
 * @param ending what stands after the last
 * @returns lent memory: the next answer is put together in it
 */
export function joinRecords(
  opening: string,
  records: readonly Buffer[],
  rows: ArrayLike<number>,
  ending: string,
): Buffer {
  let length = Buffer.byteLength(opening) + Math.max(0, rows.length - 1) + Buffer.byteLength(ending);
  for (let index = 0; index < rows.length; index++)
    length += (records[rows[index] as number] as Buffer).length;
  const json = lendMemory(length);
  let at = json.write(opening);
  for (let index = 0; index < rows.length; index++) {
    if (index > 0) json[at++] = COMMA;
    const record = records[rows[index] as number] as Buffer;
    json.set(record, at);
    at += record.length;
  }
  json.write(ending, at);
  return json;
}
