// The engine for one machine: SQLite in a folder, in WAL mode.
// Each process has two connections. One writes: its commits are on disk when they return, and its transactions run one after another. The other reads
// what is committed and counts requests, without waiting for the disk.
// The folder and its files are readable only by their owner.
// A process that finds its file removed or replaced fails every statement, instead of writing into a file that nobody can find.
// Locks of other processes are waited for; failures become a StoreError that says what to do.
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { errorOf } from '../../scripts/system.ts';
import { steady } from '../data/clock.ts';
import * as base from './sql.ts';

/** The names of the files in a store's folder. */
export const DATA_FILE = 'store.sqlite';
export const KEY_FILE = 'secret.key';

/** How often the existence of the open file is checked. */
const CHECK_MS = 1000;
/** How long opening waits for another process that opens or closes the file. */
const OPENING_MS = 5000;

/** Another process holds a lock, so that the work can be repeated. */
class BusyError extends base.StoreError {}

const isBusy = (error: unknown) => error instanceof BusyError;

/** Opens the store in a folder, and creates the folder if it is missing. @throws StoreError */
export async function openSqlite(folder: string, options: base.StoreOptions): Promise<base.Store> {
  return await base.persist(() => new SqliteStore(folder, options), isBusy, OPENING_MS);
}

class SqliteStore implements base.Store {
  readonly name: string;
  readonly skipLocked = '';
  readonly fast: Connection;
  readonly now: () => number;
  readonly #writer: Connection;
  #secretKey: Buffer | undefined;
  /** Resolves when no transaction is open. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, { now = Date.now, waitMs = base.WAIT_MS, secretKey }: base.StoreOptions) {
    this.name = folder;
    this.now = steady(now);
    this.#secretKey = secretKey === undefined ? undefined : Buffer.from(secretKey, 'base64');
    const file = makePrivate(folder, secretKey === undefined);
    this.#writer = new Connection(this, file, 'FULL', OPENING_MS);
    try {
      this.fast = new Connection(this, file, 'NORMAL', waitMs);
    } catch (error) {
      this.#writer.close();
      throw error;
    }
  }

  get secretKey(): Buffer {
    this.#secretKey ??= readKey(this.name);
    return this.#secretKey;
  }

  get<Row>(sql: string, values?: readonly base.Value[]): Promise<Row | undefined> {
    return isQuery(sql) ? this.fast.get(sql, values) : this.#inTurn(() => this.#writer.get<Row>(sql, values));
  }

  all<Row>(sql: string, values?: readonly base.Value[]): Promise<Row[]> {
    return isQuery(sql) ? this.fast.all(sql, values) : this.#inTurn(() => this.#writer.all<Row>(sql, values));
  }

  run(sql: string, values?: readonly base.Value[]): Promise<number> {
    return this.#inTurn(() => this.#writer.run(sql, values));
  }

  transaction<T>(work: (sql: base.Sql) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#writer.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(this.#writer);
        await this.#writer.exec('COMMIT');
        return result;
      } catch (error) {
        this.#writer.rollBack();
        throw error;
      }
    });
  }

  async migrate(work: base.Migration): Promise<void> {
    await this.transaction((sql) => work(sql, (text) => this.#writer.exec(text)));
  }

  async close(): Promise<void> {
    await this.#turn;
    this.fast.close();
    this.#writer.close();
  }

  /** Runs work after the transactions that were requested earlier. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }
}

/** A connection to the file. It is synchronous: only waiting for another process takes time. */
class Connection implements base.Sql {
  readonly now: () => number;
  readonly #store: Pick<base.Store, 'name' | 'now' | 'secretKey'>;
  readonly #file: string;
  readonly #inode: number | undefined;
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #waitMs: number;
  #checkedAt = performance.now();
  #isGone = false;

  constructor(
    store: Pick<base.Store, 'name' | 'now' | 'secretKey'>,
    file: string,
    synchronous: 'FULL' | 'NORMAL',
    waitMs: number,
  ) {
    this.#store = store;
    this.now = store.now;
    this.#file = file;
    this.#waitMs = waitMs;
    this.#database = this.#explain(() => new DatabaseSync(file, { timeout: 0 }));
    try {
      const { journal_mode: mode } = this.#explain(() => {
        this.#database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`);
        return this.#database.prepare('PRAGMA journal_mode = WAL').get();
      });
      if (mode !== 'wal')
        throw refuse(store.name, 'its file system has no shared memory; name a folder on a local disk');
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#inode = inodeOf(file);
  }

  get secretKey(): Buffer {
    return this.#store.secretKey;
  }

  get<Row>(sql: string, values: readonly base.Value[] = []): Promise<Row | undefined> {
    return this.#do(() => this.#prepare(sql).get(...values) as Row | undefined);
  }

  all<Row>(sql: string, values: readonly base.Value[] = []): Promise<Row[]> {
    return this.#do(() => this.#prepare(sql).all(...values) as Row[]);
  }

  run(sql: string, values: readonly base.Value[] = []): Promise<number> {
    return this.#do(() => Number(this.#prepare(sql).run(...values).changes));
  }

  exec(sql: string): Promise<void> {
    return this.#do(() => this.#database.exec(sql));
  }

  rollBack(): void {
    // After some failures, SQLite has already ended the transaction.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
    this.#isGone = true;
  }

  /** Does work, and repeats it while another process has locked the file. */
  async #do<T>(work: () => T): Promise<T> {
    const attempt = () => {
      this.#checkFile();
      return this.#explain(work);
    };
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return await base.persist(attempt, isBusy, this.#waitMs);
    }
  }

  /** If the file was removed or replaced, a process could keep using the old one and lose all that it writes. */
  #checkFile(): void {
    const now = performance.now();
    if (!this.#isGone && now - this.#checkedAt > CHECK_MS) {
      this.#checkedAt = now;
      this.#isGone = inodeOf(this.#file) !== this.#inode;
    }
    if (this.#isGone)
      throw new base.StoreError(
        `the store in ${this.#store.name} was closed, removed or replaced; start this process again`,
      );
  }

  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql.replaceAll(/\$(\d)/g, '?$1'));
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #explain<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explain(error, this.#store.name);
    }
  }
}

const isQuery = (sql: string): boolean => sql.startsWith('SELECT');

/** Creates the folder, the file and its key, readable only by their owner. @returns the file */
function makePrivate(folder: string, needsKey: boolean): string {
  const file = join(folder, DATA_FILE);
  try {
    mkdirSync(dirname(folder), { recursive: true });
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    // SQLite would create it readable by others.
    writeFileSync(file, '', { flag: 'a', mode: 0o600 });
    // Only a new store gets a key: one that has content has a key already, which another one must not replace.
    if (needsKey && statSync(file).size === 0) makeKey(join(folder, KEY_FILE));
    return file;
  } catch (error) {
    throw refuse(folder, `${errorOf(error).message}; name a folder that this user can write`, error);
  }
}

/** Creates the secret key, unless it exists. It gets its name when it is on the disk: nobody reads a part of it, and of several processes one makes it. */
function makeKey(file: string): void {
  const temporary = `${file}.${randomUUID()}`;
  try {
    writeFileSync(temporary, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
    linkSync(temporary, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readKey(folder: string): Buffer {
  const file = join(folder, KEY_FILE);
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (base.KEY_FORM.test(text)) return Buffer.from(text, 'base64');
  throw refuse(folder, `its ${KEY_FILE} is missing or damaged; copy it back, or set GATEWAY_SECRET_KEY`);
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function refuse(folder: string, reason: string, cause?: unknown): base.StoreError {
  return new base.StoreError(`cannot open the store in ${folder}: ${reason}`, { cause });
}

/** Turns a failure of SQLite into an error that says what to do. A wrong statement or a broken constraint is a bug, and stays unchanged. */
function explain(error: unknown, folder: string): unknown {
  const { code, errcode = 10, message } = error as Error & { code?: string; errcode?: number };
  // The primary result code of SQLite.
  const reason = errcode & 0xff;
  if (code !== 'ERR_SQLITE_ERROR') return error;
  // The driver reports some locks without a code, mostly while the file of a killed process is recovered.
  const isBusy = /^database (?:table )?is locked/.test(message) || reason === 5 || reason === 6;
  if (!isBusy && (reason === 1 || reason === 19)) return error;
  const isDamaged = reason === 11 || reason === 26;
  const advice = isBusy
    ? 'is locked by another process; try again'
    : isDamaged
      ? `is damaged (${message}); restore a backup with gateway store restore <file> --store ${folder}`
      : `failed: ${message}; check its owner and permissions, and whether its disk is full or failing`;
  const Failure = isBusy ? BusyError : base.StoreError;
  return new Failure(`${DATA_FILE} of the store in ${folder} ${advice}`, { cause: error });
}
