import { crc32 } from 'node:zlib';
import { RECORDS } from './folder-files.ts';
import { StoreBusy } from './sqlite-errors.ts';
import type { SqlitePartOptions } from './sqlite-file.ts';
import {
  type Change,
  DamagedRecordError,
  type Page,
  REVISION,
  type Reference,
  type Revision,
  type StoredRecord,
  StoreError,
  type Write,
} from './store.ts';
import { parseRecord } from './transaction.ts';

/** The file with all records. `sum` is the `checksum` of the others. A value is bytes, because a text would end at its first NUL. */
export const RECORD_FILE = {
  name: RECORDS,
  pageBytes: 4096,
  synchronous: 'FULL',
  schema: `
    CREATE TABLE record (name TEXT PRIMARY KEY, value BLOB NOT NULL, expires INTEGER, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX expiring ON record (expires) WHERE expires IS NOT NULL`,
} as const;

/** A row of the table. */
export interface RecordRow {
  name: string;
  /** UTF-8 */
  value: Uint8Array;
  expires: number | null;
  sum: number;
}

/** Options of the records in a database file. */
export interface SqliteRecordsOptions extends SqlitePartOptions {
  /** Is called with the name of each damaged record that `list` leaves out. */
  reportDamage: (record: string) => void;
}

/** How long everything that no request waits for is tried while another process has the lock, in ms. */
export const PATIENCE_MS = 10_000;
/** For how long a revision is kept, in ms. */
const REVISION_MS = 5;
/** The last character that a name may have after a prefix. */
const LAST = '\u{10ffff}';
/** How many expired records one commit removes. */
const MAX_SWEPT = 100;

/** The records of a store, in a database file. */
export class SqliteRecords {
  readonly #options: SqliteRecordsOptions;
  readonly #sql;
  #revision: Revision | undefined;

  constructor(options: SqliteRecordsOptions) {
    this.#options = options;
    const { file } = options;
    // What was deleted about a person must not stay in the file.
    file.prepare('PRAGMA secure_delete = ON').get();
    const select = 'SELECT name, value, expires, sum FROM record WHERE name';
    this.#sql = {
      find: file.prepare<RecordRow>(`${select} = ?`),
      list: file.prepare<RecordRow>(`${select} > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?`),
      // Bytes of no length arrive as NULL.
      put: file.prepare("INSERT OR REPLACE INTO record VALUES (?, ifnull(?, x''), ?, ?)"),
      remove: file.prepare('DELETE FROM record WHERE name = ?'),
      removeExpired: file.prepare(
        'DELETE FROM record WHERE name IN (SELECT name FROM record WHERE expires <= ? LIMIT ?)',
      ),
    };
  }

  read(names: readonly string[]): Promise<(string | undefined)[]> {
    return this.#transact(PATIENCE_MS, 'DEFERRED', () => names.map((name) => this.#read(name)));
  }

  find(name: string, reference?: Reference): Promise<[string | undefined, (string | undefined)?]> {
    return this.#transact(this.#options.waitMs, 'DEFERRED', () => {
      const value = this.#read(name);
      const referred = value && reference && nameReferred(name, value, reference);
      return [value, referred && this.#read(referred)];
    });
  }

  async list(prefix: string, page: Page): Promise<[name: string, value: string][]> {
    const { file, reportDamage } = this.#options;
    const records = await file.retry(PATIENCE_MS, () => this.#collect(prefix, page, reportDamage));
    return records.map(({ name, value }) => [name, value]);
  }

  dump(page: Page): Promise<StoredRecord[]> {
    const fail = (name: string) => {
      throw new DamagedRecordError(name);
    };
    return this.#options.file.retry(PATIENCE_MS, () => this.#collect('', page, fail));
  }

  async commit({ read, write }: Change): Promise<boolean> {
    const { file, now } = this.#options;
    file.checkFiles();
    const isWritten = await this.#transact(PATIENCE_MS, 'IMMEDIATE', () => {
      for (const [name, value] of read) if (this.#read(name) !== value) return false;
      this.#sql.removeExpired.run(Math.floor(now()), MAX_SWEPT);
      for (const [name, change] of write) this.#write(name, change);
      return true;
    });
    this.#revision = undefined;
    return isWritten;
  }

  revision(): Revision {
    const now = performance.now();
    const last = this.#revision;
    if (last && now - last.heardAt < REVISION_MS) return last;
    try {
      const value = this.#options.file.attempt(() => this.#read(REVISION)) ?? '';
      this.#revision = { value, heardAt: now };
      return this.#revision;
    } catch (error) {
      if (last && error instanceof StoreBusy) return last;
      throw error;
    }
  }

  #transact<T>(ms: number, mode: 'DEFERRED' | 'IMMEDIATE', work: () => T): Promise<T> {
    const { file } = this.#options;
    return file.retry(ms, () => file.transact(mode, work));
  }

  /** @throws DamagedRecordError */
  #read(name: string): string | undefined {
    // A name would end there.
    const row = name.includes('\0') ? undefined : this.#sql.find.get(name);
    if (row && !isWhole(row)) throw new DamagedRecordError(name);
    return row && !this.#isExpired(row) ? textOf(row) : undefined;
  }

  #write(name: string, { value, expires }: Write): void {
    if (name.includes('\0')) throw new StoreError('the name of a record must not have a NUL');
    const end = expires === undefined ? null : Math.ceil(expires);
    if (value === null) this.#sql.remove.run(name);
    else this.#sql.put.run(name, Buffer.from(value), end, checksum(name, value, end));
  }

  #collect(prefix: string, { after, limit }: Page, onDamage: (record: string) => void): StoredRecord[] {
    const records: StoredRecord[] = [];
    for (let last = after; ; ) {
      const missing = limit - records.length;
      const rows = this.#sql.list.all(last, prefix, prefix + LAST, missing);
      for (const row of rows) {
        const { name, expires } = row;
        if (!isWhole(row)) onDamage(name);
        else if (!this.#isExpired(row))
          records.push({ name, value: textOf(row), ...(expires !== null && { expires }) });
      }
      if (rows.length < missing || records.length === limit) return records;
      last = rows.at(-1)?.name ?? '';
    }
  }

  #isExpired({ expires }: RecordRow): boolean {
    return expires !== null && expires <= this.#options.now();
  }
}

/** The CRC-32 of a record with its name and expiry; its value is a text or its UTF-8. It also detects a value that is stored under the name of another record. */
export function checksum(name: string, value: string | Uint8Array, expires: number | null): number {
  return crc32(`|${expires ?? ''}|${name}`, crc32(value));
}

/** Whether a row is as it was written. */
export function isWhole({ name, value, expires, sum }: RecordRow): boolean {
  // A damaged row may have anything as its value.
  return value instanceof Uint8Array && sum === checksum(name, value, expires);
}

/** Returns the value of a row as a text. */
export function textOf({ value }: RecordRow): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}

/** Returns the name of the record that another one refers to, if it does. @throws DamagedRecordError when that one is not JSON */
function nameReferred(name: string, value: string, { member, prefix }: Reference): string | undefined {
  const id = parseRecord<Record<string, unknown> | null>(name, value)?.[member];
  return typeof id === 'string' ? prefix + id : undefined;
}
