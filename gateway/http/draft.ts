import type { ServerResponse } from 'node:http';

/** Answers of this size or more are rare, and have memory of their own. */
const SIZE = 64 * 1024;
/** Pieces up to this length are copied byte by byte: to have a block copied costs more. */
const SHORT = 32;

/** How many answers are held back at most until others are there. */
const MOST_HELD = 64;

/** Answers that are there and not sent yet, in order. */
const held: { response: ServerResponse; bytes: Buffer | undefined }[] = [];
/** Memory that drafts are made in: one for each answer that can be held, since the next draft is begun when the one before is held or gone. */
const lent: (Buffer | undefined)[] = [];

/**
 * An answer's bytes in the making, put together piece by piece in memory that is lent until the answer is sent or the next draft begins: who
 * needs them for longer detaches them.
 */
export class Draft {
  #memory: Buffer;
  #length = 0;

  constructor() {
    const memory = lent[held.length] ?? Buffer.allocUnsafeSlow(SIZE);
    lent[held.length] = memory;
    this.#memory = memory;
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

  /** The bytes, in lent memory. */
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
 * Ends a response: once all that is under way at the moment is done, together with the answers that come of it. Who waits for them is woken once
 * and not by each, and the system's code stays hot.
 */
export function endResponse(response: ServerResponse, bytes?: Buffer): void {
  if (held.length === 0) process.nextTick(sendHeld);
  held.push({ response, bytes });
  if (held.length === MOST_HELD) sendHeld();
}

/** Sends what is held. Where a socket does not take lent memory at once, a later draft gets other. */
function sendHeld(): void {
  for (const [at, { response, bytes }] of held.entries()) {
    const isLent = bytes !== undefined && bytes.buffer === lent[at]?.buffer;
    const isNext = response.socket?.writableLength === 0;
    // Answers that wait for others would each keep a whole memory for their few bytes.
    response.end(isLent && !isNext ? detach(bytes) : bytes);
    if (isLent && isNext && response.writableLength > 0) lent[at] = undefined;
  }
  held.length = 0;
}

/** Bytes that nobody else writes over, and that keep no larger block of memory alive, as a slice of a file would. */
export function detach(bytes: Buffer): Buffer {
  return bytes.length === bytes.buffer.byteLength ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
}
