import type { Column } from './column.ts';

/** A facet to sort by. */
export interface SortKey {
  column: Column;
  descending: boolean;
}

/**
 * Returns all rows in the order of the sort keys: rows without a key's facet last in both directions, ties in row order.
 *
 * @param keys facets that are not lists
 */
export function orderRows(keys: readonly SortKey[], rowCount: number): Int32Array {
  const [first, ...others] = keys;
  if (first === undefined) return Int32Array.from({ length: rowCount }, (_, row) => row);
  if (others.length === 0) return orderByOne(first, rowCount);
  return orderRows([], rowCount).sort((a, b) => {
    for (const key of keys) {
      const byKey = compareRows(key, a, b);
      if (byKey !== 0) return byKey;
    }
    return a - b;
  });
}

/** Concatenates the postings value by value, which are the order already. */
function orderByOne({ column, descending }: SortKey, rowCount: number): Int32Array {
  const { offsets, rows, codes, values } = column;
  const order = new Int32Array(rowCount);
  let filled = 0;
  for (let at = 0; at < values.length; at++) {
    const code = descending ? values.length - 1 - at : at;
    for (let entry = offsets[code] as number; entry < (offsets[code + 1] as number); entry++) {
      order[filled++] = rows[entry] as number;
    }
  }
  for (let row = 0; row < rowCount; row++) if (codes[row] === -1) order[filled++] = row;
  return order;
}

function compareRows({ column, descending }: SortKey, a: number, b: number): number {
  const codeA = column.codes[a] as number;
  const codeB = column.codes[b] as number;
  if (codeA === codeB) return 0;
  if (codeA === -1) return 1;
  if (codeB === -1) return -1;
  return descending ? codeB - codeA : codeA - codeB;
}
