import { countWork, inSteps, NUMBERS_A_STEP, type Steps, WORK } from '../lib/work.ts';
import type { Column } from './column.ts';

/** A facet to sort by. */
export interface SortKey {
  column: Column;
  descending: boolean;
}

/**
 * Returns all rows in the order of the sort keys: rows without a key's facet last in both directions, ties in row order. It is a radix
 * sort, which reads each row once per key however many are equal.
 *
 * @param keys facets that are not lists
 */
export function* orderRows(keys: readonly SortKey[], rowCount: number): Steps<Int32Array> {
  let order = new Int32Array(rowCount);
  for (let row = 0; row < rowCount; row++) order[row] = row;
  for (const key of keys.toReversed()) {
    yield key.column.postings;
    order = yield* orderByOne(key, order);
  }
  return order;
}

/** Orders rows by one facet; rows with equal values keep their order. */
function* orderByOne({ column, descending }: SortKey, rows: Int32Array): Steps<Int32Array<ArrayBuffer>> {
  const { offsets, codes, values, present } = column;
  // The next place for each value; the last one is for rows without any.
  const next = new Int32Array(values.length + 1);
  for (let code = 0; code < values.length; code++) {
    next[code] = descending ? present - (offsets[code + 1] as number) : (offsets[code] as number);
  }
  next[values.length] = present;
  const order = new Int32Array(rows.length);
  countWork(WORK.row * rows.length);
  yield* inSteps(rows.length, NUMBERS_A_STEP, (from, to) => {
    for (let at = from; at < to; at++) {
      const row = rows[at] as number;
      const code = codes[row] as number;
      const slot = code === -1 ? values.length : code;
      const place = next[slot] as number;
      order[place] = row;
      next[slot] = place + 1;
    }
  });
  return order;
}
