/** The memory that drafts share: enough for nearly all responses of one tick. */
const SHARED = 1024 * 1024;
/** Drafts of this size or more are rare and get their own memory. */
const SIZE = 64 * 1024;
/** Up to this length, copying byte by byte is faster than `set`. */
const SHORT = 32;
const COMMA = 0x2c;

/** The same memory as bytes and as words. */
interface Memory {
  bytes: Buffer;
  words: DataView;
}

/** Drafts are made here one after another: in separate memory they would push each other out of the processor's caches. */
const shared = createMemory(SHARED);
/** The end of the reserved part; the next draft begins there. */
let reserved = 0;

declare const lent: unique symbol;

/** Bytes of a draft. The next draft overwrites them, so they are no Buffer: `readNow` reads them at once, and `detach` keeps them. */
export interface LentBytes {
  readonly [lent]: true;
  readonly length: number;
}

/** Bytes that may be lent. */
export type Bytes = Buffer | LentBytes;

/** Returns bytes to read before any other draft begins, or while they are reserved. */
export function readNow(bytes: Bytes): Buffer {
  return bytes as Buffer;
}

/**
 * The bytes of a response while they are put together, piece by piece. The next draft is made in the same memory: to keep the bytes for
 * longer, reserve or detach them.
 */
export class Draft {
  #memory = shared;
  #start = reserved;
  #end = reserved;
  #limit = Math.min(reserved + SIZE, SHARED);

  /** Its length in bytes. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Adds bytes, `from` to `to` (exclusive). */
  write(bytes: Uint8Array, from = 0, to = bytes.length): void {
    const length = to - from;
    this.makeRoom(length);
    const memory = this.#memory.bytes;
    const at = this.#end;
    if (length <= SHORT)
      for (let index = 0; index < length; index++) memory[at + index] = bytes[from + index] ?? 0;
    else memory.set(length === bytes.length ? bytes : bytes.subarray(from, to), at);
    this.#end = at + length;
  }

  /** Adds a piece. */
  writePiece(pieces: Pieces, number: number): void {
    this.makeRoom(pieces.lengthOf(number) + SPILL);
    this.#end = pieces.copy(number, this.#memory.words, this.#end);
  }

  /** Adds several pieces, with commas between them. */
  writePieces(pieces: Pieces, numbers: readonly number[]): void {
    let length = numbers.length + SPILL;
    for (const number of numbers) length += pieces.lengthOf(number);
    this.makeRoom(length);
    const { words } = this.#memory;
    let end = this.#end;
    for (let index = 0; index < numbers.length; index++) {
      if (index > 0) words.setUint8(end++, COMMA);
      end = pieces.copy(numbers[index] ?? 0, words, end);
    }
    this.#end = end;
  }

  /** Adds a byte. */
  writeByte(byte: number): void {
    this.makeRoom(1);
    this.#memory.bytes[this.#end++] = byte;
  }

  /** Adds a text in UTF-8. */
  writeText(text: string): void {
    // A UTF-16 code unit takes three bytes at most.
    this.makeRoom(3 * text.length);
    this.#end += this.#memory.bytes.write(text, this.#end);
  }

  /** Removes everything after a length. */
  truncate(length: number): void {
    this.#end = this.#start + length;
  }

  /** Returns whether the bytes from `start` to the end equal those from `from` to `to` (exclusive). */
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

  /** Returns the bytes until the next draft. */
  bytes(): LentBytes {
    return this.#read() as Bytes as LentBytes;
  }

  #read(): Buffer {
    return this.#memory.bytes.subarray(this.#start, this.#end);
  }

  /** Makes room for further bytes. @param size of new memory: with the length of the whole draft, it is copied no more */
  makeRoom(length: number, size = Math.max(SIZE, 2 * (this.length + length))): void {
    // Never fill the shared memory completely: `detach` would take the bytes for detached ones.
    if (this.#end + length < this.#limit) return;
    const larger = createMemory(size);
    larger.bytes.set(this.#read());
    this.#memory = larger;
    this.#limit = larger.bytes.length + 1;
    this.#end = this.length;
    this.#start = 0;
  }
}

/** @param size in bytes */
function createMemory(size: number): Memory {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, words: new DataView(bytes.buffer) };
}

/** Protects the bytes of the last draft from the next ones, until `releaseAll`. Other bytes need no protection. */
export function reserve(lentBytes: Bytes): void {
  const bytes = readNow(lentBytes);
  if (bytes.buffer === shared.bytes.buffer) reserved = bytes.byteOffset + bytes.length;
}

/** Releases everything that was reserved. */
export function releaseAll(): void {
  reserved = 0;
}

/** Returns bytes that no draft overwrites and that keep no larger block of memory alive. */
export function detach(lentBytes: Bytes): Buffer {
  const bytes = readNow(lentBytes);
  return bytes.length === bytes.buffer.byteLength ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
}

/**
 * Pieces are copied eight bytes at a time, as floating-point numbers, which is faster than single bytes (docs/speed.md). A NaN might not
 * keep its bits, but no UTF-8 text reads as one: its last byte would be FF, which UTF-8 does not use, or 7F after a byte from F0 to FF,
 * which is not valid UTF-8.
 */
const WORD = 8;

/** How many bytes after a copied piece may be overwritten. */
export const SPILL = WORD - 1;

/** Short UTF-8 texts, one after another, that drafts are made from. */
export class Pieces {
  /** Piece `n` is the bytes from `offsets[n]` to `offsets[n + 1]` (exclusive). */
  readonly #offsets: Int32Array;
  /** All pieces, and enough bytes after the last one to read it as words. */
  readonly #words: DataView;

  /** Makes pieces of texts. For very many, use `PiecesBuilder`. */
  static of(texts: readonly string[]): Pieces {
    const builder = new PiecesBuilder();
    builder.add(texts);
    return builder.build();
  }

  /**
   * @param lengths of the pieces, in bytes
   * @param bytes all pieces, and `SPILL` bytes more; no pooled memory
   */
  constructor(lengths: readonly number[], bytes: Uint8Array) {
    this.#offsets = new Int32Array(lengths.length + 1);
    for (let number = 0; number < lengths.length; number++)
      this.#offsets[number + 1] = (this.#offsets[number] ?? 0) + (lengths[number] ?? 0);
    this.#words = new DataView(bytes.buffer);
  }

  /** Returns the length of a piece in bytes. */
  lengthOf(number: number): number {
    return (this.#offsets[number + 1] ?? 0) - (this.#offsets[number] ?? 0);
  }

  /**
   * Copies a piece to a position.
   *
   * @returns the position after it
   */
  copy(number: number, to: DataView, at: number): number {
    const words = this.#words;
    const start = this.#offsets[number] ?? 0;
    const length = (this.#offsets[number + 1] ?? 0) - start;
    for (let index = 0; index < length; index += WORD)
      to.setFloat64(at + index, words.getFloat64(start + index, true), true);
    return at + length;
  }
}

/** Collects texts for pieces, some at a time. */
export class PiecesBuilder {
  readonly #lengths: number[] = [];
  readonly #parts: Buffer[] = [];

  add(texts: readonly string[]): void {
    for (const text of texts) this.#lengths.push(Buffer.byteLength(text));
    this.#parts.push(Buffer.from(texts.join('')));
  }

  build(): Pieces {
    const spill = Buffer.alloc(SPILL, ' ');
    return new Pieces(this.#lengths, new Uint8Array(Buffer.concat([...this.#parts, spill])));
  }
}
