import { BUCKETS, type CounterChange, CounterState, type SavedBucket, type Tick } from './counter-state.ts';
import type { SqlitePartOptions } from './sqlite-file.ts';
import { type Admission, type Reading, StoreError } from './store.ts';

const NAME = 'counters.sqlite';

/** The file with all counters. */
export const COUNTER_FILE = {
  name: NAME,
  pageBytes: 1024,
  synchronous: 'NORMAL',
  advice: `end the gateways on it, and remove ${NAME}, ${NAME}-wal and ${NAME}-shm: what was used today is then forgotten`,
  schema: `
    CREATE TABLE tick (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, changes TEXT NOT NULL) STRICT;
    CREATE TABLE bucket (number INTEGER PRIMARY KEY, tick INTEGER NOT NULL, at INTEGER NOT NULL, lines TEXT NOT NULL) STRICT;
    CREATE INDEX oldest ON bucket (tick);
    WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ${BUCKETS - 1})
    INSERT INTO bucket SELECT i, 0, 0, '[]' FROM n`,
} as const;

/** The changes of one event-loop tick, and of later ones while another process has the lock. */
interface Batch {
  changes: CounterChange[];
  /** The number of its tick, when it is written. */
  id?: number;
  outcome: Promise<Admission[]>;
}

/** A row of the table `tick`. */
interface TickRow extends Omit<Tick, 'changes'> {
  changes: string;
}

type Oldest = Pick<SavedBucket, 'number' | 'tick'>;

/** How many pages the log gets before they are written into the file. With SQLite's 1000, a tick takes a microsecond more. */
const CHECKPOINT_PAGES = 4000;
/** After how many changes a process saves a bucket. */
const CHANGES_PER_BUCKET = 256;
/** After this time without ticks, in ms, a process reads those of others before it writes one: it could need ticks that are removed now. */
const IDLE_MS = 100;

/**
 * Counts requests. All changes of an event-loop tick are one row, and the counters themselves are in the memory of each process; the README of
 * this room explains it.
 */
export class SqliteCounters {
  readonly #options: SqlitePartOptions;
  readonly #sql;
  #state = new CounterState();
  /** When the counters were last used, ms by `performance.now()`. */
  #usedAt = Number.NEGATIVE_INFINITY;
  /** How many changes this process has made since it saved a bucket. */
  #unsaved = 0;
  /** The batch that is not written yet. */
  #batch: Batch | undefined;

  constructor(options: SqlitePartOptions) {
    this.#options = options;
    const { file } = options;
    file.prepare(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`).get();
    this.#sql = {
      insert: file.prepare('INSERT INTO tick (at, changes) VALUES (?, ?)'),
      ticksAfter: file.prepare<TickRow>('SELECT id, at, changes FROM tick WHERE id > ? ORDER BY id'),
      buckets: file.prepare<SavedBucket>('SELECT number, tick, at, lines FROM bucket ORDER BY tick'),
      oldest: file.prepare<Oldest>('SELECT number, tick FROM bucket ORDER BY tick LIMIT 1'),
      // Another process may have saved it later meanwhile.
      save: file.prepare('UPDATE bucket SET tick = ?2, at = ?3, lines = ?4 WHERE number = ?1 AND tick < ?2'),
      removeTicks: file.prepare('DELETE FROM tick WHERE id <= ?'),
    };
  }

  async read(account: string): Promise<Reading> {
    const { file, now, waitMs } = this.#options;
    await file.retry(waitMs, () => this.#catchUp());
    return this.#state.read(account, now());
  }

  /** Makes a change with the others of this event-loop tick. @returns the outcome; `admitted` is for a `count` */
  async change(change: CounterChange): Promise<Admission> {
    this.#batch ??= this.#openBatch();
    const { changes, outcome } = this.#batch;
    const index = changes.push(change) - 1;
    return (await outcome)[index] as Admission;
  }

  /** Waits for changes that are not written yet. */
  async close(): Promise<void> {
    await this.#batch?.outcome.catch(() => {});
  }

  #openBatch(): Batch {
    // `batchPerTick` in wire/ starts all requests of a tick in one go, so all of them have been added by then.
    const outcome = new Promise<Admission[]>((resolve) =>
      process.nextTick(() => resolve(this.#finish(batch))),
    );
    const batch: Batch = { changes: [], outcome };
    return batch;
  }

  async #finish(batch: Batch): Promise<Admission[]> {
    try {
      return await this.#options.file.retry(this.#options.waitMs, () => this.#write(batch));
    } finally {
      if (this.#batch === batch) this.#batch = undefined;
    }
  }

  #write(batch: Batch): Admission[] {
    if (batch.id !== undefined) return this.#catchUp(batch.id);
    this.#prepare();
    const { changes } = batch;
    const at = this.#options.now();
    const id = Number(this.#sql.insert.run(at, JSON.stringify(changes)).lastInsertRowid);
    batch.id = id;
    this.#batch = undefined;
    this.#unsaved += changes.length;
    return id === this.#state.last + 1 ? this.#state.apply({ id, at, changes }) : this.#catchUp(id);
  }

  /** Reads the ticks of others if some of them could be removed soon, and saves a bucket if it is time. */
  #prepare(): void {
    const now = performance.now();
    if (now - this.#usedAt > IDLE_MS) this.#catchUp();
    this.#usedAt = now;
    const oldest = this.#unsaved < CHANGES_PER_BUCKET ? undefined : this.#sql.oldest.get();
    if (oldest === undefined) return;
    const { number, tick, at, lines } = this.#state.save(oldest.number);
    this.#sql.save.run(number, tick, at, lines);
    this.#sql.removeTicks.run(oldest.tick);
    this.#unsaved = 0;
  }

  /**
   * Applies the ticks that were written since the last time, by any process.
   *
   * @param tick the number of one that this process has written
   * @returns the outcome of its changes
   */
  #catchUp(tick?: number): Admission[] {
    let outcome: Admission[] = [];
    for (const { id, at, changes } of this.#readTicks()) {
      const admissions = this.#state.apply({ id, at, changes: JSON.parse(changes) as CounterChange[] });
      if (id === tick) outcome = admissions;
    }
    if (tick !== undefined && outcome.length === 0)
      throw new StoreError(
        `tick ${tick} is missing in ${NAME} of the store; if this repeats, ${COUNTER_FILE.advice}`,
      );
    return outcome;
  }

  /** Reads the ticks that the counters lack, and all counters if some of those ticks are removed. */
  #readTicks(): TickRow[] {
    const ticks = this.#sql.ticksAfter.all(this.#state.last);
    if (ticks[0] === undefined || ticks[0].id === this.#state.last + 1) return ticks;
    return this.#options.file.transact('DEFERRED', () => {
      this.#state = new CounterState(this.#sql.buckets.all());
      return this.#sql.ticksAfter.all(this.#state.last);
    });
  }
}
