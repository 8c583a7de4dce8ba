import { CommandError } from '../../core/lib/command-error.ts';

/** Receives the content of a file by its hash. */
export type TakeBlob = (blob: string, content: Buffer) => void;

/** No file of a dump is larger: it could not be read as a table. */
const MAX_BYTES = 512 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Parses what `git cat-file --batch` prints: of each file a line with its hash and size, its content, and an end of line. */
export class BlobStream {
  readonly #take: TakeBlob;
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** How many bytes the next step needs; 0 for a whole line. */
  #needed = 0;
  #blob = '';

  constructor(take: TakeBlob, maxBytes = MAX_BYTES) {
    this.#take = take;
    this.#maxBytes = maxBytes;
  }

  /** @throws CommandError when a file is missing or too large */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#needed) return;
    let rest = Buffer.concat(this.#chunks);
    for (let end = this.#step(rest); end > 0; end = this.#step(rest)) rest = rest.subarray(end);
    this.#chunks = [rest];
    this.#bytes = rest.length;
  }

  /** @returns how many bytes were used; 0 if more are needed */
  #step(bytes: Buffer): number {
    if (this.#needed > 0) return this.#takeContent(bytes);
    const end = bytes.indexOf(NEWLINE);
    if (end === -1) return 0;
    const line = bytes.toString('latin1', 0, end);
    const [, blob, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    if (blob === undefined) throw new CommandError(`git printed "${line}" instead of a file`);
    if (Number(size) > this.#maxBytes) {
      throw new CommandError(
        `file ${blob} has ${size} bytes, and at most ${this.#maxBytes} are read: leave it out of the tables, or allow more ("read_mb" in "limits" of "source")`,
      );
    }
    this.#blob = blob;
    this.#needed = Number(size) + 1;
    return end + 1;
  }

  #takeContent(bytes: Buffer): number {
    const used = this.#needed;
    if (bytes.length < used) return 0;
    this.#needed = 0;
    this.#take(this.#blob, bytes.subarray(0, used - 1));
    return used;
  }
}
