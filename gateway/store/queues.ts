// Queues: rows of work that any gateway on the store may do.
// A worker leases due rows for longer than an attempt takes, does the work, and then completes, fails or gives back the row.
// Guarantees: no two workers hold a row at the same time while leases are longer than attempts; a row whose worker dies is leased again when the
// lease has ended. Work is done at least once; what the work writes in the transaction of `complete` is written exactly once.
// After the last of `PAUSES_MS` a row is kept as failed, for the operator.
import type { Sql, Store, Value } from './sql.ts';

/** The tables whose rows are work that one of several gateways does. */
type Queue = 'deliveries' | 'mails';

/** The columns that all queues have. */
export interface Leased {
  id: string;
  /** The number of this attempt, 1 for the first. */
  attempts: number;
  /** When the lease ends, ms since 1970; it also identifies the lease. */
  leased_until: number;
}

/** Selects the rows to lease. */
interface LeaseTerms {
  /** The length of the lease in ms; longer than an attempt takes. */
  lease: number;
  limit: number;
  /** A further condition, with parameters from `$1` on. */
  where?: string;
  values?: readonly Value[];
}

const MINUTE_MS = 60_000;
/** The pauses after failed attempts. After the last one, the row is kept as failed. */
export const PAUSES_MS = [5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS, 600 * MINUTE_MS];
/** The random part of a pause, so that rows that failed together are not retried together. */
const JITTER = 0.1;

/**
 * Leases due rows, oldest first. Each row goes to one caller, over all processes. If a process ends before it settles a row, the row is leased again
 * when its lease has ended. That counts as an attempt, so that work which kills its process is given up in the end.
 *
 * @returns the complete rows
 */
export async function lease<Row extends Leased>(
  store: Store,
  queue: Queue,
  { lease, limit, where = '', values = [] }: LeaseTerms,
): Promise<Row[]> {
  const now = store.now();
  const next = values.length + 1;
  const isUsedUp = `CASE WHEN attempts > ${PAUSES_MS.length} THEN`;
  const rows = await store.all<Row & { due_at: number; failed_at: number | null }>(
    `UPDATE ${queue} SET leased_until = $${next}, attempts = attempts + 1, tried_at = $${next + 1},
       failed_at = ${isUsedUp} $${next + 1} END, error = ${isUsedUp} 'the gateway ended during the last attempt' ELSE error END
     WHERE id IN (
       SELECT id FROM ${queue}
       WHERE done_at IS NULL AND failed_at IS NULL AND due_at <= $${next + 1} AND leased_until <= $${next + 1} ${where && `AND (${where})`}
       ORDER BY due_at, id LIMIT $${next + 2} ${store.skipLocked}
     )
     RETURNING *`,
    [...values, now + lease, now, limit],
  );
  const held = rows.filter((row) => row.failed_at === null);
  return held.sort((a, b) => a.due_at - b.due_at || (a.id < b.id ? -1 : 1));
}

/** Ends a lease. @param change with parameters from `$3` on, and their values @returns whether the row was still held */
async function settle(
  sql: Sql,
  queue: Queue,
  { id, leased_until }: Leased,
  [change, ...values]: [change: string, ...values: Value[]],
): Promise<boolean> {
  const held = 'id = $1 AND leased_until = $2 AND done_at IS NULL AND failed_at IS NULL';
  return (await sql.run(`UPDATE ${queue} SET ${change} WHERE ${held}`, [id, leased_until, ...values])) > 0;
}

/**
 * Ends a lease because the work is done. In a transaction with the results of the work, nothing is done twice.
 *
 * @returns whether the row was still held; false if the lease has ended and another process may hold it, or the row was deleted
 */
export function complete(sql: Sql, queue: Queue, row: Leased): Promise<boolean> {
  return settle(sql, queue, row, ['done_at = $3, error = NULL', sql.now()]);
}

/** The work of a lease failed. */
interface Failure {
  error: string;
  /** Whether there are no further attempts. */
  isFinal?: boolean;
  /** The shortest pause before the next attempt, in ms. */
  retryAfter?: number | undefined;
}

/** Ends a lease because the work failed: it is tried again after a pause, or given up. */
export async function fail(
  sql: Sql,
  queue: Queue,
  row: Leased,
  { error, isFinal = false, retryAfter = 0 }: Failure,
): Promise<void> {
  const pause = isFinal ? undefined : PAUSES_MS[row.attempts - 1];
  const ended = pause === undefined ? 'failed_at' : 'due_at';
  const wait = Math.max(pause ?? 0, retryAfter) * (1 + JITTER * Math.random());
  const at = sql.now() + (pause === undefined ? 0 : Math.ceil(wait));
  await settle(sql, queue, row, [`${ended} = $3, leased_until = 0, error = $4`, at, error]);
}

/** Ends a lease without counting an attempt: the gateway stops, or waits for its operator. */
export async function giveBack(sql: Sql, queue: Queue, row: Leased, due: number): Promise<void> {
  await settle(sql, queue, row, ['due_at = $3, leased_until = 0, attempts = attempts - 1', due]);
}
