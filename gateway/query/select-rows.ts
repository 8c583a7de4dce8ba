import type { Collection } from './collection.ts';
import { applyFilters } from './filters.ts';
import type { ListQuery } from './list-query.ts';

/** A page of a list: the number of matching rows, and the rows on the page, in order. */
export interface Selection {
  total: number;
  rows: readonly number[];
}

/** Finds the rows that match a query, orders them and returns the page. */
export function selectRows(list: Collection, query: ListQuery): Selection {
  const { conditions, groups, q, ids, offset, limit = list.count, sort } = query;
  const isFiltered = conditions.length + groups.length > 0;
  if (!isFiltered && q === undefined && ids === undefined)
    return { total: list.count, rows: [...list.order(sort).subarray(offset, offset + limit)] };

  const hit = new Uint8Array(list.count).fill(1);
  if (isFiltered) applyFilters(query, hit);
  const ranked = q && list.names.search(q, hit);
  if (ids !== undefined) {
    const rows = ids.rows.filter((row) => hit[row] === 1);
    if (sort.length > 0) sortByOrder(rows, list.order(sort));
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }
  if (ranked !== undefined && sort.length === 0)
    return { total: ranked.length, rows: ranked.slice(offset, offset + limit) };

  const order = list.order(sort);
  let total = 0;
  for (let row = 0; row < hit.length; row++) total += hit[row] as number;
  const rows: number[] = [];
  const length = Math.min(limit, Math.max(0, total - offset));
  for (let at = 0, skipped = 0; rows.length < length; at++) {
    const row = order[at] as number;
    if (hit[row] === 1 && skipped++ >= offset) rows.push(row);
  }
  return { total, rows };
}

function sortByOrder(rows: number[], order: Int32Array): void {
  const placeOf = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) placeOf[order[at] ?? 0] = at;
  rows.sort((a, b) => (placeOf[a] ?? 0) - (placeOf[b] ?? 0));
}
