import { inSteps, NUMBERS_A_STEP, type Steps } from '../http/work.ts';
import type { Column } from '../query/column.ts';
import type { RowSet } from '../query/row-set.ts';

/**
 * The rows of the records that have each value of an attribute of elements. A value has a list of its rows or, where that is shorter, one bit
 * for each row, so all of it takes at most as much memory as the lists of elements in the column.
 */
export class RowsOfValues {
  /** Value `code` has the numbers from `offsets[code]` to `offsets[code + 1]` (exclusive): rows, or bits if there are `#words` of them. */
  readonly #numbers: Int32Array;
  readonly #offsets: Int32Array;
  readonly #words: number;

  /** @param rowOf the row of each element, ascending @param rowCount how many records there are */
  static *make(column: Column, rowOf: Int32Array, rowCount: number): Steps<RowsOfValues> {
    yield column.postings;
    const { values, offsets: ends, rows: elements } = column;
    const words = (rowCount + 31) >>> 5;
    const offsets = new Int32Array(values.length + 1);
    const numbers = new Int32Array(elements.length);
    let code = 0;
    let end = 0;
    yield* inSteps(elements.length, NUMBERS_A_STEP, (from, to) => {
      for (let at = from; at < to; at++) {
        const row = rowOf[elements[at] ?? 0] ?? 0;
        const start = offsets[code] ?? 0;
        if (end === start || numbers[end - 1] !== row) numbers[end++] = row;
        if (at + 1 < (ends[code + 1] ?? 0)) continue;
        if (end - start >= words) {
          numbers.set(toBits(numbers.subarray(start, end), words), start);
          end = start + words;
        }
        offsets[++code] = end;
      }
    });
    return new RowsOfValues(numbers.slice(0, end), offsets, words);
  }

  private constructor(numbers: Int32Array, offsets: Int32Array, words: number) {
    this.#numbers = numbers;
    this.#offsets = offsets;
    this.#words = words;
  }

  /** Adds the rows with an element whose value has a code in one of the ranges. */
  addRows(ranges: readonly [number, number][], rows: RowSet): void {
    for (const [fromCode, toCode] of ranges) {
      for (let code = fromCode; code < toCode; code++) {
        const [from, to] = [this.#offsets[code] ?? 0, this.#offsets[code + 1] ?? 0];
        if (to - from === this.#words) rows.addBits(this.#numbers, from);
        else rows.addAll(this.#numbers, from, to);
      }
    }
  }
}

function toBits(rows: Int32Array, words: number): Int32Array {
  const bits = new Int32Array(words);
  for (const row of rows) bits[row >>> 5] = (bits[row >>> 5] ?? 0) | (1 << (row & 31));
  return bits;
}
