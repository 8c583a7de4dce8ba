import { CommandError } from '../lib/command-error.ts';

/** Receives the content of a file by its hash. */
export type TakeBlob = (blob: string, content: Buffer) => void;

/** Begins a file. Returns what takes its content piece by piece; undefined ends it. */
export type OpenBlob = (blob: string) => (piece: Buffer | undefined) => void;

/** No file of a dump is larger: it could not be read as a table. */
const MAX_BYTES = 512 * 1024 * 1024;
/** A line about a file is shorter. */
const MAX_LINE_BYTES = 1000;
const NEWLINE = 0x0a;

/** Makes the error about a file that is larger than what is read. @param what names it */
export function tooLarge(what: string, bytes: number, maxBytes: number): CommandError {
  return new CommandError(
    `${what} has ${bytes} bytes, and at most ${maxBytes} are read: leave it out of the tables, or allow more ("read_mb" in "limits" of "source")`,
  );
}

/** Takes each file as a whole, for files that fit in memory. */
export function whole(take: TakeBlob): OpenBlob {
  return (blob) => {
    const pieces: Buffer[] = [];
    return (piece) => {
      if (piece === undefined) take(blob, Buffer.concat(pieces));
      else pieces.push(piece);
    };
  };
}

/** Parses what `git cat-file --batch` prints: of each file a line with its hash and size, its content, and an end of line. */
export class BlobStream {
  readonly #open: OpenBlob;
  readonly #maxBytes: number;
  #line = Buffer.alloc(0);
  /** What takes the content of the file that is being read; undefined before a line. */
  #take: ((piece: Buffer | undefined) => void) | undefined;
  /** How many bytes of that content are missing. */
  #left = 0;

  constructor(open: OpenBlob, maxBytes = MAX_BYTES) {
    this.#open = open;
    this.#maxBytes = maxBytes;
  }

  /** @throws CommandError when a file is missing or too large */
  add(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#take ? this.#takeContent(this.#take, rest) : this.#takeLine(rest);
  }

  /** @returns what comes after the line, or after its part in these bytes */
  #takeLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(NEWLINE);
    this.#line = Buffer.concat([this.#line, end === -1 ? bytes : bytes.subarray(0, end)]);
    const line = this.#line.toString('latin1', 0, MAX_LINE_BYTES);
    if (end === -1 && this.#line.length <= MAX_LINE_BYTES) return Buffer.alloc(0);
    const [, blob, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    if (blob === undefined) throw new CommandError(`git printed "${line}" instead of a file`);
    if (Number(size) > this.#maxBytes) {
      throw tooLarge(`file ${blob}`, Number(size), this.#maxBytes);
    }
    this.#line = Buffer.alloc(0);
    this.#take = this.#open(blob);
    this.#left = Number(size);
    return bytes.subarray(end + 1);
  }

  #takeContent(take: (piece: Buffer | undefined) => void, bytes: Buffer): Buffer {
    if (this.#left > 0) {
      const piece = bytes.subarray(0, this.#left);
      this.#left -= piece.length;
      take(piece);
      return bytes.subarray(piece.length);
    }
    // The end of line after the content.
    this.#take = undefined;
    take(undefined);
    return bytes.subarray(1);
  }
}
