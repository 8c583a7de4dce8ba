import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { findNewestSnapshot, nameFile } from './log-folder.ts';

/** The line that ends a segment: all lines after it are void. */
const SEAL = '"end"';
const SEAL_BYTES = Buffer.from(SEAL);
const LINE_END = 0x0a;
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

/** All segments share it, because each line is used before the next is read. */
const BUFFER = Buffer.allocUnsafe(65_536);

/** An open file of a log. Any number of processes append lines to it, and all of them read the same lines in the same order. */
export class LogSegment {
  readonly number: number;
  readonly #descriptor: number;
  #length = 0;
  #isSealed = false;

  /**
   * Opens a segment, or creates it.
   *
   * @throws the system's error
   */
  constructor(folder: string, number: number) {
    this.number = number;
    this.#descriptor = openSync(nameFile(folder, number, 'log'), FLAGS, 0o600);
  }

  /** How many bytes were read. */
  get length(): number {
    return this.#length;
  }

  /** Whether `read` has reached the line that ends the segment. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /**
   * Appends a line. If that fails, a part of it may remain, and the next line directly follows it.
   *
   * @returns the bytes of the line, as `read` passes them to its visitor
   * @throws the system's error
   */
  append(line: string): Buffer {
    const bytes = Buffer.from(`${line}\n`);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
    return bytes.subarray(0, -1);
  }

  /** Ends the segment. */
  seal(): void {
    this.append(SEAL);
  }

  /**
   * Reads the lines that were appended since the last call, up to the one that ends the segment.
   *
   * @param visit gets the bytes of each line; they are valid until it returns
   * @throws the system's error
   */
  read(visit: (line: Buffer) => void): void {
    for (let buffer = BUFFER; !this.#isSealed; ) {
      const length = readSync(this.#descriptor, buffer, 0, buffer.length, this.#length);
      const isRead = this.#visitLines(buffer.subarray(0, length), visit);
      if (length < buffer.length) return;
      if (!isRead) buffer = Buffer.allocUnsafe(2 * buffer.length);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** @returns whether there was at least one whole line */
  #visitLines(bytes: Buffer, visit: (line: Buffer) => void): boolean {
    let begin = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, begin)) {
      const line = bytes.subarray(begin, end);
      this.#isSealed = line.equals(SEAL_BYTES);
      if (this.#isSealed) return true;
      begin = end + 1;
      this.#length += line.length + 1;
      visit(line);
    }
    return begin > 0;
  }
}

/**
 * Opens a segment, or creates it if it is the next one.
 *
 * @returns undefined if there is a newer snapshot, because the segment is then removed, or soon will be
 * @throws the system's error
 */
export function openSegment(folder: string, number: number): LogSegment | undefined {
  const segment = new LogSegment(folder, number);
  let isNeeded = false;
  try {
    // Checked after opening: a process that slept may have created a segment again that others had removed.
    isNeeded = findNewestSnapshot(folder) <= number;
  } finally {
    if (!isNeeded) segment.close();
  }
  return isNeeded ? segment : undefined;
}
