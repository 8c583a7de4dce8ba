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
      this.#offsets[number + 1] = (this.#offsets[number] as number) + (lengths[number] as number);
    this.#words = new DataView(bytes.buffer);
  }

  /** Returns the length of a piece in bytes. */
  lengthOf(number: number): number {
    return (this.#offsets[number + 1] as number) - (this.#offsets[number] as number);
  }

  /**
   * Copies a piece to a position.
   *
   * @returns the position after it
   */
  copy(number: number, to: DataView, at: number): number {
    const words = this.#words;
    const start = this.#offsets[number] as number;
    const length = (this.#offsets[number + 1] as number) - start;
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
