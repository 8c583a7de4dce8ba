import { readSync, writeSync } from 'node:fs';

const LINE_END = 0x0a;

/** What is read at once; shared, because each line is used before another is read. */
const BUFFER = Buffer.allocUnsafe(65_536);

/**
 * Reads the whole lines of a file, without their ends. Each is good until the next is asked for.
 *
 * @param position where the first begins
 * @throws the system's error
 */
export function* readLines(descriptor: number, position: number): Generator<Buffer> {
  for (let buffer = BUFFER, from = position; ; ) {
    const length = readSync(descriptor, buffer, 0, buffer.length, from);
    const bytes = buffer.subarray(0, length);
    let begin = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, begin)) {
      yield bytes.subarray(begin, end);
      begin = end + 1;
    }
    if (length < buffer.length) return;
    if (begin === 0) buffer = Buffer.allocUnsafe(2 * buffer.length);
    from += begin;
  }
}

/**
 * Writes a line. Where that fails a part of it may remain.
 *
 * @returns its bytes, without its end
 * @throws the system's error
 */
export function writeLine(descriptor: number, line: string): Buffer {
  const bytes = Buffer.from(`${line}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
  return bytes.subarray(0, -1);
}
