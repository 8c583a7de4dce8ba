import { crc32 } from 'node:zlib';
import type { Database, RootDatabase } from 'lmdb';
import {
  type Change,
  DamagedRecordError,
  IDENTITY,
  type Page,
  type Store,
  type StoredRecord,
  StoreError,
} from '../../store/store.ts';

/** The part before a value: when the record expires, and its checksum, which version 0.1.0 did not write. */
const HEAD = /^(\d*|never)(?:\.(\d{10}))?$/;
const NEVER = 'never';

/** The records of a store in LMDB, as far as they are read to take them over, and written to go back. */
export class LmdbRecords implements Pick<Store, 'read' | 'dump' | 'commit' | 'identity'> {
  readonly #root: RootDatabase<unknown, string>;
  /** Name → `<expires>.<checksum>|<value>`, where the first part is `never` for a record that does not expire. */
  readonly #records: Database<string, string>;
  /** Keys `<expires, 15 digits> <name>`, for every record that expires. */
  readonly #expiring: Database<true, string>;
  readonly #now: () => number;
  readonly #leavesOut: ReadonlySet<string>;

  private constructor(
    root: RootDatabase<unknown, string>,
    now: () => number,
    leavesOut: ReadonlySet<string>,
  ) {
    this.#root = root;
    this.#records = root.openDB<string, string>('records', { encoding: 'string' });
    this.#expiring = root.openDB<true, string>('expiring', { encoding: 'json' });
    this.#now = now;
    this.#leavesOut = leavesOut;
  }

  /**
   * Opens a folder, or makes one.
   *
   * @param leavesOut the names of damaged records that `dump` leaves out
   * @throws StoreError when the package lmdb is not installed; errors of lmdb
   */
  static async open(
    folder: string,
    now: () => number,
    leavesOut: ReadonlySet<string> = new Set(),
  ): Promise<LmdbRecords> {
    const { open } = await importLmdb();
    // Without `noSubdir: false`, lmdb would use a folder with a dot in its name as a file.
    const root = open<unknown, string>({
      ...{ path: folder, noSubdir: false, overlappingSync: false, encoding: 'json' },
    });
    return new LmdbRecords(root, now, leavesOut);
  }

  /** Does work while no other process can commit, not even one of an old version. */
  async lock<T>(work: () => Promise<T>): Promise<T> {
    return await this.#root.transactionSync(work);
  }

  /** The numbers of processes that read here, also in other containers. */
  listReaders(): string[] {
    const lines = this.#root.readerList().split('\n');
    return lines.flatMap((line) => /^\s*(\d+)\s/.exec(line)?.[1] ?? []);
  }

  /**
   * Reads every record in order and by its name.
   *
   * @returns the names of the damaged ones
   * @throws Error when the structure of the file is damaged
   */
  findDamaged(): string[] {
    const { entryCount } = this.#records.getStats() as { entryCount: number };
    const damaged: string[] = [];
    let count = 0;
    for (const { key, value } of this.#records.getRange({})) {
      // In a damaged tree, the way from one record to the next may have no end.
      if (++count > entryCount) break;
      if (this.#records.get(key) !== value || decode(key, value) === undefined) damaged.push(key);
    }
    if (count !== entryCount)
      throw new Error(`${entryCount} records were expected, but ${count} can be read`);
    return damaged;
  }

  async read(names: readonly string[]): Promise<(string | undefined)[]> {
    return names.map((name) => {
      const text = this.#records.get(name);
      return text === undefined ? undefined : this.#valueOf(name, text)?.value;
    });
  }

  async dump({ after, limit }: Page): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    for (const { key: name, value: text } of this.#records.getRange(after === '' ? {} : { start: after })) {
      if (records.length === limit) break;
      if (name === after || this.#leavesOut.has(name)) continue;
      const record = this.#valueOf(name, text);
      if (record) records.push(record);
    }
    return records;
  }

  async commit({ write }: Change): Promise<boolean> {
    return this.#root.transactionSync(() => {
      for (const [name, { value, expires }] of write) {
        if (value === null) throw new Error('no record is removed on the way back');
        this.#records.putSync(name, encode(name, value, expires));
        if (expires !== undefined) this.#expiring.putSync(`${formatTime(expires)} ${name}`, true);
      }
      return true;
    });
  }

  /** @returns the identity of the store; empty if it has none, as with version 0.1.0 */
  async identity(): Promise<string> {
    const [identity = ''] = await this.read([IDENTITY]);
    return identity;
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #valueOf(name: string, text: string): StoredRecord | undefined {
    const record = decode(name, text);
    if (record === undefined) throw new DamagedRecordError(name);
    return record.expires !== undefined && record.expires <= this.#now() ? undefined : record;
  }
}

async function importLmdb(): Promise<typeof import('lmdb')> {
  try {
    return await import('lmdb');
  } catch (error) {
    throw new StoreError(
      'stores of versions before 0.2 are in LMDB, and the package lmdb cannot be loaded; install it with `npm install lmdb@3`, for this one time',
      { cause: error },
    );
  }
}

/** @returns undefined for a damaged record */
function decode(name: string, text: string): StoredRecord | undefined {
  const at = text.indexOf('|');
  const [, end, sum] = HEAD.exec(text.slice(0, Math.max(0, at))) ?? [];
  const value = text.slice(at + 1);
  if (at < 0 || end === undefined || (sum !== undefined && sum !== checksum(name, end, value)))
    return undefined;
  return end === '' || end === NEVER ? { name, value } : { name, value, expires: Number(end) };
}

function encode(name: string, value: string, expires: number | undefined): string {
  const end = expires === undefined ? NEVER : String(Math.ceil(expires));
  return `${end}.${checksum(name, end, value)}|${value}`;
}

function checksum(name: string, end: string, value: string): string {
  return String(crc32(value, crc32(`${name}|${end}|`))).padStart(10, '0');
}

function formatTime(time: number): string {
  return String(Math.ceil(time)).padStart(15, '0');
}
