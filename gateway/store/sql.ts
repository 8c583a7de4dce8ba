/**
 * The store: everything that outlives a gateway or is shared by several, in SQL tables (`schema.sql`). Two engines run the same statements:
 * SQLite in a folder (`sqlite.ts`), and PostgreSQL for many machines (`postgres.ts`). `open.ts` opens either by its address.
 *
 * How to use it:
 *
 * - A room keeps its statements in one module, as functions that take an `Sql` first: `sessions.ts` beside the pages of sessions, `keys.ts`
 *   here. An `Sql` is a store or a transaction, so such functions can be combined in one transaction.
 *
 *       export async function findSession(sql: Sql, hash: string): Promise<SessionRow | undefined> {
 *         return await sql.get<SessionRow>('SELECT * FROM sessions WHERE hash = $1 AND ends_at > $2', [hash, sql.now()]);
 *       }
 *
 *       await store.transaction(async (sql) => {
 *         await removeLink(sql, hash);
 *         await beginSession(sql, account);
 *       });
 *
 * - A transaction runs as if it were alone (SERIALIZABLE). When another one interferes, its function is called again, so it must do nothing
 *   but read and write with the `Sql` that it gets. Using the store itself in it waits forever.
 * - Single statements need no transaction. Prefer one statement that decides: `INSERT … ON CONFLICT DO NOTHING`, `UPDATE … WHERE …
 *   RETURNING`, `DELETE … RETURNING`. `run` returns how many rows were changed.
 * - SQL that both engines have: parameters `$1`, `$2`, …; TEXT and BIGINT only, no booleans (use a nullable time); `ON CONFLICT (…) DO
 *   UPDATE SET a = excluded.a`; `CASE` and `coalesce`, not `max(a, b)` or `greatest`; `CAST(x AS BIGINT)`; `LIMIT $n`; no `ILIKE`, no JSON
 *   functions, no `now()`. A parameter that stands alone in a SELECT needs a CAST. Sort texts only by ASCII columns.
 * - Times are milliseconds since 1970 from `sql.now()`, the clock that all gateways on a store share. Rows have an end (`ends_at`), and
 *   every statement that reads them compares it: `sweep` removes what has ended, some time later.
 * - Deleting an account deletes what refers to it (`ON DELETE CASCADE`).
 * - What changes a key, an account's tier, or an origin calls `changeRevision(sql)` in the same transaction: gateways read keys again.
 * - Queues are rows that `queues.ts` leases. Secrets that must be readable are sealed by `secrets.ts`.
 * - When a store does not respond or cannot be written, everything rejects with a `StoreError`; pages show 503 with Retry-After.
 * - A module's test runs on both engines: `onEachEngine` in test/gateway/store/engines.ts.
 */
import { randomInt, randomUUID } from 'node:crypto';

/** The value of a parameter in a statement. */
export type Value = string | number | null;

/** Runs statements: on a store, or in a transaction. */
export interface Sql {
  /** The key of secrets.ts, which encrypts and makes keyed hashes. */
  readonly secretKey: Buffer;
  /** ms since 1970, by a clock that all processes on the store share. Corrections of less than a second do not turn it back. */
  now(): number;
  /** @returns the first row; undefined if there is none. @typeParam Row of the SELECT; not checked */
  get<Row>(sql: string, values?: readonly Value[]): Promise<Row | undefined>;
  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /** @returns the number of changed rows */
  run(sql: string, values?: readonly Value[]): Promise<number>;
}

export interface Store extends Sql {
  /** For statements that a request waits for: they fail within `waitMs`. A power failure may lose the last writes, the end of a process does not. */
  readonly fast: Sql;
  /** The end of a SELECT that leases rows, which makes other processes skip them. */
  readonly skipLocked: string;
  /** The address without its password, for messages. */
  readonly name: string;
  /** Runs statements as if they were alone. @throws StoreError also if conflicts with others last for 10 seconds */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Changes tables in a transaction. */
  migrate(work: Migration): Promise<void>;
  close(): Promise<void>;
}

/** @param exec runs statements without values, separated by semicolons */
export type Migration = (sql: Sql, exec: (text: string) => Promise<unknown>) => Promise<void>;

export interface StoreOptions {
  /** ms since 1970; for tests. By default the clock of the machine or of the database server. */
  now?: (() => number) | undefined;
  /** How long a request waits for the store, in ms. */
  waitMs?: number | undefined;
  /** 32 bytes as base64; by default GATEWAY_SECRET_KEY, or for a folder the file `secret.key` in it. */
  secretKey?: string | undefined;
}

export const WAIT_MS = 2000;

/** 32 bytes as base64. */
export const KEY_FORM = /^[A-Za-z0-9+/]{43}=$/;

/** The store cannot be opened, read or written. The message is one line and says what to do. */
export class StoreError extends Error {
  override name = 'StoreError';
}

/** Returns a store's address without its password, for messages: neither the one before the host nor one in the query. */
export function nameStore(address: string): string {
  return address.replace(/(:\/\/[^@/:]*):(?:[^?]*|[^/]*)@/, '$1@').replace(/\?.*/s, '');
}

/** How long a transaction that conflicts with others is repeated, and the longest pause between two attempts. */
const PATIENCE_MS = 10_000;
const MAX_PAUSE_MS = 20;

/**
 * Repeats work while another process blocks it.
 *
 * @param isBusy returns whether an error means that
 */
export async function persist<T>(
  work: () => Promise<T> | T,
  isBusy: (error: unknown) => boolean,
  patience = PATIENCE_MS,
): Promise<T> {
  for (const end = performance.now() + patience; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > end)
        throw new StoreError('too many processes change the store at once; try again', { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * MAX_PAUSE_MS));
  }
}

/** A number that grows with each change that this process makes, so that it sees its own changes at once. */
export let ownChanges = 0;

/** Makes all gateways read keys and accounts again, within a second after the transaction ends. */
export async function changeRevision(sql: Sql): Promise<void> {
  ownChanges += 1;
  // A row per change: transactions that update the same row would block each other.
  await sql.run('INSERT INTO revisions (id, mark, at) VALUES ($1, $2, $3)', [
    randomUUID(),
    randomInt(2 ** 31),
    sql.now(),
  ]);
}

/** Returns a text that changes with every call of `changeRevision`. */
export async function readRevision(sql: Sql): Promise<string> {
  const row = await sql.get<{ count: number; sum: number }>(
    'SELECT count(*) AS count, coalesce(sum(mark), 0) AS sum FROM revisions',
  );
  return `${row?.count} ${row?.sum}`;
}
