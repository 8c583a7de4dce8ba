import { inSteps, type Steps } from '../lib/work.ts';

/** The number of steps that the rows are divided into. The set of the rows before each step is kept. */
const STEPS = 64;
/** How many of these sets are made at once. */
const SETS_A_STEP = 8;

/**
 * Rows in some order, each at most once. Any range of them becomes a set in one pass over the words of a set, however many rows the range
 * has: the prefix before its end minus the prefix before its start. The sets of some prefixes are kept, 8 bytes per row in all; any other
 * prefix differs from the nearest kept one by less than a step.
 */
export class RowRanges {
  readonly #rows: Int32Array;
  /** The number of words in a set. */
  readonly #length: number;
  /** How many more rows each kept prefix has than the one before. */
  readonly #step: number;
  /** The sets of the prefixes of 0, 1, 2, … times `#step` rows, one after another. */
  readonly #sets: Int32Array;

  /** Prepares rows. */
  static *make(rows: Int32Array, rowCount: number): Steps<RowRanges> {
    const ranges = new RowRanges(rows, rowCount);
    yield* ranges.#fill(rowCount);
    return ranges;
  }

  private constructor(rows: Int32Array, rowCount: number) {
    this.#rows = rows;
    this.#length = (rowCount + 31) >>> 5;
    this.#step = Math.max(1, Math.ceil(rows.length / STEPS));
    const prefixCount = Math.floor(rows.length / this.#step) + 1;
    this.#sets = new Int32Array(prefixCount * this.#length);
  }

  *#fill(rowCount: number): Steps<undefined> {
    const rows = this.#rows;
    const beginning = new RowSet();
    beginning.clear(rowCount);
    const prefixCount = Math.floor(rows.length / this.#step) + 1;
    yield* inSteps(prefixCount, SETS_A_STEP, (from, to) => {
      for (let at = from; at < to; at++) {
        beginning.copyTo(this.#sets, at * this.#length);
        beginning.addAll(rows, at * this.#step, Math.min((at + 1) * this.#step, rows.length));
      }
    });
  }

  /** Adds the rows from `from` to `to` (exclusive) to a set for the same list that contains none of them. */
  addTo(set: RowSet, from: number, to: number): void {
    if (to - from <= this.#length) {
      set.addAll(this.#rows, from, to);
      return;
    }
    const first = this.#nearest(from);
    const last = this.#nearest(to);
    set.toggleDifference(this.#sets, first * this.#length, last * this.#length);
    this.#toggle(set, from, first * this.#step);
    this.#toggle(set, last * this.#step, to);
  }

  /** Returns the kept prefix nearest to a number of rows. */
  #nearest(length: number): number {
    return Math.min(Math.round(length / this.#step), Math.floor(this.#rows.length / this.#step));
  }

  /** Toggles the rows between two positions, in either order. */
  #toggle(set: RowSet, one: number, other: number): void {
    set.toggleAll(this.#rows, Math.min(one, other), Math.max(one, other));
  }
}

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
    this.#words[row >>> 5] = (this.#words[row >>> 5] as number) | (1 << (row & 31));
  }

  /** Adds the rows at `from` to `to` (exclusive) of a list of rows. */
  addAll(rows: Int32Array, from: number, to: number): void {
    const words = this.#words;
    for (let at = from; at < to; at++) {
      const row = rows[at] as number;
      words[row >>> 5] = (words[row >>> 5] as number) | (1 << (row & 31));
    }
  }

  /** Toggles the rows from `from` to `to` (exclusive) of a list of rows: adds missing ones, removes present ones. */
  toggleAll(rows: Int32Array, from: number, to: number): void {
    const words = this.#words;
    for (let at = from; at < to; at++) {
      const row = rows[at] as number;
      words[row >>> 5] = (words[row >>> 5] as number) ^ (1 << (row & 31));
    }
  }

  /** Toggles the rows that are in exactly one of two sets, which `copyTo` wrote into `words` at `one` and `other`. */
  toggleDifference(words: Int32Array, one: number, other: number): void {
    const target = this.#words;
    const length = this.#length;
    for (let at = 0; at < length; at++)
      target[at] = (target[at] as number) ^ (words[one + at] as number) ^ (words[other + at] as number);
  }

  /** Keeps only the rows that are in another set for the same list or, with `negated`, are not in it. */
  keep(other: RowSet, negated = false): void {
    const target = this.#words;
    const others = other.#words;
    const length = this.#length;
    const flip = negated ? -1 : 0;
    for (let at = 0; at < length; at++) target[at] = (target[at] as number) & ((others[at] as number) ^ flip);
  }

  /** Adds to another set, for each row of this one, the row that it stands for. */
  addMapped(rowOf: Int32Array, set: RowSet): void {
    for (let at = 0; at < this.#length; at++) {
      for (let word = this.#words[at] as number; word !== 0; word &= word - 1) {
        set.add(rowOf[32 * at + 31 - Math.clz32(word & -word)] as number);
      }
    }
  }

  has(row: number): boolean {
    return (((this.#words[row >>> 5] as number) >>> (row & 31)) & 1) === 1;
  }

  /** Returns the rows in ascending order, from position `start` to `end` (exclusive). */
  slice(start: number, end: number): number[] {
    const rows: number[] = [];
    let position = 0;
    for (let at = 0; position < end && at < this.#length; at++) {
      // Bit by bit, from the lowest.
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

  /** Writes the set into `words` from `at` on, one word per 32 rows of the list. */
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
