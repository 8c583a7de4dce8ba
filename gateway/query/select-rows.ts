import { countWork, WORK } from '../http/work.ts';
import type { Collection } from './collection.ts';
import { addRows, type Condition } from './filters.ts';
import type { ListQuery } from './list-query.ts';
import type { RowOrder } from './names.ts';
import { RowSet } from './row-set.ts';

/** A page of a list: the number of matching rows, and the rows on the page, in order. */
export interface Selection {
  total: number;
  rows: readonly number[];
}

/** The matching rows, and those that pass one condition. Every query reuses them: `selectRows` lets only one run. */
const matched = new RowSet();
const passing = new RowSet();
let isSelecting = false;

/** Finds the rows that match a query, orders them and returns the page. @throws Error when it is called inside a selection */
export function selectRows(list: Collection, query: ListQuery): Selection {
  if (isSelecting) throw new Error('a selection began inside another one, and both would use the same sets');
  isSelecting = true;
  try {
    return select(list, query);
  } finally {
    isSelecting = false;
  }
}

function select(list: Collection, query: ListQuery): Selection {
  const match = matchRows(list, query);
  const matching = match?.rows;
  const { offset, limit = list.count, sort } = query;

  if (query.ids) {
    const rows = query.ids.rows.filter((row) => matching?.has(row) ?? true);
    countWork(WORK.row * rows.length);
    if (sort.length > 0) sortByPosition(rows, list.order(sort));
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }
  if (matching === undefined)
    return { total: list.count, rows: [...list.order(sort).subarray(offset, offset + limit)] };
  const total = matching.size;
  if (total <= offset) return { total, rows: [] };
  if (sort.length > 0)
    return { total, rows: walkOrder(list.order(sort), matching, offset, Math.min(limit, total - offset)) };
  const [end, order] = [offset + limit, match?.order];
  const rows = order ? order.order(matching.slice(0, total), offset, end) : matching.slice(offset, end);
  return { total, rows };
}

/** Rows, and what orders them if a search has ranked them. */
interface Match {
  rows: RowSet;
  order: RowOrder | undefined;
}

/** Returns the rows that pass every condition and the name search; undefined when the query has neither. */
function matchRows(list: Collection, { conditions, groups, q }: ListQuery): Match | undefined {
  const isFiltered = conditions.length + groups.length > 0;
  if (!isFiltered && q === undefined) return undefined;
  const { count } = list;
  keepAll(matched, passing, count, conditions);
  for (const group of groups) {
    passing.clear(count);
    group.addRows(passing, count);
    matched.keep(passing);
  }
  const order = q && list.names.search(q, isFiltered ? matched : undefined, matched);
  return { rows: matched, order };
}

/** Fills a set with the rows, or elements, that pass every condition. @param passing another set, which is overwritten */
export function keepAll(set: RowSet, passing: RowSet, count: number, conditions: readonly Condition[]): void {
  set.fill(count);
  countWork(WORK.row * count * (1 + conditions.length));
  for (const condition of conditions) {
    passing.clear(count);
    addRows(condition, passing);
    set.keep(passing, condition.negated);
  }
}

function walkOrder(order: Int32Array, matching: RowSet, offset: number, length: number): number[] {
  const page: number[] = [];
  let skipped = 0;
  let at = 0;
  for (; page.length < length; at++) {
    const row = order[at] ?? 0;
    if (!matching.has(row)) continue;
    if (skipped < offset) skipped++;
    else page.push(row);
  }
  countWork(WORK.row * at);
  return page;
}

function sortByPosition(rows: number[], order: Int32Array): void {
  countWork(WORK.row * order.length);
  const selection = new Set(rows);
  const position = new Map<number, number>();
  for (const [at, row] of order.entries()) if (selection.has(row)) position.set(row, at);
  rows.sort((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0));
}
