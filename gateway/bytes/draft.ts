import { type Pieces, SPILL } from './pieces.ts';

/** How much memory drafts share: as much as the answers of a turn take, all but few. */
const SHARED = 1024 * 1024;
/** Drafts of this size or more are rare, and get memory of their own. */
const SIZE = 64 * 1024;
/** Bytes up to this length are copied one by one: to have a block copied costs more. */
const SHORT = 32;
const COMMA = 0x2c;

/** The same memory, to be written in bytes and in words. */
interface Memory {
  bytes: Buffer;
  words: DataView;
}

/** Where drafts are made, one behind the other: in memories of their own they would push each other out of the processor's caches. */
const shared = createMemory(SHARED);
/** Up to where it is reserved; the next draft begins there. */
let reserved = 0;

/**
 * An answer's bytes in the making, put together piece by piece. The next draft is made in the same memory: who needs the bytes for longer
 * reserves or detaches them.
 */
export class Draft {
  #memory = shared;
  #start = reserved;
  #end = reserved;
  #limit = Math.min(reserved + SIZE, SHARED);

  /** How many bytes it has. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Adds bytes, `from` to `to` (exclusive). */
  write(bytes: Uint8Array, from = 0, to = bytes.length): void {
    const length = to - from;
    this.#makeRoom(length);
    const memory = this.#memory.bytes;
    const at = this.#end;
    if (length <= SHORT)
      for (let index = 0; index < length; index++) memory[at + index] = bytes[from + index] as number;
    else memory.set(length === bytes.length ? bytes : bytes.subarray(from, to), at);
    this.#end = at + length;
  }

  /** Adds a piece. */
  writePiece(pieces: Pieces, number: number): void {
    this.#makeRoom(pieces.lengthOf(number) + SPILL);
    this.#end = pieces.copy(number, this.#memory.words, this.#end);
  }

  /** Adds several pieces, with commas between them. */
  writePieces(pieces: Pieces, numbers: readonly number[]): void {
    let length = numbers.length + SPILL;
    for (const number of numbers) length += pieces.lengthOf(number);
    this.#makeRoom(length);
    const { words } = this.#memory;
    let end = this.#end;
    for (let index = 0; index < numbers.length; index++) {
      if (index > 0) words.setUint8(end++, COMMA);
      end = pieces.copy(numbers[index] as number, words, end);
    }
    this.#end = end;
  }

  /** Adds a byte. */
  writeByte(byte: number): void {
    this.#makeRoom(1);
    this.#memory.bytes[this.#end++] = byte;
  }

  /** Adds a text in UTF-8. */
  writeText(text: string): void {
    // A UTF-16 code unit takes three bytes at most.
    this.#makeRoom(3 * text.length);
    this.#end += this.#memory.bytes.write(text, this.#end);
  }

  /** Takes back all from a length on. */
  truncate(length: number): void {
    this.#end = this.#start + length;
  }

  /** Whether what stands from `start` on is what stands at `from` to `to` (exclusive). */
  repeats(from: number, to: number, start: number): boolean {
    const length = to - from;
    if (this.length - start !== length) return false;
    const { bytes } = this.#memory;
    const one = this.#start + from;
    const other = this.#start + start;
    for (let index = 0; index < length; index++)
      if (bytes[one + index] !== bytes[other + index]) return false;
    return true;
  }

  /** The bytes; the next draft may be written over them. */
  bytes(): Buffer {
    return this.#memory.bytes.subarray(this.#start, this.#end);
  }

  #makeRoom(length: number): void {
    // Never the whole of it, which `detach` would take for bytes that are nobody else's.
    if (this.#end + length < this.#limit) return;
    const larger = createMemory(Math.max(SIZE, 2 * (this.length + length)));
    larger.bytes.set(this.bytes());
    this.#memory = larger;
    this.#limit = larger.bytes.length;
    this.#end = this.length;
    this.#start = 0;
  }
}

/** @param size in bytes */
function createMemory(size: number): Memory {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, words: new DataView(bytes.buffer) };
}

/** Keeps drafts off the bytes of the last one, until all is released; any other bytes are nobody's to write over. */
export function reserve(bytes: Buffer): void {
  if (bytes.buffer === shared.bytes.buffer) reserved = bytes.byteOffset + bytes.length;
}

/** Nobody needs any more what was reserved. */
export function releaseAll(): void {
  reserved = 0;
}

/** Bytes that nobody else writes over, and that keep no larger block of memory alive, as a slice of a file would. */
export function detach(bytes: Buffer): Buffer {
  return bytes.length === bytes.buffer.byteLength ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
}
