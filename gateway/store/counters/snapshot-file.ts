import { closeSync, fdatasyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { readLines, writeLine } from './line-file.ts';
import { type LogFolder, numberedFile, removeOlder } from './log-folder.ts';

/**
 * Reads the lines of a snapshot; none where it has no file.
 *
 * @throws the system's error
 */
export function* readSnapshot(folder: LogFolder, number: number): Generator<Buffer> {
  const descriptor = openIfThere(numberedFile(folder, number, 'snapshot'));
  if (descriptor === undefined) return;
  try {
    yield* readLines(descriptor, 0);
  } finally {
    closeSync(descriptor);
  }
}

/** A snapshot that is being made, line by line. Several processes may make the same. */
export class SnapshotWriter {
  readonly #folder: LogFolder;
  readonly #number: number;
  readonly #lines: Iterator<string>;
  readonly #temporary: string;
  readonly #descriptor: number;

  /**
   * @param lines all that was before the segment of this number
   * @param maker a word that is this process's own
   * @throws the system's error
   */
  constructor(folder: LogFolder, number: number, lines: Iterator<string>, maker: string) {
    this.#folder = folder;
    this.#number = number;
    this.#lines = lines;
    this.#temporary = numberedFile(folder, number, `${maker}.tmp`);
    this.#descriptor = openSync(this.#temporary, 'w', 0o600);
  }

  /**
   * Writes the next line. After the last one the snapshot is there, and all that is older is gone. Where that fails, it is closed.
   *
   * @returns whether there is more to do
   * @throws the system's error
   */
  step(): boolean {
    let isMore = false;
    try {
      const { value, done } = this.#lines.next();
      if (done) this.#place();
      else writeLine(this.#descriptor, value);
      isMore = !done;
    } finally {
      if (!isMore) this.close();
    }
    return isMore;
  }

  /** Closes it; what is not complete is removed. */
  close(): void {
    closeSync(this.#descriptor);
    rmSync(this.#temporary, { force: true });
  }

  #place(): void {
    if (this.#folder.isForced) fdatasyncSync(this.#descriptor);
    try {
      renameSync(this.#temporary, numberedFile(this.#folder, this.#number, 'snapshot'));
    } catch (error) {
      // Another process has removed it, because it has made the same, or a newer one.
      if (!isMissing(error)) throw error;
    }
    removeOlder(this.#folder, this.#number);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (!isMissing(error)) throw error;
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
