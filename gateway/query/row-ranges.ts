import { RowSet } from './row-set.ts';

/** Of how many beginnings of the rows the set is kept. */
const KEPT_SETS = 64;

/**
 * Rows in some order, each at most once, of which any range is made a set in the time that it takes to go once over all words of a set,
 * however many rows the range has: it is the beginning up to its end without the beginning up to its start. Sets of 64 beginnings are
 * kept, 8 bytes a row in all, and any other beginning differs from the nearest of them by few rows.
 */
export class RowRanges {
  readonly #rows: Int32Array;
  /** How many words a set has. */
  readonly #length: number;
  /** How many more rows a kept beginning has than that before. */
  readonly #step: number;
  /** The sets of the beginnings of 0, 1, 2, … times `#step` rows, one after the other. */
  readonly #sets: Int32Array;

  constructor(rows: Int32Array, rowCount: number) {
    this.#rows = rows;
    this.#length = (rowCount + 31) >>> 5;
    this.#step = Math.max(1, Math.ceil(rows.length / KEPT_SETS));
    const kept = Math.floor(rows.length / this.#step) + 1;
    this.#sets = new Int32Array(kept * this.#length);
    const beginning = new RowSet();
    beginning.clear(rowCount);
    for (let at = 0; at < kept; at++) {
      beginning.copyTo(this.#sets, at * this.#length);
      for (const row of rows.subarray(at * this.#step, (at + 1) * this.#step)) beginning.add(row);
    }
  }

  /** Adds the rows at `from` to `to` (exclusive) to a set of the list's that has none of them. */
  addTo(set: RowSet, from: number, to: number): void {
    if (to - from <= this.#length) {
      this.#toggle(set, from, to);
      return;
    }
    const first = this.#nearest(from);
    const last = this.#nearest(to);
    set.toggleDifference(this.#sets, first * this.#length, last * this.#length);
    this.#toggle(set, from, first * this.#step);
    this.#toggle(set, last * this.#step, to);
  }

  /** The kept beginning that is nearest to that of so many rows. */
  #nearest(length: number): number {
    return Math.min(Math.round(length / this.#step), Math.floor(this.#rows.length / this.#step));
  }

  /** Toggles the rows between two positions, whichever is the first. */
  #toggle(set: RowSet, one: number, other: number): void {
    const end = Math.max(one, other);
    for (let at = Math.min(one, other); at < end; at++) set.toggle(this.#rows[at] as number);
  }
}
