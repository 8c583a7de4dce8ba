/** Drafts of this size or more are rare, and get memory of their own. */
const SIZE = 64 * 1024;
/** Pieces up to this length are copied byte by byte: to have a block copied costs more. */
const SHORT = 32;

/** Memory that nobody reserved; a new draft is made in the last of it. */
const free: Buffer[] = [];

/**
 * An answer's bytes in the making, put together piece by piece. The next draft is made in the same memory: who needs the bytes for longer
 * reserves it, or detaches them.
 */
export class Draft {
  #memory: Buffer;
  #length = 0;

  constructor() {
    if (free.length === 0) free.push(Buffer.allocUnsafeSlow(SIZE));
    this.#memory = free[free.length - 1] as Buffer;
  }

  /** How many bytes it has. */
  get length(): number {
    return this.#length;
  }

  /** Adds bytes, `from` to `to` (exclusive). */
  write(bytes: Uint8Array, from = 0, to = bytes.length): void {
    const length = to - from;
    this.#makeRoom(length);
    const memory = this.#memory;
    const at = this.#length;
    if (length <= SHORT)
      for (let index = 0; index < length; index++) memory[at + index] = bytes[from + index] as number;
    else memory.set(length === bytes.length ? bytes : bytes.subarray(from, to), at);
    this.#length = at + length;
  }

  /** Adds a byte. */
  writeByte(byte: number): void {
    this.#makeRoom(1);
    this.#memory[this.#length++] = byte;
  }

  /** Adds a text in UTF-8. */
  writeText(text: string): void {
    // A UTF-16 code unit takes three bytes at most.
    this.#makeRoom(3 * text.length);
    this.#length += this.#memory.write(text, this.#length);
  }

  /** Takes back all from a length on. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Whether what stands from `start` on is what stands at `from` to `to` (exclusive). */
  repeats(from: number, to: number, start: number): boolean {
    const length = to - from;
    if (this.#length - start !== length) return false;
    const memory = this.#memory;
    for (let index = 0; index < length; index++) {
      if (memory[start + index] !== memory[from + index]) return false;
    }
    return true;
  }

  /** The bytes; the next draft may be written over them. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  #makeRoom(length: number): void {
    const needed = this.#length + length;
    // Never the whole of it, which `detach` would take for bytes that are nobody else's.
    if (needed < this.#memory.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    larger.set(this.bytes());
    this.#memory = larger;
  }
}

/**
 * Keeps drafts out of the memory that the last one was made in.
 *
 * @param bytes those of the last draft, or any others
 * @returns the memory, for `release`; undefined where the bytes are not in it, and nothing is reserved
 */
export function reserve(bytes: Buffer): Buffer | undefined {
  return bytes.buffer === free[free.length - 1]?.buffer ? free.pop() : undefined;
}

/** Gives memory that was reserved back to drafts. */
export function release(memory: Buffer): void {
  free.push(memory);
}

/** Bytes that nobody else writes over, and that keep no larger block of memory alive, as a slice of a file would. */
export function detach(bytes: Buffer): Buffer {
  return bytes.length === bytes.buffer.byteLength ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
}
