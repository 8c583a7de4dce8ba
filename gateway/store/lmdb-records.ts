import type { Database, RootDatabase } from 'lmdb';
import { DamagedRecordError } from './damage.ts';
import { openLmdbFolder } from './lmdb-folder.ts';
import { decodeChecked, encodeChecked, expiryOf } from './record.ts';
import type { Change, Page, StoredRecord, Write } from './store.ts';

/** Options of the records in LMDB. */
export interface LmdbRecordsOptions {
  folder: string;
  /** ms since 1970 */
  now: () => number;
  /** Is called with the name of each damaged record that `list` leaves out. */
  reportDamage?: (record: string) => void;
}

/** How many expired records one commit removes. */
const MAX_SWEPT = 100;

/** The records of a store, in the LMDB environment of a folder. Methods throw LMDB's own errors, and a DamagedRecordError. */
export class LmdbRecords {
  readonly #root: RootDatabase<unknown, string>;
  /** Name → record, as `encodeChecked` returns it. */
  readonly #records: Database<string, string>;
  /** Keys `<expires, 15 digits> <name>`, for every record that expires, and for some that expired before they were changed. */
  readonly #expiring: Database<true, string>;
  readonly #now: () => number;
  readonly #reportDamage: (record: string) => void;

  /** @throws StoreError when the folder cannot be used */
  constructor({ folder, now, reportDamage = () => {} }: LmdbRecordsOptions) {
    this.#root = openLmdbFolder(folder);
    this.#records = this.#root.openDB<string, string>('records', { encoding: 'string' });
    this.#expiring = this.#root.openDB<true, string>('expiring', { encoding: 'json' });
    this.#now = now;
    this.#reportDamage = reportDamage;
  }

  /** @returns the value of a record; undefined if there is none */
  read(name: string): string | undefined {
    return this.#readAt(name, this.#now());
  }

  /**
   * Reads a record as it is now. Other reads are of a snapshot, which lasts until a timer ends it: some ms in a busy process. A record that is not in the snapshot may
   * have been written since.
   *
   * @returns the value; undefined if there is none
   */
  readNow(name: string): string | undefined {
    const value = this.read(name);
    if (value !== undefined) return value;
    this.#root.resetReadTxn();
    return this.read(name);
  }

  /** @returns the text of a record as it is kept, which differs whenever the record was written with another value */
  readText(name: string): string | undefined {
    return this.#records.get(name);
  }

  /** Lists the records whose names begin with a prefix, in the byte order of their names, without damaged ones. */
  list(prefix: string, { after, limit }: Page): [name: string, value: string][] {
    const now = this.#now();
    const found: [string, string][] = [];
    for (const { key, value: text } of this.#records.getRange({ start: after || prefix })) {
      if (found.length === limit || !key.startsWith(prefix)) break;
      const value = key === after ? undefined : this.#decodeListed(key, text, now);
      if (value !== undefined) found.push([key, value]);
    }
    return found;
  }

  /** Lists all records, in the byte order of their names. @throws DamagedRecordError */
  dump({ after, limit }: Page): StoredRecord[] {
    const now = this.#now();
    const found: StoredRecord[] = [];
    for (const { key: name, value: text } of this.#records.getRange(after === '' ? {} : { start: after })) {
      if (found.length === limit) break;
      const value = name === after ? undefined : decodeChecked(name, text, now);
      const expires = expiryOf(text);
      if (value !== undefined) found.push({ name, value, ...(expires !== undefined && { expires }) });
    }
    return found;
  }

  /** Writes all of a change, or nothing if a record has changed since it was read. @returns whether it was written */
  commit(change: Change): boolean {
    return this.#root.transactionSync(() => this.#writeChange(change, this.#now()));
  }

  /** Copies all records, as of one moment, to a folder as its `data.mdb`, without unused pages. Other processes may write meanwhile. */
  async copyTo(folder: string): Promise<void> {
    await this.#root.backup(folder, true);
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #readAt(name: string, now: number): string | undefined {
    return decodeChecked(name, this.#records.get(name), now);
  }

  #decodeListed(name: string, text: string | undefined, now: number): string | undefined {
    try {
      return decodeChecked(name, text, now);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      this.#reportDamage(name);
      return undefined;
    }
  }

  #writeChange({ read, write }: Change, now: number): boolean {
    for (const [name, value] of read) if (this.#readAt(name, now) !== value) return false;
    this.#removeExpired(now);
    for (const [name, change] of write) this.#writeRecord(name, change);
    return true;
  }

  #writeRecord(name: string, { value, expires }: Write): void {
    if (value === null) {
      this.#records.removeSync(name);
      return;
    }
    this.#records.putSync(name, encodeChecked(name, value, expires));
    if (expires !== undefined) this.#expiring.putSync(`${formatTime(expires)} ${name}`, true);
  }

  #removeExpired(now: number): void {
    for (const entry of [...this.#expiring.getKeys({ end: formatTime(now), limit: MAX_SWEPT })]) {
      const name = entry.slice(formatTime(0).length + 1);
      // The record may have been written again since. A damaged one that would have expired is of no use either.
      if (this.#decodeListed(name, this.#records.get(name), now) === undefined)
        this.#records.removeSync(name);
      this.#expiring.removeSync(entry);
    }
  }
}

function formatTime(time: number): string {
  return String(Math.ceil(time)).padStart(15, '0');
}
