// The engine for PostgreSQL, which many machines can share.
// Two pools of connections: `fast` for what requests wait for, which gives up after `waitMs`, and `patient` for everything else.
// Transactions are SERIALIZABLE; one that conflicts with another is run again. Statements are prepared per connection.
// `now()` is the server's clock: its difference to this machine's clocks is read every few seconds. It does not go back with that of the machine.
// Failures of the server or network become a StoreError; a wrong statement stays an exception, because it is a bug.
import { hash } from 'node:crypto';
import { userInfo } from 'node:os';
import pg from 'pg';
import { steady } from '../data/clock.ts';
import * as base from './sql.ts';

/** How long work that no request waits for waits for the server. */
const PATIENT_MS = 5000;
/** How many connections of each kind a process may have. */
const CONNECTIONS = { fast: 4, patient: 6 };
/** How often the server's clock is read. */
const CLOCK_MS = 10_000;

/** Reads BIGINT and NUMERIC as numbers: all of them are below 2^53. */
const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** Two transactions conflicted: the later one must be repeated. */
const CONFLICTS = ['40001', '40P01'];
/** Two processes created the tables at the same time. */
const RACES = ['23505', '42P07', '42710'];

/** What statements need besides a connection. */
interface About {
  name: string;
  now: () => number;
  secretKey: string | undefined;
}

/** Runs statements on a pool, or on the connection of a transaction. */
function runOn(client: pg.Pool | pg.PoolClient, { name, now, secretKey }: About): base.Sql {
  const query = (text: string, values: readonly base.Value[] = []): Promise<pg.QueryResult> =>
    // Each connection prepares it under this name, which is cut after 63 characters.
    client.query({ name: hash('sha1', text), text, values: [...values] }).catch((error: unknown) => {
      throw explain(error, name);
    });
  return {
    now,
    get secretKey() {
      if (secretKey !== undefined) return Buffer.from(secretKey, 'base64');
      throw new base.StoreError(
        `the store ${name} needs a key for its secrets, the same for all gateways; set GATEWAY_SECRET_KEY to what openssl rand -base64 32 prints`,
      );
    },
    get: async <Row>(sql: string, values?: readonly base.Value[]) =>
      (await query(sql, values)).rows[0] as Row | undefined,
    all: async <Row>(sql: string, values?: readonly base.Value[]) => (await query(sql, values)).rows as Row[],
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
  };
}

/**
 * Opens a store on a PostgreSQL server.
 *
 * @param address postgres://user:password@host:port/database
 * @throws StoreError when it does not respond
 */
export async function openPostgres(address: string, options: base.StoreOptions): Promise<base.Store> {
  const { waitMs = base.WAIT_MS, secretKey } = options;
  const name = base.nameStore(address);
  /** How far the server's clock is ahead of this machine's, in ms: of the one that can be set back, and of the one that stops while the machine sleeps. */
  const ahead = { date: 0, performance: 0 };
  const clock = () => Math.max(Date.now() + ahead.date, performance.now() + ahead.performance);
  const now = steady(options.now ?? clock);
  const about = { name, now, secretKey };
  const pools = {
    patient: makePool(address, CONNECTIONS.patient, PATIENT_MS),
    fast: makePool(address, CONNECTIONS.fast, waitMs, '-c synchronous_commit=off'),
  };
  const patient = runOn(pools.patient, about);
  const readClock = async () => {
    const before = performance.now();
    const row = await patient.get<{ at: number }>(
      'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS at',
    );
    const at = Number(row?.at) + (performance.now() - before) / 2;
    Object.assign(ahead, { date: at - Date.now(), performance: at - performance.now() });
  };
  const timer = setInterval(() => readClock().catch(() => {}), CLOCK_MS).unref();
  /** @param again codes of errors after which the transaction is repeated */
  const transact = async <T>(
    work: (sql: base.Sql, client: pg.PoolClient) => Promise<T>,
    again: readonly string[] = CONFLICTS,
  ): Promise<T> => {
    const attempt = async () => {
      const client = await pools.patient.connect().catch((error: unknown) => {
        throw explain(error, name);
      });
      const sql = runOn(client, about);
      let isBroken = false;
      try {
        await sql.run('BEGIN ISOLATION LEVEL SERIALIZABLE');
        const result = await work(sql, client);
        await sql.run('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {
          isBroken = true;
        });
        throw error;
      } finally {
        client.release(isBroken);
      }
    };
    const codeOfCause = (error: unknown) => codeOf(error instanceof base.StoreError ? error.cause : error);
    return await base.persist(attempt, (error) => again.includes(codeOfCause(error)));
  };
  const close = async () => {
    clearInterval(timer);
    await Promise.all(Object.values(pools).map((pool) => (pool.ended ? undefined : pool.end())));
  };
  const store: base.Store = Object.assign(patient, {
    name,
    close,
    fast: runOn(pools.fast, about),
    skipLocked: 'FOR UPDATE SKIP LOCKED',
    transaction: <T>(work: (sql: base.Sql) => Promise<T>) => transact(work),
    migrate: (work: base.Migration) =>
      transact((sql, client) => work(sql, (text) => client.query(text)), [...CONFLICTS, ...RACES]),
  });
  try {
    await readClock();
    return store;
  } catch (error) {
    await close();
    throw error;
  }
}

function makePool(address: string, max: number, waitMs: number, options?: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: address,
    ...(/^\w+:\/\/[^/@]*\//.test(address) && { user: userInfo().username }),
    max,
    connectionTimeoutMillis: waitMs,
    query_timeout: waitMs,
    keepAlive: true,
    application_name: 'gateway',
    types: TYPES,
    ...(options && { options }),
  });
  // A closed connection fails the statement that uses it or the next one; a new connection replaces it.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The error classes of PostgreSQL for a wrong statement or a broken constraint, which are bugs; not 25, of a server that became read-only. */
const BUGS = /^(?:2[0-46-7]|42|0A)/;

/** Turns a failure of the server or network into an error that says what to do. A bug stays unchanged. */
function explain(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof base.StoreError) return error;
  if (error instanceof pg.DatabaseError && BUGS.test(codeOf(error))) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  // Node.js gives no message if none of a host's addresses responds.
  const reason = error.message || codeOf(error);
  return new base.StoreError(
    `the store ${name} does not respond: ${reason}; check the server and the network`,
    { cause: error },
  );
}
