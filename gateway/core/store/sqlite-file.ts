import { closeSync, existsSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import type { Log } from '../log/log.ts';
import { listUsers } from '../../parts/backup/users.ts';
import { StoreError, StoreRefusal } from './store.ts';
import { refuseFolder } from './store-folder.ts';

/** A database file, and how it is used. */
export interface SqliteFileOptions {
  folder: string;
  /** Its name in the folder. */
  name: string;
  /** Statements that are run once, for a new file. */
  schema: string;
  /** The bytes of a page, for a new file. */
  pageBytes: number;
  /** `FULL`: a commit is on the disk when it returns. `NORMAL`: a power failure may lose the last ones. */
  synchronous: 'FULL' | 'NORMAL';
  /** What to do when it is damaged. */
  advice: string;
  /** Gets an entry when files were removed or cut short. */
  log?: Log | undefined;
}

/** Another process has the lock of the database at this moment. */
export class StoreBusy extends StoreError {
  override name = 'StoreBusy';
}

/** The version of the layout, in each file. */
const LAYOUT = 1;
/** How long the start of a process waits for the lock of another one, in ms. Later on, no call waits for a lock. */
const OPENING_MS = 5000;
/** The longest pause before work is tried again that found the database locked, in ms. */
const MAX_PAUSE_MS = 4;
/** How often a file in use is checked to be still there, in ms. */
const CHECK_MS = 1000;
/** The end of the name of the file with the memory that processes share. */
const SHM = '-shm';
/** More than SQLite uses of that file: 32 KiB for every 4,096 pages of the log. It is made this long, and takes no more room on the disk. */
const MAX_SHARED_BYTES = 4 * 1024 * 1024;
/** What SQLite always uses of it. */
const SHARED_BYTES = 32_768;
const ONE_BYTE = Buffer.alloc(1);
/** The primary result codes of SQLite, the low byte of an error's `errcode`. */
const CODE = {
  ERROR: 1,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  CANTOPEN: 14,
  NOTADB: 26,
} as const;
const MESSAGES: Record<string, number> = {
  'database is locked': CODE.BUSY,
  'database disk image is malformed': CODE.CORRUPT,
  'file is not a database': CODE.NOTADB,
};

/** One SQLite database in WAL mode, which several processes may have open. Its work throws StoreErrors. */
export class SqliteFile {
  readonly path: string;
  readonly #options: SqliteFileOptions;
  readonly #database: DatabaseSyncInstance;
  readonly #begin: StatementSyncInstance;
  readonly #inodes: string;
  #checkedAt = performance.now();
  /** The descriptor of the file of shared memory. */
  #shared: number | undefined;
  /** Why the file cannot be used any more. */
  #end: string | undefined;

  /** @throws StoreError when the file cannot be opened; a StoreBusy when another process is just creating it */
  constructor(options: SqliteFileOptions) {
    this.#options = options;
    this.path = join(options.folder, options.name);
    makeFile(this.path);
    refuseSplit(this.path);
    const inode = inodeOf(this.path);
    this.#database = this.#explain(() => new DatabaseSync(this.path, { timeout: OPENING_MS }));
    try {
      this.#explain(() => this.#prepareFile());
      this.#begin = this.#explain(() => this.#database.prepare('BEGIN IMMEDIATE'));
      if (inodeOf(this.path) !== inode) throw new StoreBusy(`${this.path} was just replaced; try again`);
      this.#inodes = this.#readInodes();
      this.#shared = this.#openShared();
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  prepare(sql: string): StatementSyncInstance {
    return this.#explain(() => this.#database.prepare(sql));
  }

  /** @throws StoreError when the work fails, or the file is closed or gone; a StoreBusy when it is locked */
  attempt<T>(work: () => T): T {
    if (this.#end !== undefined) throw new StoreRefusal(this.#end);
    return this.#explain(() => {
      this.#keepShared();
      return work();
    });
  }

  /**
   * Does work, again and again while another process has the lock.
   *
   * @param ms for how long
   */
  async retry<T>(ms: number, work: () => T): Promise<T> {
    for (const end = performance.now() + ms; ; ) {
      try {
        return this.attempt(work);
      } catch (error) {
        if (!(error instanceof StoreBusy) || performance.now() > end) throw error;
      }
      await sleep(1 + Math.random() * (MAX_PAUSE_MS - 1));
    }
  }

  /** Does work that writes, whole or not at all. */
  write<T>(work: () => T): T {
    this.#begin.run();
    return this.#finish(work);
  }

  /** Does work that reads several times as of one moment. */
  readTogether<T>(work: () => T): T {
    this.#database.exec('BEGIN');
    return this.#finish(work);
  }

  /** Waits for the lock of other processes from now on, for this long: only for what is done while the process ends. */
  waitForLock(ms: number): void {
    this.#database.exec(`PRAGMA busy_timeout = ${ms}`);
  }

  /**
   * Checks that the files are those that were opened: a process could continue to use files that were removed, and lose all writes.
   *
   * @param now ms by `performance.now()`; with it, they are checked at most once a second
   */
  checkFiles(now = Number.POSITIVE_INFINITY): void {
    if (now - this.#checkedAt < CHECK_MS || this.#end !== undefined) return;
    this.#checkedAt = performance.now();
    if (this.#readInodes() === this.#inodes) return;
    const { folder, name, log } = this.#options;
    this.#end = `${name} of the store in ${folder} was removed or replaced while it was in use; start this process again`;
    log?.error('the store was removed or replaced while it was in use', { store: folder, file: name });
  }

  /** Closing it again does nothing. */
  close(): void {
    this.checkFiles();
    if (this.#database.isOpen) {
      if (this.#end === undefined) this.#joinLog();
      this.#database.close();
      if (this.#shared !== undefined) closeSync(this.#shared);
      this.#shared = undefined;
    }
    this.#end = `the store in ${this.#options.folder} is closed`;
  }

  /**
   * Writes the log into the file and removes it, unless another process has the file open. SQLite does so too, but only when the statements are
   * garbage, and perhaps not before the process ends.
   */
  #joinLog(): void {
    try {
      this.attempt(() => this.#database.prepare('PRAGMA journal_mode = DELETE').get());
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #prepareFile(): void {
    const database = this.#database;
    database.exec(`PRAGMA page_size = ${this.#options.pageBytes}`);
    const { journal_mode: mode } = database.prepare('PRAGMA journal_mode = WAL').get();
    if (mode !== 'wal')
      throw this.#refuse('its file system has no shared memory; name a folder on a local disk');
    database.exec(`PRAGMA synchronous = ${this.#options.synchronous}; PRAGMA cell_size_check = ON`);
    const layout = this.#readLayout();
    if (layout > LAYOUT) throw this.#refuse('it was written by a newer version; use that version');
    if (layout < LAYOUT) {
      database.exec('BEGIN IMMEDIATE');
      this.#finish(() => {
        // Another process may have made it meanwhile.
        if (this.#readLayout() === 0)
          database.exec(`${this.#options.schema}; PRAGMA user_version = ${LAYOUT}`);
      });
    }
    database.exec('PRAGMA busy_timeout = 0');
  }

  #openShared(): number {
    try {
      return openShared(this.path + SHM);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw explainFailure(error, this.#options);
      throw this.#refuse('its shared memory cannot be created; check whether its disk is full or failing');
    }
  }

  #readLayout(): number {
    return this.#database.prepare('PRAGMA user_version').get().user_version as number;
  }

  #finish<T>(work: () => T): T {
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has ended the transaction itself after some failures.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /**
   * SQLite maps the file of shared memory. If something cuts it short, the next access would end the process by SIGBUS. Made long again, it is
   * zeros, from which SQLite recovers. Closing a descriptor of the file would end SQLite's locks on it, so one is open all the time.
   */
  #keepShared(): void {
    if (this.#shared === undefined || isLong(this.#shared)) return;
    // From zeros, SQLite reads the whole log again. What was left of the file would be used otherwise, and holes need room on the disk.
    writeSync(this.#shared, Buffer.alloc(SHARED_BYTES), 0, SHARED_BYTES, 0);
    makeLong(this.#shared);
    const { folder, name, log } = this.#options;
    log?.error('a file of the store was cut short while it was in use', { store: folder, file: name + SHM });
  }

  #readInodes(): string {
    return ['', '-wal', SHM].map((end) => inodeOf(this.path + end)).join(' ');
  }

  #refuse(reason: string): StoreError {
    return refuseFolder(this.#options.folder, `${this.#options.name}: ${reason}`);
  }

  #explain<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainFailure(error, this.#options);
    }
  }
}

/**
 * Refuses to open a file whose shared memory was removed while another process uses it: the two would not see each other, and the work of one
 * would be lost.
 *
 * @throws StoreBusy also while another process is just opening or closing the file
 */
function refuseSplit(path: string): void {
  if (!existsSync(`${path}-wal`) || existsSync(path + SHM)) return;
  const users = listUsers([path]);
  if (users.length === 0) return;
  throw new StoreBusy(
    `${path + SHM} was removed, but the process ${users.join(', ')} uses the store; stop it first, then try again`,
  );
}

/** Opens the file of shared memory, with its full length. */
function openShared(path: string): number {
  const shared = openSync(path, 'r+');
  if (!isLong(shared)) makeLong(shared);
  return shared;
}

/** Reading the last byte is much faster than asking for the length. */
function isLong(shared: number): boolean {
  return readSync(shared, ONE_BYTE, 0, 1, MAX_SHARED_BYTES - 1) === 1;
}

function makeLong(shared: number): void {
  writeSync(shared, ONE_BYTE, 0, 1, MAX_SHARED_BYTES - 1);
}

/** Makes an error that says what to do of a failure of SQLite or of the file system. Anything else is a bug, and stays as it is. */
export function explainFailure(
  error: unknown,
  { folder, name, advice }: Pick<SqliteFileOptions, 'folder' | 'name' | 'advice'>,
): unknown {
  if (!(error instanceof Error)) return error;
  const code = primaryCode(error);
  if (code === CODE.BUSY || code === CODE.LOCKED)
    return new StoreBusy(`${name} of the store in ${folder} is locked by another process; try again`, {
      cause: error,
    });
  if (code === CODE.READONLY)
    return new StoreError(
      `${name} of the store in ${folder} cannot be written; check its owner, its permissions, and whether its disk is read-only`,
      { cause: error },
    );
  if (code === CODE.CORRUPT || code === CODE.NOTADB || code === CODE.ERROR)
    return new StoreError(`${name} of the store in ${folder} is damaged (${error.message}); ${advice}`, {
      cause: error,
    });
  if (code === CODE.CANTOPEN)
    return refuseFolder(folder, `${name}: ${error.message}; check the permissions, and the disk`, error);
  if (code === undefined && !('syscall' in error)) return error;
  return new StoreError(
    `the store in ${folder} failed: ${error.message}; check whether its disk is full or failing`,
    { cause: error },
  );
}

/** The number of a file in its file system; another file with the same name has another number. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
}

function primaryCode(error: unknown): number | undefined {
  const { code, errcode, message } = error as { code?: unknown; errcode?: unknown; message: string };
  if (code !== 'ERR_SQLITE_ERROR') return undefined;
  // The errors of `all` have no `errcode`.
  return typeof errcode === 'number' ? errcode & 0xff : (MESSAGES[message] ?? CODE.IOERR);
}

/** Creates a file for its owner only, if there is none: SQLite would create it readable by others. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
