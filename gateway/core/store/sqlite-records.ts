import type { StatementSyncInstance } from '@photostructure/sqlite';
import { DamagedRecordError } from './damage.ts';
import { checksum } from './record.ts';
import type { SqliteFile } from './sqlite-file.ts';
import { type Change, type Page, type StoredRecord, StoreError, type Write } from './store.ts';

/** The name of the file with all records. */
export const RECORDS = 'store.sqlite';

/** `sum` is the `checksum` of the others. A value is bytes, because a text would end at its first NUL. */
export const RECORD_SCHEMA = `
  CREATE TABLE record (name TEXT PRIMARY KEY, value BLOB NOT NULL, expires INTEGER, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX expiring ON record (expires) WHERE expires IS NOT NULL`;

/** A row of the table. */
export interface RecordRow {
  name: string;
  /** UTF-8 */
  value: Uint8Array;
  expires: number | null;
  sum: number;
}

/** The last character that a name may have after a prefix. */
const LAST = '\u{10ffff}';
/** How many expired records one commit removes. */
const MAX_SWEPT = 100;

/** The records of a store, in a database file. */
export class SqliteRecords {
  readonly #file: SqliteFile;
  readonly #now: () => number;
  readonly #reportDamage: (record: string) => void;
  readonly #find: StatementSyncInstance;
  readonly #list: StatementSyncInstance;
  readonly #put: StatementSyncInstance;
  readonly #remove: StatementSyncInstance;
  readonly #removeExpired: StatementSyncInstance;

  /**
   * @param now ms since 1970
   * @param reportDamage is called with the name of each damaged record that `list` leaves out
   */
  constructor(file: SqliteFile, now: () => number, reportDamage: (record: string) => void) {
    this.#file = file;
    // What was deleted about a person must not stay in the file.
    file.prepare('PRAGMA secure_delete = ON').get();
    this.#now = now;
    this.#reportDamage = reportDamage;
    const columns = 'name, value, expires, sum FROM record';
    this.#find = file.prepare(`SELECT ${columns} WHERE name = ?`);
    this.#list = file.prepare(`SELECT ${columns} WHERE name >= ? AND name < ? ORDER BY name LIMIT ?`);
    // Bytes of no length arrive as NULL.
    this.#put = file.prepare("INSERT OR REPLACE INTO record VALUES (?, ifnull(?, x''), ?, ?)");
    this.#remove = file.prepare('DELETE FROM record WHERE name = ?');
    this.#removeExpired = file.prepare(
      'DELETE FROM record WHERE name IN (SELECT name FROM record WHERE expires <= ? LIMIT ?)',
    );
  }

  /** @returns the value of a record; undefined if there is none. @throws DamagedRecordError */
  read(name: string): string | undefined {
    // A name would end there.
    const row = name.includes('\0') ? undefined : (this.#find.get(name) as RecordRow | undefined);
    return row && this.#valueOf(row, this.#now());
  }

  /** @returns the values of several records as of one moment */
  readAll(names: readonly string[]): (string | undefined)[] {
    const read = () => names.map((name) => this.read(name));
    return names.length > 1 ? this.#file.readTogether(read) : read();
  }

  /** Lists the records whose names begin with a prefix, in the byte order of their names, without damaged ones. */
  list(prefix: string, page: Page): [name: string, value: string][] {
    return this.#collect(prefix, page, ({ name }, value) => [name, value], this.#reportDamage);
  }

  /** Lists all records, in the byte order of their names. @throws DamagedRecordError */
  dump(page: Page): StoredRecord[] {
    return this.#collect('', page, ({ name, expires }, value) => ({
      name,
      value,
      ...(expires !== null && { expires }),
    }));
  }

  /** Writes all of a change, or nothing if a record has changed since it was read. @returns whether it was written */
  commit({ read, write }: Change): boolean {
    return this.#file.write(() => {
      for (const [name, value] of read) if (this.read(name) !== value) return false;
      this.#removeExpired.run(Math.floor(this.#now()), MAX_SWEPT);
      for (const [name, change] of write) this.#write(name, change);
      return true;
    });
  }

  #write(name: string, { value, expires }: Write): void {
    if (name.includes('\0')) throw new StoreError('the name of a record must not have a NUL');
    const end = expires === undefined ? null : Math.ceil(expires);
    if (value === null) this.#remove.run(name);
    else this.#put.run(name, Buffer.from(value), end, checksum(name, value, end));
  }

  /** @param onDamage gets the name of a damaged record, which is then left out; without it, there is an error */
  #collect<T>(
    prefix: string,
    { after, limit }: Page,
    make: (row: RecordRow, value: string) => T,
    onDamage?: (record: string) => void,
  ): T[] {
    const now = this.#now();
    const found: T[] = [];
    for (let last = after; ; ) {
      const rows = this.#list.all(last || prefix, prefix + LAST, limit + 1) as RecordRow[];
      for (const row of rows) {
        if (found.length === limit || row.name === last) continue;
        if (onDamage && !isWhole(row)) {
          onDamage(row.name);
          continue;
        }
        const value = this.#valueOf(row, now);
        if (value !== undefined) found.push(make(row, value));
      }
      if (rows.length <= limit || found.length === limit) return found;
      last = rows[limit]?.name ?? '';
    }
  }

  #valueOf(row: RecordRow, now: number): string | undefined {
    if (!isWhole(row)) throw new DamagedRecordError(row.name);
    return row.expires !== null && row.expires <= now ? undefined : textOf(row);
  }
}

/** Whether a row is as it was written. */
export function isWhole({ name, value, expires, sum }: RecordRow): boolean {
  return sum === checksum(name, value, expires);
}

/** Returns the value of a row as a text. */
export function textOf({ value }: RecordRow): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}
