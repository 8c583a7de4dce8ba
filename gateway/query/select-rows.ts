import type { Collection } from './collection.ts';
import { type Condition, estimateRows, listRows, siftRows } from './condition.ts';
import type { ListQuery } from './list-query.ts';
import { RowSet } from './row-set.ts';

/** A page of a list: how many rows match in all, and those on the page, in order. */
export interface Selection {
  total: number;
  rows: readonly number[];
}

/** Finds the rows that a query asks for, orders them and cuts out the page. */
export function selectRows(list: Collection, query: ListQuery): Selection {
  const matched = matchRows(list, query);
  const { offset, limit = list.count, sort } = query;

  if (query.ids) {
    const rows = query.ids.rows.filter((row) => matched?.has(row) ?? true);
    if (sort.length > 0) sortByPosition(rows, list.order(sort));
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }
  if (matched === undefined)
    return { total: list.count, rows: [...list.order(sort).subarray(offset, offset + limit)] };
  const total = matched.size;
  if (total <= offset) return { total, rows: [] };
  if (sort.length === 0) return { total, rows: matched.slice(offset, offset + limit) };
  return { total, rows: walkOrder(list.order(sort), matched, offset, Math.min(limit, total - offset)) };
}

/** Rows on the way to be selected; one list is queried at a time. */
let candidates = new Int32Array(1024);

/**
 * The rows that pass every condition and the name search; undefined where there is none to pass. Of the conditions the one that leaves fewest
 * rows is looked up, and all else only sifts those.
 */
function matchRows({ names, count }: Collection, { conditions, q }: ListQuery): RowSet | undefined {
  const found = q === undefined ? undefined : names.search(q);
  const rarest = findRarest(conditions, count);
  if (rarest === undefined) return found;
  if (candidates.length < count) candidates = new Int32Array(count);
  let left = listRows(rarest, count, candidates);
  for (const condition of conditions) {
    if (condition !== rarest) left = siftRows(condition, count, candidates, left);
  }
  if (found) left = found.sift(candidates, left);
  const matched = new RowSet(count);
  matched.addAll(candidates, 0, left);
  return matched;
}

function findRarest(conditions: readonly Condition[], rowCount: number): Condition | undefined {
  let rarest: Condition | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const condition of conditions) {
    const rows = estimateRows(condition, rowCount);
    if (rows >= fewest) continue;
    fewest = rows;
    rarest = condition;
  }
  return rarest;
}

function walkOrder(order: Int32Array, matched: RowSet, offset: number, length: number): number[] {
  const page: number[] = [];
  let skipped = 0;
  for (let at = 0; page.length < length; at++) {
    const row = order[at] as number;
    if (!matched.has(row)) continue;
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
