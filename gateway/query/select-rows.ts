import type { Collection } from './collection.ts';
import { addRows } from './condition.ts';
import type { ListQuery } from './list-query.ts';
import { RowRanks } from './row-ranks.ts';
import { RowSet } from './row-set.ts';

/** A page of a list: the number of matching rows, and the rows on the page, in order. */
export interface Selection {
  total: number;
  rows: readonly number[];
}

/** Finds the rows that match a query, orders them and returns the page. */
export function selectRows(list: Collection, query: ListQuery): Selection {
  const found = matchRows(list, query);
  const { offset, limit = list.count, sort } = query;

  if (query.ids) {
    const rows = query.ids.rows.filter((row) => found?.has(row) ?? true);
    if (sort.length > 0) sortByPosition(rows, list.order(sort));
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }
  if (found === undefined)
    return { total: list.count, rows: [...list.order(sort).subarray(offset, offset + limit)] };
  const total = found.size;
  if (total <= offset) return { total, rows: [] };
  if (sort.length > 0)
    return { total, rows: walkOrder(list.order(sort), found, offset, Math.min(limit, total - offset)) };
  const end = offset + limit;
  return {
    total,
    rows: query.q ? ranks.order(found.slice(0, total), offset, end) : found.slice(offset, end),
  };
}

/** The matching rows, those that pass one condition, and the ranks of those that a search finds. Every query reuses them. */
const matched = new RowSet();
const passing = new RowSet();
const ranks = new RowRanks();

/** Returns the rows that pass every condition and the name search; undefined when the query has neither. */
function matchRows(list: Collection, { conditions, q }: ListQuery): RowSet | undefined {
  if (conditions.length === 0 && q === undefined) return undefined;
  const { count } = list;
  matched.fill(count);
  for (const condition of conditions) {
    passing.clear(count);
    addRows(condition, passing);
    matched.keep(passing, condition.negated);
  }
  if (q !== undefined) {
    ranks.clear(count);
    list.names.search(q, conditions.length === 0 ? undefined : matched, ranks);
    matched.clear(count);
    for (const row of ranks.rows) matched.add(row);
  }
  return matched;
}

function walkOrder(order: Int32Array, found: RowSet, offset: number, length: number): number[] {
  const page: number[] = [];
  let skipped = 0;
  for (let at = 0; page.length < length; at++) {
    const row = order[at] as number;
    if (!found.has(row)) continue;
    if (skipped < offset) skipped++;
    else page.push(row);
  }
  return page;
}

function sortByPosition(rows: number[], order: Int32Array): void {
  const wanted = new Set(rows);
  const position = new Map<number, number>();
  for (const [at, row] of order.entries()) if (wanted.has(row)) position.set(row, at);
  rows.sort((a, b) => (position.get(a) as number) - (position.get(b) as number));
}
