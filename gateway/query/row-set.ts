/** A set of the row numbers of one list, one bit a row. It is made once and used for list after list. */
export class RowSet {
  #words = new Int32Array(32);
  /** How many words the list in hand takes; there may be more, of no meaning. */
  #length = 0;

  /** Empties the set, and makes room for the rows of a list. */
  clear(rowCount: number): void {
    this.#length = (rowCount + 31) >>> 5;
    if (this.#words.length < this.#length) this.#words = new Int32Array(this.#length);
    this.#words.fill(0, 0, this.#length);
  }

  /** Makes it the set of all rows of a list. */
  fill(rowCount: number): void {
    this.clear(rowCount);
    this.#words.fill(-1, 0, this.#length);
    if ((rowCount & 31) !== 0) this.#words[this.#length - 1] = (1 << (rowCount & 31)) - 1;
  }

  add(row: number): void {
    const word = row >>> 5;
    this.#words[word] = (this.#words[word] as number) | (1 << (row & 31));
  }

  /** Adds a row that is not in the set, and removes one that is. */
  toggle(row: number): void {
    const word = row >>> 5;
    this.#words[word] = (this.#words[word] as number) ^ (1 << (row & 31));
  }

  /** Toggles the rows that are in just one of two sets, whose words are those of `words` from `one` and from `other` on. */
  toggleDifference(words: Int32Array, one: number, other: number): void {
    const own = this.#words;
    const length = this.#length;
    for (let at = 0; at < length; at++)
      own[at] = (own[at] as number) ^ (words[one + at] as number) ^ (words[other + at] as number);
  }

  /** Keeps the rows that are in another set of the same list; with `negated` those that are not. */
  keep(other: RowSet, negated = false): void {
    const own = this.#words;
    const others = other.#words;
    const length = this.#length;
    const flip = negated ? -1 : 0;
    for (let at = 0; at < length; at++) own[at] = (own[at] as number) & ((others[at] as number) ^ flip);
  }

  has(row: number): boolean {
    return (((this.#words[row >>> 5] as number) >>> (row & 31)) & 1) === 1;
  }

  /** The rows in ascending order, from position `start` to `end` (exclusive). */
  slice(start: number, end: number): number[] {
    const rows: number[] = [];
    let position = 0;
    for (let at = 0; position < end && at < this.#length; at++) {
      // Bit by bit, the lowest first.
      for (let word = this.#words[at] as number; word !== 0 && position < end; word &= word - 1) {
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
    for (let at = 0; at < length; at++) size += countBits(words[at] as number);
    return size;
  }

  /** Writes the words of the set. */
  copyTo(words: Int32Array, at: number): void {
    words.set(this.#words.subarray(0, this.#length), at);
  }
}

/** Population count of 32 bits (Hacker's Delight, 5-1). */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
