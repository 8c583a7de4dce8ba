// The engine for PostgreSQL, which many machines can share.
// Two pools of connections: `fast` for what requests wait for, which gives up after `waitMs`, and `patient` for everything else.
// Transactions are SERIALIZABLE; one that conflicts with another is run again. Statements are prepared per connection.
// `now()` is the server's clock: its difference to this machine's clock is read every few seconds.
// Failures of the server or network become a StoreError; a wrong statement stays an exception, because it is a bug.
import { userInfo } from 'node:os';
import pg from 'pg';
import { steady } from '../data/clock.ts';
import {
  type Migration,
  nameStore,
  persist,
  type Sql,
  type Store,
  StoreError,
  type StoreOptions,
  type Value,
  WAIT_MS,
} from './sql.ts';

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

/**
 * Opens a store on a PostgreSQL server.
 *
 * @param address postgres://user:password@host:port/database
 * @throws StoreError when it does not respond
 */
export async function openPostgres(address: string, options: StoreOptions): Promise<Store> {
  const store = new PostgresStore(address, options);
  try {
    await store.readClock();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Runs statements on a pool, or on the connection of a transaction. */
class Runner implements Sql {
  readonly name: string;
  readonly now: () => number;
  readonly #secretKey: string | undefined;
  readonly #client: pg.Pool | pg.PoolClient;

  constructor(
    client: pg.Pool | pg.PoolClient,
    name: string,
    now: () => number,
    secretKey: string | undefined,
  ) {
    this.name = name;
    this.now = now;
    this.#secretKey = secretKey;
    this.#client = client;
  }

  get secretKey(): Buffer {
    if (this.#secretKey !== undefined) return Buffer.from(this.#secretKey, 'base64');
    throw new StoreError(
      `the store ${this.name} needs a key for its secrets, the same for all gateways; set GATEWAY_SECRET_KEY to what openssl rand -base64 32 prints`,
    );
  }

  /** Returns one that runs statements elsewhere. */
  on(client: pg.Pool | pg.PoolClient): Runner {
    return new Runner(client, this.name, this.now, this.#secretKey);
  }

  async get<Row>(sql: string, values: readonly Value[] = []): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0] as Row | undefined;
  }

  async all<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return (await this.#query(sql, values)).rows as Row[];
  }

  async run(sql: string, values: readonly Value[] = []): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  async #query(text: string, values: readonly Value[]): Promise<pg.QueryResult> {
    return await this.#client
      .query({ name: nameStatement(text), text, values: [...values] })
      .catch((error: unknown) => {
        throw explain(error, this.name);
      });
  }
}

class PostgresStore extends Runner implements Store {
  readonly skipLocked = 'FOR UPDATE SKIP LOCKED';
  readonly fast: Sql;
  readonly #fast: pg.Pool;
  readonly #patient: pg.Pool;
  readonly #timer: NodeJS.Timeout;
  readonly #clock: { ahead: number };

  constructor(address: string, { now, waitMs = WAIT_MS, secretKey }: StoreOptions) {
    /** How far the server's clock is ahead of this machine's, in ms. */
    const clock = { ahead: 0 };
    const patient = makePool(address, CONNECTIONS.patient, PATIENT_MS);
    super(patient, nameStore(address), steady(now ?? (() => Date.now() + clock.ahead)), secretKey);
    this.#clock = clock;
    this.#patient = patient;
    this.#fast = makePool(address, CONNECTIONS.fast, waitMs, '-c synchronous_commit=off');
    this.fast = this.on(this.#fast);
    this.#timer = setInterval(() => this.readClock().catch(() => {}), CLOCK_MS).unref();
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#transact((sql) => work(sql), CONFLICTS);
  }

  async migrate(work: Migration): Promise<void> {
    const again = [...CONFLICTS, ...RACES];
    await this.#transact((sql, client) => work(sql, (text) => client.query(text)), again);
  }

  async backup(): Promise<void> {
    throw new StoreError(`back up ${this.name} with pg_dump`);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#fast, this.#patient].map((pool) => (pool.ended ? undefined : pool.end())));
  }

  async readClock(): Promise<void> {
    const before = Date.now();
    const row = await this.get<{ at: number }>(
      'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS at',
    );
    this.#clock.ahead = (row?.at ?? before) - (before + Date.now()) / 2;
  }

  /** @param again codes of errors after which the transaction is repeated */
  async #transact<T>(
    work: (sql: Sql, client: pg.PoolClient) => Promise<T>,
    again: readonly string[],
  ): Promise<T> {
    const attempt = async () => {
      const client = await this.#patient.connect().catch((error: unknown) => {
        throw explain(error, this.name);
      });
      const sql = this.on(client);
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
    const isConflict = (error: unknown) =>
      again.includes(codeOf(error instanceof StoreError ? error.cause : error));
    return await persist(attempt, isConflict);
  }
}

/** Statement → the name under which each connection prepares it. */
const statements = new Map<string, string>();

function nameStatement(text: string): string {
  let name = statements.get(text);
  if (name === undefined) {
    name = `s${statements.size}`;
    statements.set(text, name);
  }
  return name;
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

/** The error classes of PostgreSQL for a wrong statement or a broken constraint, which are bugs. */
const BUGS = /^(?:2[0-7]|42|0A)/;

/** Turns a failure of the server or network into an error that says what to do. A bug stays unchanged. */
function explain(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  if (error instanceof pg.DatabaseError && BUGS.test(codeOf(error))) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  // Node.js gives no message if none of a host's addresses responds.
  const reason = error.message || codeOf(error);
  return new StoreError(`the store ${name} does not respond: ${reason}; check the server and the network`, {
    cause: error,
  });
}
