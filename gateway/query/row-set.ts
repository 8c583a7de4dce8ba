/** A set of row numbers, one bit a row. */
export class RowSet {
  // Not a typed array: of more than 64 bytes it has memory of its own, which for a thousand rows takes ten times as long to get.
  readonly #words: number[];

  constructor(rowCount: number) {
    this.#words = new Array((rowCount + 31) >>> 5).fill(0);
  }

  add(row: number): void {
    const word = row >>> 5;
    this.#words[word] = (this.#words[word] as number) | (1 << (row & 31));
  }

  /** Adds the rows at `from` to `to` (exclusive) of a list of rows. */
  addAll(rows: ArrayLike<number>, from = 0, to = rows.length): void {
    for (let at = from; at < to; at++) this.add(rows[at] as number);
  }

  has(row: number): boolean {
    return (((this.#words[row >>> 5] as number) >>> (row & 31)) & 1) === 1;
  }

  /**
   * Keeps of some rows those that are in the set; with `negated` those that are not.
   *
   * @returns how many they are; they stand at the beginning of `rows`
   */
  sift(rows: Int32Array, count: number, negated = false): number {
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at] as number;
      if (this.has(row) !== negated) rows[kept++] = row;
    }
    return kept;
  }

  /** The rows in ascending order, from position `start` to `end` (exclusive). */
  slice(start: number, end: number): number[] {
    const rows: number[] = [];
    let position = 0;
    for (let at = 0; position < end && at < this.#words.length; at++) {
      // Bit by bit, the lowest first.
      for (let word = this.#words[at] as number; word !== 0 && position < end; word &= word - 1) {
        if (position++ >= start) rows.push(32 * at + 31 - Math.clz32(word & -word));
      }
    }
    return rows;
  }

  /** How many rows are in the set. */
  get size(): number {
    let size = 0;
    for (const word of this.#words) size += countBits(word);
    return size;
  }
}

/** Population count of 32 bits (Hacker's Delight, 5-1). */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
