import { type Counters, countersAt, dayOf, type Limits, MINUTE_MS, UNUSED } from '../access/account.ts';
import type { Sql, Store, Value } from './sql.ts';

/** What an account has used at a time. */
export interface Reading {
  counters: Counters;
  /** ms since 1970, by the clock of the store. */
  at: number;
}

/** The outcome of counting a request. */
export interface Admission extends Reading {
  /** Whether the request was counted; false if a cap is reached. */
  admitted: boolean;
}

/** A request to count. */
export interface Request {
  /** The name of its account's or key's counters. */
  name: string;
  limits: Limits;
}

interface QuotaRow {
  name: string;
  times: string;
  day: number;
  used: number;
}

/** A time as it is stored: so many digits last until the year 2286. */
const DIGITS = 13;
/** At most so many rows are counted in one statement. */
export const MAX_REQUESTS = 64;

const LATEST = `substr(q.times, length(q.times) - ${DIGITS - 1})`;
/** The time that has to leave the minute before the next request: the first of the last `minute_cap`. */
const FIRST = `substr(q.times, CAST(length(q.times) - ${DIGITS} * excluded.minute_cap + 1 AS INTEGER), ${DIGITS})`;
const HAS_FIRST = `length(q.times) >= ${DIGITS} * excluded.minute_cap`;
/** Also after a clock was set back over midnight, so that no account gets that day twice. */
const SAME_DAY = '(q.day = $4 OR q.day = $4 + 1)';

/**
 * Counts requests whose names are all different, each unless a cap is reached. The row of a name has the last times at which a request was
 * admitted, as many as its cap: the request is admitted if the first of them is at least a minute ago. So there are never more in any 60
 * seconds, over all processes. Times of a row never run back, and those that are more than a minute in the future, after a clock was set
 * back, do not count.
 *
 * The values: `$1` now, `$2` a minute ago, `$3` in a minute, as texts; `$4` today; then name and caps of each request.
 */
const count = (
  rows: string,
) => `INSERT INTO quota AS q (name, times, day, used, minute_cap, day_cap) VALUES ${rows}
  ON CONFLICT (name) DO UPDATE SET
    times = CASE WHEN ${HAS_FIRST} THEN substr(q.times, CAST(length(q.times) - ${DIGITS} * (excluded.minute_cap - 1) + 1 AS INTEGER)) ELSE q.times END
      || CASE WHEN ${LATEST} > $1 AND ${LATEST} <= $3 THEN ${LATEST} ELSE $1 END,
    used = CASE WHEN ${SAME_DAY} THEN q.used + 1 ELSE 1 END,
    day = CASE WHEN ${SAME_DAY} THEN q.day ELSE $4 END,
    minute_cap = excluded.minute_cap, day_cap = excluded.day_cap
  WHERE (NOT ${SAME_DAY} OR q.used < excluded.day_cap)
    AND (NOT ${HAS_FIRST} OR ${FIRST} <= $2 OR ${FIRST} > $3)
  RETURNING name, times, day, used`;

/** The statement for each number of requests. */
const statements: string[] = [];

function statementFor(rows: number): string {
  let statement = statements[rows];
  if (statement === undefined) {
    const row = (_: unknown, index: number) =>
      `($${5 + 3 * index}, $1, $4, 1, $${6 + 3 * index}, $${7 + 3 * index})`;
    statement = count(Array.from({ length: rows }, row).join(', '));
    statements[rows] = statement;
  }
  return statement;
}

/** Counts requests whose names are all different. @returns what was admitted, by name; the others have reached a cap */
export async function countRequests(
  sql: Sql,
  requests: readonly Request[],
  now: number,
): Promise<Map<string, Counters>> {
  const values: Value[] = [write(now), write(now - MINUTE_MS), write(now + MINUTE_MS), dayOf(now)];
  // Two processes that lock rows in different orders would wait for each other.
  for (const { name, limits } of [...requests].sort((a, b) => (a.name < b.name ? -1 : 1)))
    values.push(name, limits.minute, limits.day);
  return toMap(await sql.all<QuotaRow>(statementFor(requests.length), values), now);
}

/** Reads what was used, by name. Names that used nothing are missing. */
export async function readCounters(
  sql: Sql,
  names: readonly string[],
  now: number,
): Promise<Map<string, Counters>> {
  const places = names.map((_, index) => `$${index + 1}`).join(', ');
  const rows = await sql.all<QuotaRow>(
    `SELECT name, times, day, used FROM quota WHERE name IN (${places})`,
    names,
  );
  return toMap(rows, now);
}

/** Counts one request without those that come at the same time, unless a cap is reached. */
export async function countAlone(sql: Sql, request: Request): Promise<Admission> {
  const at = sql.now();
  const counters = (await countRequests(sql, [request], at)).get(request.name);
  if (counters) return { counters, at, admitted: true };
  return {
    counters: (await readCounters(sql, [request.name], at)).get(request.name) ?? UNUSED,
    at,
    admitted: false,
  };
}

/** Changes what was used, as `change` returns it, whatever the caps. */
export async function changeCounters(
  store: Store,
  name: string,
  change: (counters: Counters) => Counters,
): Promise<Reading> {
  return await store.transaction(async (sql) => {
    const at = sql.now();
    const before = (await readCounters(sql, [name], at)).get(name) ?? { ...UNUSED, day: dayOf(at) };
    const counters = change(before);
    await sql.run(
      `INSERT INTO quota (name, times, day, used, minute_cap, day_cap) VALUES ($1, $2, $3, $4, 0, 0)
       ON CONFLICT (name) DO UPDATE SET times = excluded.times, day = excluded.day, used = excluded.used`,
      [name, counters.times.map(write).join(''), counters.day, counters.count],
    );
    return { counters, at };
  });
}

function write(time: number): string {
  return String(time).padStart(DIGITS, '0');
}

function toMap(rows: readonly QuotaRow[], now: number): Map<string, Counters> {
  const found = new Map<string, Counters>();
  for (const { name, times, day, used } of rows) {
    const each: number[] = [];
    for (let at = 0; at < times.length; at += DIGITS) {
      const time = Number(times.slice(at, at + DIGITS));
      if (time <= now + MINUTE_MS) each.push(time);
    }
    found.set(name, countersAt({ times: each, day, count: used }, now));
  }
  return found;
}
