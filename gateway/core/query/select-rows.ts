import { countWork, WORK } from '../lib/work.ts';
import type { Collection } from './collection.ts';
import { addRows, type Condition, type ElementConditions } from './filters.ts';
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
    countWork(WORK.row * rows.length);
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

/** The matching rows and elements, those that pass one condition, and the ranks of those that a search finds. Every query reuses them. */
const matched = new RowSet();
const elements = new RowSet();
const passing = new RowSet();
const ranks = new RowRanks();

/** Returns the rows that pass every condition and the name search; undefined when the query has neither. */
function matchRows(list: Collection, { conditions, groups, q }: ListQuery): RowSet | undefined {
  const isFiltered = conditions.length + groups.length > 0;
  if (!isFiltered && q === undefined) return undefined;
  const { count } = list;
  keepAll(matched, count, conditions);
  for (const group of groups) {
    addRowsWithElement(group, count);
    matched.keep(passing);
  }
  if (q !== undefined) {
    ranks.clear(count);
    list.names.search(q, isFiltered ? matched : undefined, ranks);
    matched.clear(count);
    for (const row of ranks.rows) matched.add(row);
  }
  return matched;
}

/** Fills a set with the rows, or elements, that pass every condition. It uses `passing`. */
function keepAll(set: RowSet, count: number, conditions: readonly Condition[]): void {
  set.fill(count);
  countWork(WORK.row * count * (1 + conditions.length));
  for (const condition of conditions) {
    passing.clear(count);
    addRows(condition, passing);
    set.keep(passing, condition.negated);
  }
}

/** Makes `passing` the rows that have an element which passes every condition of a group. */
function addRowsWithElement({ list, conditions }: ElementConditions, rowCount: number): void {
  keepAll(elements, list.count, conditions);
  passing.clear(rowCount);
  countWork(WORK.row * (rowCount + list.count));
  elements.addMapped(list.rowOf, passing);
}

function walkOrder(order: Int32Array, found: RowSet, offset: number, length: number): number[] {
  const page: number[] = [];
  let skipped = 0;
  let at = 0;
  for (; page.length < length; at++) {
    const row = order[at] as number;
    if (!found.has(row)) continue;
    if (skipped < offset) skipped++;
    else page.push(row);
  }
  countWork(WORK.row * at);
  return page;
}

function sortByPosition(rows: number[], order: Int32Array): void {
  countWork(WORK.row * order.length);
  const wanted = new Set(rows);
  const position = new Map<number, number>();
  for (const [at, row] of order.entries()) if (wanted.has(row)) position.set(row, at);
  rows.sort((a, b) => (position.get(a) as number) - (position.get(b) as number));
}
