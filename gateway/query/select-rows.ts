import type { Collection } from './collection.ts';
import { matchCondition } from './condition.ts';
import type { ListQuery } from './list-query.ts';
import type { RowSet } from './row-set.ts';

/** A page of a list: how many rows match in all, and those on the page, in order. */
export interface Selection {
  total: number;
  rows: ArrayLike<number>;
}

/** Finds the rows that a query asks for, orders them and cuts out the page. */
export function selectRows(list: Collection, query: ListQuery): Selection {
  const matched = matchRows(list, query);
  const { offset, limit = list.count } = query;

  if (query.ids) {
    const rows = query.ids.rows.filter((row) => matched?.has(row) ?? true);
    if (query.sort.length > 0) sortByPosition(rows, list.order(query.sort));
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }
  const order = list.order(query.sort);
  if (matched === undefined) return { total: list.count, rows: order.subarray(offset, offset + limit) };
  const total = matched.size;
  return {
    total,
    rows: total <= offset ? [] : walkOrder(order, matched, offset, Math.min(limit, total - offset)),
  };
}

/** The rows that pass every condition and the name search; undefined where there is none to pass. */
function matchRows(list: Collection, { conditions, q }: ListQuery): RowSet | undefined {
  let matched = q === undefined ? undefined : list.names.search(q);
  for (const condition of conditions) {
    const rows = matchCondition(condition, list.count);
    if (matched === undefined) matched = rows;
    else matched.intersect(rows);
  }
  return matched;
}

function walkOrder(order: Int32Array, matched: RowSet, offset: number, length: number): Int32Array {
  const page = new Int32Array(length);
  let skipped = 0;
  let filled = 0;
  for (let at = 0; filled < length; at++) {
    const row = order[at] as number;
    if (!matched.has(row)) continue;
    if (skipped < offset) skipped++;
    else page[filled++] = row;
  }
  return page;
}

function sortByPosition(rows: number[], order: Int32Array): void {
  const wanted = new Set(rows);
  const position = new Map<number, number>();
  for (const [at, row] of order.entries()) if (wanted.has(row)) position.set(row, at);
  rows.sort((a, b) => (position.get(a) as number) - (position.get(b) as number));
}
