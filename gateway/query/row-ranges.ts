import { RowSet } from './row-set.ts';

/** Into how many steps the rows are cut; of the beginning up to each, the set is kept. */
const STEPS = 64;

/**
 * Rows in some order, each at most once. To make any range of them a set takes one pass over the words of a set, however many rows the
 * range has: it is the beginning up to the range's end without the beginning up to its start. Sets of some beginnings are kept, 8 bytes
 * a row in all; any other beginning differs from the nearest of them by less than a step.
 */
export class RowRanges {
  readonly #rows: Int32Array;
  /** How many words a set has. */
  readonly #length: number;
  /** How many more rows each kept beginning has than the one before. */
  readonly #step: number;
  /** The sets of the beginnings of 0, 1, 2, … times `#step` rows, one after the other. */
  readonly #sets: Int32Array;

  constructor(rows: Int32Array, rowCount: number) {
    this.#rows = rows;
    this.#length = (rowCount + 31) >>> 5;
    this.#step = Math.max(1, Math.ceil(rows.length / STEPS));
    const kept = Math.floor(rows.length / this.#step) + 1;
    this.#sets = new Int32Array(kept * this.#length);
    const beginning = new RowSet();
    beginning.clear(rowCount);
    for (let at = 0; at < kept; at++) {
      beginning.copyTo(this.#sets, at * this.#length);
      beginning.addAll(rows, at * this.#step, Math.min((at + 1) * this.#step, rows.length));
    }
  }

  /** Adds the rows at `from` to `to` (exclusive) to a set of the same list that has none of them. */
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

  /** Which kept beginning is nearest to that of so many rows. */
  #nearest(length: number): number {
    return Math.min(Math.round(length / this.#step), Math.floor(this.#rows.length / this.#step));
  }

  /** Toggles the rows between two positions, whichever comes first. */
  #toggle(set: RowSet, one: number, other: number): void {
    set.toggleAll(this.#rows, Math.min(one, other), Math.max(one, other));
  }
}
