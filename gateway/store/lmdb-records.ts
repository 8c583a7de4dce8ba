import type { Database, RootDatabase } from 'lmdb';
import { openLmdbFolder } from './lmdb-folder.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import type { Change, Page, Write } from './store.ts';

/** What records in LMDB take. */
export interface LmdbRecordsOptions {
  folder: string;
  /** ms since 1970 */
  now: () => number;
}

/** How many expired records a commit removes at most. */
const SWEEP = 100;

/** The records of a store, in an LMDB environment of a folder. LMDB's own errors are thrown where it fails. */
export class LmdbRecords {
  readonly #root: RootDatabase<unknown, string>;
  /** Name → record, as `encodeRecord` makes it. */
  readonly #records: Database<string, string>;
  /** `<when it expires, of 15 digits> <name>` of every record that does, or did until it was changed. */
  readonly #expiring: Database<true, string>;
  readonly #now: () => number;

  /** @throws StoreError when the folder cannot be used */
  constructor({ folder, now }: LmdbRecordsOptions) {
    this.#root = openLmdbFolder(folder);
    this.#records = this.#root.openDB<string, string>('records', { encoding: 'string' });
    this.#expiring = this.#root.openDB<true, string>('expiring', { encoding: 'json' });
    this.#now = now;
  }

  /** Finds a record; undefined where there is none. */
  read(name: string): string | undefined {
    return this.#readAt(name, this.#now());
  }

  /** Lists records whose names begin so, in the order of their names' bytes. */
  list(prefix: string, { after, limit }: Page): [name: string, value: string][] {
    const now = this.#now();
    const found: [string, string][] = [];
    for (const { key, value: text } of this.#records.getRange({ start: after || prefix })) {
      if (found.length === limit || !key.startsWith(prefix)) break;
      const value = decodeRecord(text, now);
      if (key !== after && value !== undefined) found.push([key, value]);
    }
    return found;
  }

  /** Writes all of a change, or nothing where a record is no longer what was read. @returns whether it was written */
  commit(change: Change): boolean {
    return this.#root.transactionSync(() => this.#writeChange(change, this.#now()));
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #readAt(name: string, now: number): string | undefined {
    return decodeRecord(this.#records.get(name), now);
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
    this.#records.putSync(name, encodeRecord(value, expires));
    if (expires !== undefined) this.#expiring.putSync(`${formatTime(expires)} ${name}`, true);
  }

  #removeExpired(now: number): void {
    for (const entry of [...this.#expiring.getKeys({ end: formatTime(now), limit: SWEEP })]) {
      const name = entry.slice(formatTime(0).length + 1);
      // It may be another record by now.
      if (this.#readAt(name, now) === undefined) this.#records.removeSync(name);
      this.#expiring.removeSync(entry);
    }
  }
}

function formatTime(time: number): string {
  return String(Math.ceil(time)).padStart(15, '0');
}
