// The engine for one machine: SQLite in a folder, in WAL mode.
// Each process has two connections. One writes: its commits are on disk when they return, and its transactions run one after another. The other reads
// what is committed and counts requests, without waiting for the disk.
// The folder and its files are readable only by their owner.
// A process that finds its file removed or replaced fails every statement, instead of writing into a file that nobody can find.
// Locks of other processes are waited for; failures become a StoreError that says what to do.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { steady } from '../data/clock.ts';
import {
  type Migration,
  persist,
  type Sql,
  type Store,
  StoreError,
  type StoreOptions,
  type Value,
  WAIT_MS,
} from './sql.ts';

/** The names of the files in a store's folder. */
export const DATA_FILE = 'store.sqlite';
export const KEY_FILE = 'secret.key';

/** How often the existence of the open file is checked. */
const CHECK_MS = 1000;
/** How long opening waits for another process that opens or closes the file. */
const OPENING_MS = 5000;

/** The primary result codes of SQLite, the low byte of an error's `errcode`. */
const CODE = { BUSY: 5, LOCKED: 6, READONLY: 8, CORRUPT: 11, CANTOPEN: 14, CONSTRAINT: 19, NOTADB: 26 };

const isBusy = (error: unknown) => error instanceof StoreError && error.isBusy;

/** Opens the store in a folder, and creates the folder if it is missing. @throws StoreError */
export async function openSqlite(folder: string, options: StoreOptions): Promise<Store> {
  return await persist(() => new SqliteStore(folder, options), isBusy, OPENING_MS);
}

class SqliteStore implements Store {
  readonly name: string;
  readonly skipLocked = '';
  readonly fast: Connection;
  readonly now: () => number;
  readonly #writer: Connection;
  #secretKey: Buffer | undefined;
  /** Resolves when no transaction is open. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, { now = Date.now, waitMs = WAIT_MS, secretKey }: StoreOptions) {
    this.name = folder;
    this.now = steady(now);
    this.#secretKey = secretKey === undefined ? undefined : Buffer.from(secretKey, 'base64');
    const file = makePrivate(folder);
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

  get<Row>(sql: string, values?: readonly Value[]): Promise<Row | undefined> {
    return isQuery(sql)
      ? this.fast.get<Row>(sql, values)
      : this.#inTurn(() => this.#writer.get<Row>(sql, values));
  }

  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]> {
    return isQuery(sql)
      ? this.fast.all<Row>(sql, values)
      : this.#inTurn(() => this.#writer.all<Row>(sql, values));
  }

  run(sql: string, values?: readonly Value[]): Promise<number> {
    return this.#inTurn(() => this.#writer.run(sql, values));
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
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

  async migrate(work: Migration): Promise<void> {
    await this.transaction((sql) => work(sql, (text) => this.#writer.exec(text)));
  }

  async backup(file: string): Promise<void> {
    if (existsSync(file)) throw new StoreError(`${file} exists; name a new file`);
    await this.fast.run('VACUUM INTO $1', [file]);
    chmodSync(file, 0o600);
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
class Connection implements Sql {
  readonly now: () => number;
  readonly #store: Pick<Store, 'name' | 'now' | 'secretKey'>;
  readonly #folder: string;
  readonly #file: string;
  readonly #inode: number | undefined;
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #waitMs: number;
  #checkedAt = performance.now();
  #isGone = false;

  constructor(
    store: Pick<Store, 'name' | 'now' | 'secretKey'>,
    file: string,
    synchronous: 'FULL' | 'NORMAL',
    waitMs: number,
  ) {
    this.#store = store;
    this.now = store.now;
    this.#folder = store.name;
    this.#file = file;
    this.#waitMs = waitMs;
    this.#database = this.#explain(() => new DatabaseSync(file, { timeout: 0 }));
    try {
      this.#explain(() => {
        this.#database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON`);
        const { journal_mode: mode } = this.#database.prepare('PRAGMA journal_mode = WAL').get();
        if (mode !== 'wal')
          throw refuse(this.#folder, 'its file system has no shared memory; name a folder on a local disk');
      });
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#inode = inodeOf(file);
  }

  get secretKey(): Buffer {
    return this.#store.secretKey;
  }

  async get<Row>(sql: string, values: readonly Value[] = []): Promise<Row | undefined> {
    return await this.#do(() => this.#prepare(sql).get(...values) as Row | undefined);
  }

  async all<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return await this.#do(() => this.#prepare(sql).all(...values) as Row[]);
  }

  async run(sql: string, values: readonly Value[] = []): Promise<number> {
    return await this.#do(() => Number(this.#prepare(sql).run(...values).changes));
  }

  async exec(sql: string): Promise<void> {
    await this.#do(() => this.#database.exec(sql));
  }

  rollBack(): void {
    // After some failures, SQLite has already ended the transaction.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
    this.#isGone = true;
  }

  #do<T>(work: () => T): T | Promise<T> {
    try {
      return this.#attempt(work);
    } catch (error) {
      if (!isBusy(error) || this.#waitMs === 0) throw error;
      return persist(() => this.#attempt(work), isBusy, this.#waitMs);
    }
  }

  #attempt<T>(work: () => T): T {
    this.#checkFile();
    return this.#explain(work);
  }

  /** If the file was removed or replaced, a process could keep using the old one and lose all that it writes. */
  #checkFile(): void {
    const now = performance.now();
    if (!this.#isGone && now - this.#checkedAt > CHECK_MS) {
      this.#checkedAt = now;
      this.#isGone = inodeOf(this.#file) !== this.#inode;
    }
    if (this.#isGone)
      throw new StoreError(
        `the store in ${this.#folder} was closed, removed or replaced; start this process again`,
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
      throw explain(error, this.#folder);
    }
  }
}

function isQuery(sql: string): boolean {
  return sql.startsWith('SELECT');
}

const REASONS: Record<string, string> = {
  EACCES: 'permission denied; run this as the user who owns it, or name another folder',
  EPERM: 'permission denied; run this as the user who owns it, or name another folder',
  EROFS: 'it is read-only; name another folder',
  ENOENT: 'it cannot be created there; name another folder',
  ENOTDIR: 'it is not a folder; name a folder',
  EEXIST: 'it is not a folder; name a folder',
};

/** Creates the folder and the file, readable only by their owner. @returns the file */
function makePrivate(folder: string): string {
  const file = join(folder, DATA_FILE);
  try {
    mkdirSync(dirname(folder), { recursive: true });
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    // SQLite would create it readable by others.
    writeFileSync(file, '', { flag: 'a', mode: 0o600 });
    return file;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw refuse(folder, REASONS[code] ?? message, error);
  }
}

/** Reads the secret key; creates one if there is none. */
function readKey(folder: string): Buffer {
  const file = join(folder, KEY_FILE);
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!existsSync(file)) throw refuse(folder, (error as Error).message, error);
  }
  return Buffer.from(readFileSync(file, 'utf8'), 'base64');
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function refuse(folder: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(`cannot open the store in ${folder}: ${reason}`, { cause });
}

/** Turns a failure of SQLite into an error that says what to do. A wrong statement is a bug, and stays unchanged. */
function explain(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { code, errcode } = error as Error & { code?: string; errcode?: number };
  if (code !== 'ERR_SQLITE_ERROR') return error;
  const cause = { cause: error };
  const where = `${DATA_FILE} of the store in ${folder}`;
  // The driver reports some locks without a code, mostly while the file of a killed process is recovered.
  const isLocked = /^database (?:table )?is locked/.test(error.message);
  switch (isLocked ? CODE.BUSY : (errcode ?? 10) & 0xff) {
    case 1:
    case CODE.CONSTRAINT:
      return error;
    case CODE.BUSY:
    case CODE.LOCKED:
      return new StoreError(`${where} is locked by another process; try again`, { ...cause, isBusy: true });
    case CODE.READONLY:
      return new StoreError(`${where} cannot be written; check its owner, permissions and disk`, cause);
    case CODE.CORRUPT:
    case CODE.NOTADB:
      return new StoreError(
        `${where} is damaged (${error.message}); restore a backup with gateway store restore <file> --store ${folder}`,
        cause,
      );
    default:
      return new StoreError(
        `${where} failed: ${error.message}; check whether its disk is full or failing`,
        cause,
      );
  }
}
