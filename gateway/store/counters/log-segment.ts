import { closeSync, constants, fdatasyncSync, openSync } from 'node:fs';
import { readLines, writeLine } from './line-file.ts';
import { type LogFolder, newestSnapshot, numberedFile } from './log-folder.ts';

/** The line that ends a segment: whatever follows it is void. */
const SEAL = '"end"';
const SEAL_BYTES = Buffer.from(SEAL);

/** An open file of a log, to which any number of processes append lines. All of them read the same lines in the same order. */
export class LogSegment {
  readonly number: number;
  readonly #descriptor: number;
  readonly #isForced: boolean;
  #length = 0;
  #isSealed = false;

  /**
   * Opens a segment, or makes it.
   *
   * @throws the system's error
   */
  constructor(folder: LogFolder, number: number) {
    this.number = number;
    this.#isForced = folder.isForced;
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    this.#descriptor = openSync(numberedFile(folder, number, 'log'), flags, 0o600);
  }

  /** How many bytes of it were read. */
  get length(): number {
    return this.#length;
  }

  /** Whether `lines` came to the line that ends it. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /**
   * Appends a line. Where that fails a part of it may remain, which the next line is glued to.
   *
   * @returns its bytes, as `lines` tells them
   * @throws the system's error
   */
  append(line: string): Buffer {
    const bytes = writeLine(this.#descriptor, line);
    if (this.#isForced) fdatasyncSync(this.#descriptor);
    return bytes;
  }

  /** As `append`, of the line that ends it. */
  seal(): void {
    this.append(SEAL);
  }

  /**
   * Reads the lines that were appended since the last time, up to the one that ends the segment. A line has been read when the next is
   * asked for; until then its bytes are good.
   *
   * @throws the system's error
   */
  *lines(): Generator<Buffer> {
    for (const line of readLines(this.#descriptor, this.#length)) {
      this.#isSealed = line.equals(SEAL_BYTES);
      if (this.#isSealed) return;
      yield line;
      this.#length += line.length + 1;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/**
 * Opens a segment, or makes it where it is the next.
 *
 * @returns undefined where there is a newer snapshot: the segment is gone then, or will be soon
 * @throws the system's error
 */
export function openSegment(folder: LogFolder, number: number): LogSegment | undefined {
  const segment = new LogSegment(folder, number);
  let isNeeded = false;
  try {
    // Asked afterwards: who slept for long may have made one anew.
    isNeeded = newestSnapshot(folder) <= number;
  } finally {
    if (!isNeeded) segment.close();
  }
  return isNeeded ? segment : undefined;
}
