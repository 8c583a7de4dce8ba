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
const CONFLICTS = new Set(['40001', '40P01']);
/** Two processes created the tables at the same time. */
const RACES = new Set(['23505', '42P07', '42710']);

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

/** What the connections of a store share. */
class Server {
  readonly name: string;
  readonly now: () => number;
  /** How far the server's clock is ahead of this machine's, in ms. */
  ahead = 0;
  readonly #secretKey: string | undefined;

  constructor(address: string, { now, secretKey }: StoreOptions) {
    this.name = nameStore(address);
    this.now = steady(now ?? (() => Date.now() + this.ahead));
    this.#secretKey = secretKey;
  }

  get secretKey(): Buffer {
    if (this.#secretKey !== undefined) return Buffer.from(this.#secretKey, 'base64');
    throw new StoreError(
      `the store ${this.name} needs a key for its secrets, the same for all gateways; set GATEWAY_SECRET_KEY to what openssl rand -base64 32 prints`,
    );
  }
}

/** Runs statements on a pool, or on the connection of a transaction. */
class Runner implements Sql {
  readonly name: string;
  readonly now: () => number;
  readonly #server: Server;
  readonly #client: pg.Pool | pg.PoolClient;
  readonly #passed: ReadonlySet<string>;

  /** @param passed codes of errors that the caller handles itself */
  constructor(server: Server, client: pg.Pool | pg.PoolClient, passed: ReadonlySet<string> = new Set()) {
    this.name = server.name;
    this.now = server.now;
    this.#server = server;
    this.#client = client;
    this.#passed = passed;
  }

  get secretKey(): Buffer {
    return this.#server.secretKey;
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
    try {
      return await this.#client.query({ name: nameStatement(text), text, values: [...values] });
    } catch (error) {
      throw this.#passed.has(codeOf(error)) ? error : explain(error, this.name);
    }
  }
}

class PostgresStore extends Runner implements Store {
  readonly skipLocked = 'FOR UPDATE SKIP LOCKED';
  readonly fast: Sql;
  readonly #server: Server;
  readonly #pools: readonly pg.Pool[];
  readonly #patient: pg.Pool;
  readonly #timer: NodeJS.Timeout;

  constructor(address: string, options: StoreOptions) {
    const server = new Server(address, options);
    const patient = makePool(address, CONNECTIONS.patient, PATIENT_MS);
    super(server, patient);
    this.#server = server;
    this.#patient = patient;
    const fast = makePool(address, CONNECTIONS.fast, options.waitMs ?? WAIT_MS, '-c synchronous_commit=off');
    this.#pools = [fast, patient];
    this.fast = new Runner(server, fast);
    this.#timer = setInterval(() => this.readClock().catch(() => {}), CLOCK_MS).unref();
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return await this.#transact((sql) => work(sql), CONFLICTS);
  }

  async migrate(work: Migration): Promise<void> {
    const again = new Set([...CONFLICTS, ...RACES]);
    await this.#transact((sql, client) => work(sql, (text) => client.query(text)), again);
  }

  async backup(): Promise<void> {
    throw new StoreError(`back up ${this.name} with pg_dump`);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#pools.map((pool) => (pool.ended ? undefined : pool.end())));
  }

  async readClock(): Promise<void> {
    const before = Date.now();
    const row = await this.get<{ at: number }>(
      'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS at',
    );
    this.#server.ahead = (row?.at ?? before) - (before + Date.now()) / 2;
  }

  /** @param again codes of errors after which the transaction is repeated */
  async #transact<T>(
    work: (sql: Sql, client: pg.PoolClient) => Promise<T>,
    again: ReadonlySet<string>,
  ): Promise<T> {
    const attempt = async () => {
      const client = await this.#patient.connect().catch((error: unknown) => {
        throw explain(error, this.name);
      });
      const sql = new Runner(this.#server, client, again);
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
    return await persist(attempt, (error) => again.has(codeOf(error)));
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
