/** A set of row numbers of a list, one bit per row. It can be reused for another list, starting with `clear` or `fill`. */
export class RowSet {
  #words = new Int32Array(32);
  /** How many of the words the list uses; the others are meaningless. */
  #length = 0;

  /** Empties the set, and makes room for the rows of a list. */
  clear(rowCount: number): void {
    this.#length = (rowCount + 31) >>> 5;
    if (this.#words.length < this.#length) this.#words = new Int32Array(this.#length);
    this.#words.fill(0, 0, this.#length);
  }

  /** Fills the set with all rows of a list. */
  fill(rowCount: number): void {
    this.clear(rowCount);
    this.#words.fill(-1, 0, this.#length);
    if ((rowCount & 31) !== 0) this.#words[this.#length - 1] = (1 << (rowCount & 31)) - 1;
  }

  /** Adds a row. */
  add(row: number): void {
    this.#words[row >>> 5] = (this.#words[row >>> 5] ?? 0) | (1 << (row & 31));
  }

  /** Adds the rows at `from` to `to` (exclusive) of a list of rows. */
  addAll(rows: Int32Array, from: number, to: number): void {
    const words = this.#words;
    for (let at = from; at < to; at++) {
      const row = rows[at] ?? 0;
      words[row >>> 5] = (words[row >>> 5] ?? 0) | (1 << (row & 31));
    }
  }

  /** Adds the rows whose bits are set in as many words as the list needs, from `from` on. */
  addBits(words: Int32Array, from: number): void {
    const target = this.#words;
    for (let at = 0; at < this.#length; at++) target[at] = (target[at] ?? 0) | (words[from + at] ?? 0);
  }

  /** Fills the set with the rows from `from` to `to` (exclusive) of all rows of a list, in any order, by removing the others. */
  fillRange(rows: Int32Array, from: number, to: number): void {
    this.fill(rows.length);
    const words = this.#words;
    for (let at = from === 0 ? to : 0; at < rows.length; at = at + 1 === from ? to : at + 1) {
      const row = rows[at] ?? 0;
      words[row >>> 5] = (words[row >>> 5] ?? 0) & ~(1 << (row & 31));
    }
  }

  /** Keeps only the rows that are in another set for the same list or, with `negated`, are not in it. */
  keep(other: RowSet, negated = false): void {
    const target = this.#words;
    const others = other.#words;
    const length = this.#length;
    const flip = negated ? -1 : 0;
    for (let at = 0; at < length; at++) target[at] = (target[at] ?? 0) & ((others[at] ?? 0) ^ flip);
  }

  /** Adds to another set, for each row of this one, the row that it stands for. */
  addMapped(rowOf: Int32Array, set: RowSet): void {
    for (let at = 0; at < this.#length; at++) {
      for (let word = this.#words[at] ?? 0; word !== 0; word &= word - 1) {
        set.add(rowOf[32 * at + 31 - Math.clz32(word & -word)] ?? 0);
      }
    }
  }

  has(row: number): boolean {
    return (((this.#words[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
  }

  /** Returns the rows in ascending order, from position `start` to `end` (exclusive). */
  slice(start: number, end: number): number[] {
    const rows: number[] = [];
    let position = 0;
    for (let at = 0; position < end && at < this.#length; at++) {
      // Bit by bit, from the lowest.
      for (let word = this.#words[at] ?? 0; word !== 0 && position < end; word &= word - 1) {
        if (position++ >= start) rows.push(32 * at + 31 - Math.clz32(word & -word));
      }
    }
    return rows;
  }

  /** How many rows are in the set. */
  get size(): number {
    const words = this.#words;
    const length = this.#length;
    let size = 0;
    for (let at = 0; at < length; at++) size += countBits(words[at] ?? 0);
    return size;
  }
}

/** Population count of 32 bits (Hacker's Delight, 5-1). */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
