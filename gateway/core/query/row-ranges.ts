import { inSteps, type Steps } from '../lib/part.ts';
import { RowSet } from './row-set.ts';

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
    const kept = Math.floor(rows.length / this.#step) + 1;
    this.#sets = new Int32Array(kept * this.#length);
  }

  *#fill(rowCount: number): Steps<undefined> {
    const rows = this.#rows;
    const beginning = new RowSet();
    beginning.clear(rowCount);
    const kept = Math.floor(rows.length / this.#step) + 1;
    yield* inSteps(kept, SETS_A_STEP, (from, to) => {
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
