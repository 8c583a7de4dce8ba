import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import type { Log } from '../http/log.ts';
import { refuseFolder } from './folder-files.ts';
import { explainDamage, explainFailure, type NamedFile, StoreBusy } from './sqlite-errors.ts';
import { StoreError, StoreRefusal } from './store.ts';

/** A database file, and how it is used. */
export interface SqliteFileOptions extends NamedFile {
  /** Statements that are run once, for a new file. */
  schema: string;
  /** The bytes of a page, for a new file. */
  pageBytes: number;
  /** `FULL`: a commit is on the disk when it returns. `NORMAL`: a power failure may lose the last ones. */
  synchronous: 'FULL' | 'NORMAL';
  /** Gets an entry when files were removed or cut short. */
  log?: Log | undefined;
}

/** What the records and the counters of a store need. */
export interface SqlitePartOptions {
  file: SqliteFile;
  /** ms since 1970 */
  now: () => number;
  /** How long a request waits for them, in ms. */
  waitMs: number;
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
/** What SQLite always uses of it, and the part of that which says whether the rest is valid. */
const SHARED_BYTES = 32_768;
const SHARED_HEADER_BYTES = 96;
const ONE_BYTE = Buffer.alloc(1);

/** A prepared statement. @typeParam Row what it selects: its SQL says so, and nothing checks it; `never` if it selects nothing */
export interface Statement<Row> extends Pick<StatementSyncInstance, 'run'> {
  get(...values: unknown[]): Row | undefined;
  all(...values: unknown[]): Row[];
}

/** One SQLite database in WAL mode, which several processes may have open. Its work throws StoreErrors. */
export class SqliteFile {
  readonly #path: string;
  readonly #options: SqliteFileOptions;
  readonly #database: DatabaseSyncInstance;
  readonly #inodes: string;
  /** The descriptor of the file of shared memory. */
  readonly #shared: number;
  /** Another one, whose writes only make it longer. */
  readonly #appended: number;
  #checkedAt = performance.now();
  /** Why the file cannot be used any more. */
  #end: string | undefined;

  /** @throws StoreError when the file cannot be opened; a StoreBusy when another process is just creating it */
  constructor(options: SqliteFileOptions) {
    this.#options = options;
    this.#path = join(options.folder, options.name);
    // SQLite would create it readable by others.
    if (!existsSync(this.#path)) closeSync(openSync(this.#path, 'a', 0o600));
    refuseSplit(this.#path);
    const inode = inodeOf(this.#path);
    this.#database = this.#explain(() => new DatabaseSync(this.#path, { timeout: OPENING_MS }));
    try {
      this.#explain(() => this.#prepareFile());
      if (inodeOf(this.#path) !== inode) throw new StoreBusy(`${this.#path} was just replaced; try again`);
      this.#inodes = this.#readInodes();
      this.#shared = this.#explain(() => openSync(this.#path + SHM, 'r+'));
      this.#appended = this.#explain(() => openSync(this.#path + SHM, 'a'));
      makeLong(this.#shared);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  prepare<Row = never>(sql: string): Statement<Row> {
    return this.#explain(() => this.#database.prepare(sql));
  }

  /** @throws StoreError when the work fails, or the file is closed or gone; a StoreBusy when it is locked */
  attempt<T>(work: () => T): T {
    this.checkFiles(performance.now());
    if (this.#end !== undefined) throw new StoreRefusal(this.#end);
    return this.#explain(() => {
      if (!isLong(this.#shared)) this.#restoreShared();
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

  /** Does work that reads as of one moment (`DEFERRED`), or writes, whole or not at all (`IMMEDIATE`). */
  transact<T>(mode: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
    const database = this.#database;
    database.exec(`BEGIN ${mode}`);
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has ended the transaction itself after some failures.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
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
    try {
      this.checkFiles();
      // Removes the log, unless another process has the file open. SQLite does so only when the statements are garbage, perhaps never.
      this.attempt(() => this.#database.exec('PRAGMA journal_mode = DELETE'));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    this.#end = `the store in ${this.#options.folder} is closed`;
    if (!this.#database.isOpen) return;
    this.#database.close();
    closeSync(this.#shared);
    closeSync(this.#appended);
  }

  #prepareFile(): void {
    const { pageBytes, synchronous, schema } = this.#options;
    const database = this.#database;
    database.exec(`PRAGMA page_size = ${pageBytes}`);
    const { journal_mode: mode } = database.prepare('PRAGMA journal_mode = WAL').get();
    if (mode !== 'wal')
      throw this.#refuse('its file system has no shared memory; name a folder on a local disk');
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA cell_size_check = ON`);
    const layout = () => database.prepare('PRAGMA user_version').get().user_version as number;
    if (layout() > LAYOUT) throw this.#refuse('it was written by a newer version; use that version');
    if (layout() < LAYOUT)
      this.transact('IMMEDIATE', () => {
        // Another process may have made it meanwhile.
        if (layout() < LAYOUT) database.exec(`${schema}; PRAGMA user_version = ${LAYOUT}`);
      });
    // Takes about 1 ms a megabyte. Where the structure is damaged, SQLite may find fewer rows than there are, without an error.
    const { integrity_check: damage } = database.prepare('PRAGMA integrity_check(1)').get();
    if (damage !== 'ok') throw explainDamage(this.#options, String(damage).split('\n').at(-1) ?? '');
    database.exec('PRAGMA busy_timeout = 0');
  }

  /**
   * SQLite maps the file of shared memory. If something cuts it short, the next access would end the process by SIGBUS. Made long again, with
   * zeros as its header, SQLite makes it anew from the log. Closing a descriptor of the file would end SQLite's locks on it, so both are open
   * all the time.
   */
  #restoreShared(): void {
    // Another process may be using the rest again by now, so nothing else is overwritten.
    writeSync(this.#shared, Buffer.alloc(SHARED_HEADER_BYTES), 0, SHARED_HEADER_BYTES, 0);
    // Holes would need room on the disk. If another process has made it longer since, these zeros are after what SQLite uses.
    const { size } = fstatSync(this.#shared);
    if (size < SHARED_BYTES) writeSync(this.#appended, Buffer.alloc(SHARED_BYTES - size));
    makeLong(this.#shared);
    const { folder, name, log } = this.#options;
    log?.error('a file of the store was cut short while it was in use', { store: folder, file: name + SHM });
  }

  #readInodes(): string {
    return ['', '-wal', SHM].map((end) => inodeOf(this.#path + end)).join(' ');
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

/** Reading the last byte is much faster than asking for the length. */
function isLong(shared: number): boolean {
  return readSync(shared, ONE_BYTE, 0, 1, MAX_SHARED_BYTES - 1) === 1;
}

function makeLong(shared: number): void {
  writeSync(shared, ONE_BYTE, 0, 1, MAX_SHARED_BYTES - 1);
}

/** The number of a file in its file system; another file with the same name has another number. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
}

/**
 * Lists the numbers of the processes that have a lock on one of these files, as SQLite has while a database is open. Where the system does not
 * list locks, and for processes of other containers, there are none.
 */
export function listUsers(files: readonly string[]): string[] {
  const inodes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.ino);
  const users = readLocks().flatMap(([, , , , pid = '', file = '']) =>
    inodes.some((inode) => file.endsWith(`:${inode}`)) ? [pid] : [],
  );
  return [...new Set(users)];
}

/** Lines such as `1: POSIX ADVISORY READ 32207 fe:00:2924703 0 0`. */
function readLocks(): string[][] {
  try {
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
  } catch {
    return [];
  }
}
