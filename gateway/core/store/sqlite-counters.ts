import { setTimeout as sleep } from 'node:timers/promises';
import type { StatementSyncInstance } from '@photostructure/sqlite';
import { type Counters, type Limits, writeCounters } from '../plans/counters.ts';
import { BUCKETS, type CounterChange, CounterState, type SavedBucket, type Tick } from './counter-state.ts';
import { type SqliteFile, StoreBusy } from './sqlite-file.ts';
import type { Admission, Reading, Store } from './store.ts';

/** The name of the file with all counters. */
export const COUNTERS = 'counters.sqlite';

export const COUNTER_SCHEMA = `
  CREATE TABLE tick (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, changes TEXT NOT NULL) STRICT;
  CREATE TABLE bucket (number INTEGER PRIMARY KEY, tick INTEGER NOT NULL, at INTEGER NOT NULL, lines TEXT NOT NULL) STRICT;
  CREATE INDEX oldest ON bucket (tick);
  WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ${BUCKETS - 1})
  INSERT INTO bucket SELECT i, 0, 0, '[]' FROM n`;

/** Options of the counters in a database file. */
export interface SqliteCountersOptions {
  file: SqliteFile;
  /** ms since 1970 */
  now: () => number;
  /** How long a request waits until it is counted, in ms. */
  waitMs: number;
}

/** A row of the table `tick`. */
interface TickRow extends Omit<Tick, 'changes'> {
  changes: string;
}

/** A change that is not written yet. */
interface Waiting {
  change: CounterChange;
  /** Until when it is tried, ms by `performance.now()`. */
  until: number;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
}

/** The pause before changes are tried again that found the database locked, in ms. */
const PAUSE_MS = 2;
/** How many pages the log gets before they are written into the file: SQLite's 1000 would cost each tick a microsecond. */
const CHECKPOINT_PAGES = 4000;
/** After how many changes a process saves a bucket. */
const CHANGES_PER_BUCKET = 256;
/** After this time without ticks, in ms, a process reads those of others before it writes one: it could need ticks that are removed now. */
const IDLE_MS = 100;

/**
 * Counts requests. All changes of an event-loop tick are one row, and the counters themselves are in the memory of each process; the README of
 * this room explains it.
 */
export class SqliteCounters
  implements
    Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'mergeCounters' | 'removeCounters'>
{
  readonly #file: SqliteFile;
  readonly #now: () => number;
  readonly #waitMs: number;
  readonly #insert: StatementSyncInstance;
  readonly #ticksAfter: StatementSyncInstance;
  readonly #buckets: StatementSyncInstance;
  readonly #oldest: StatementSyncInstance;
  readonly #saveBucket: StatementSyncInstance;
  readonly #removeTicks: StatementSyncInstance;
  #state = new CounterState();
  /** When the counters were last used, ms by `performance.now()`. */
  #usedAt = Number.NEGATIVE_INFINITY;
  /** How many changes this process has made since it saved a bucket. */
  #unsaved = 0;
  #waiting: Waiting[] = [];

  constructor({ file, now, waitMs }: SqliteCountersOptions) {
    this.#file = file;
    this.#now = now;
    this.#waitMs = waitMs;
    file.prepare(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`).get();
    this.#insert = file.prepare('INSERT INTO tick (at, changes) VALUES (?, ?)');
    this.#ticksAfter = file.prepare('SELECT id, at, changes FROM tick WHERE id > ? ORDER BY id');
    this.#buckets = file.prepare('SELECT number, tick, at, lines FROM bucket ORDER BY tick');
    this.#oldest = file.prepare('SELECT number, tick FROM bucket ORDER BY tick LIMIT 1');
    // Another process may have saved it later meanwhile.
    this.#saveBucket = file.prepare(
      'UPDATE bucket SET tick = ?2, at = ?3, lines = ?4 WHERE number = ?1 AND tick < ?2',
    );
    this.#removeTicks = file.prepare('DELETE FROM tick WHERE id <= ?');
  }

  countRequest(account: string, { minute, day }: Limits): Promise<Admission> {
    return this.#add(['count', account, minute, day]);
  }

  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#add(['uncount', account, at]);
  }

  readCounters(account: string): Promise<Reading> {
    return this.#file.retry(this.#waitMs, () => {
      this.#catchUp();
      return this.#state.read(account, this.#now());
    });
  }

  /** A batch is written or it is not, which is known at once, so no id is needed. */
  mergeCounters(account: string, counters: Counters): Promise<Reading> {
    return this.#add(['merge', account, writeCounters(counters)]);
  }

  async removeCounters(account: string): Promise<void> {
    await this.#add(['forget', account]);
  }

  /** Resolves when no change waits to be written. */
  async close(): Promise<void> {
    for (this.#writeWaiting(); this.#waiting.length > 0; ) await sleep(PAUSE_MS);
  }

  #add(change: CounterChange): Promise<Admission> {
    return new Promise((resolve, reject) => {
      // `batchPerTick` in wire/ starts all requests of a tick in one go, so all of them have been added by then.
      if (this.#waiting.length === 0) process.nextTick(() => this.#writeWaiting());
      this.#waiting.push({ change, until: performance.now() + this.#waitMs, resolve, reject });
    });
  }

  /** Writes all waiting changes as one tick, or tries again soon if another process has the lock. */
  #writeWaiting(): void {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    try {
      this.#file.attempt(() => {
        this.#prepare();
        const changes = batch.map(({ change }) => change);
        const at = this.#now();
        const id = Number(this.#insert.run(at, JSON.stringify(changes)).lastInsertRowid);
        this.#waiting = [];
        this.#unsaved += batch.length;
        const isNext = id === this.#state.last + 1;
        const admissions = isNext ? this.#state.apply({ id, at, changes }) : this.#catchUp(id);
        for (const [index, { resolve }] of batch.entries()) resolve(admissions[index] as Admission);
      });
    } catch (error) {
      if (batch === this.#waiting && error instanceof StoreBusy) this.#tryAgain(error);
      else this.#reject(batch, error);
    }
  }

  #tryAgain(error: StoreBusy): void {
    const now = performance.now();
    const isLate = ({ until }: Waiting) => until <= now;
    const batch = this.#waiting;
    this.#reject(batch.filter(isLate), error);
    this.#waiting = batch.filter((waiting) => !isLate(waiting));
    setTimeout(() => this.#writeWaiting(), PAUSE_MS);
  }

  #reject(batch: readonly Waiting[], error: unknown): void {
    this.#waiting = [];
    for (const { reject } of batch) reject(error);
  }

  /** Reads the ticks of others if some of them could be removed soon, and saves a bucket if it is time. */
  #prepare(): void {
    const now = performance.now();
    if (now - this.#usedAt > IDLE_MS) this.#catchUp();
    this.#usedAt = now;
    if (this.#unsaved < CHANGES_PER_BUCKET) return;
    const oldest = this.#oldest.get() as Pick<SavedBucket, 'number' | 'tick'>;
    const { number, tick, at, lines } = this.#state.save(oldest.number);
    this.#saveBucket.run(number, tick, at, lines);
    this.#removeTicks.run(oldest.tick);
    this.#unsaved = 0;
  }

  /**
   * Applies the ticks that were written since the last time, by any process.
   *
   * @param own the number of one that this process has written
   * @returns the outcome of its changes
   */
  #catchUp(own?: number): Admission[] {
    let outcome: Admission[] = [];
    for (const { id, at, changes } of this.#readTicks()) {
      const admissions = this.#state.apply({ id, at, changes: JSON.parse(changes) as CounterChange[] });
      if (id === own) outcome = admissions;
    }
    return outcome;
  }

  /** Reads the ticks that the counters lack, and all counters if some of those ticks are removed. */
  #readTicks(): TickRow[] {
    const ticks = this.#ticksAfter.all(this.#state.last) as unknown as TickRow[];
    if (ticks[0] === undefined || ticks[0].id === this.#state.last + 1) return ticks;
    return this.#file.readTogether(() => {
      this.#state = new CounterState(this.#buckets.all() as unknown as SavedBucket[]);
      return this.#ticksAfter.all(this.#state.last) as unknown as TickRow[];
    });
  }
}
