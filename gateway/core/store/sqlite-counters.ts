import type { StatementSyncInstance } from '@photostructure/sqlite';
import { type Counters, type Limits, writeCounters } from '../plans/counters.ts';
import {
  bucketSavedAt,
  type CounterChange,
  CounterState,
  firstNeededAfter,
  type Tick,
} from './counter-state.ts';
import { type SqliteFile, StoreBusy } from './sqlite-file.ts';
import { type Admission, type Reading, type Store, StoreError } from './store.ts';

/** The name of the file with all counters. */
export const COUNTERS = 'counters.sqlite';

export const COUNTER_SCHEMA = `
  CREATE TABLE tick (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, changes TEXT NOT NULL) STRICT;
  CREATE TABLE bucket (number INTEGER PRIMARY KEY, tick INTEGER NOT NULL, lines TEXT NOT NULL) STRICT`;

/** Options of the counters in a database file. */
export interface SqliteCountersOptions {
  file: SqliteFile;
  /** ms since 1970 */
  now: () => number;
  /** How long a request waits until it is counted, in ms. */
  waitMs: number;
}

/** A change that is not written yet. */
interface Waiting {
  change: CounterChange;
  /** Until when it is tried, ms by `performance.now()`. */
  until: number;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
}

/** The pause before a batch is tried again that found the database locked, in ms. */
const PAUSE_MS = 2;
/** How long the process waits for the lock when it ends, in ms. */
const CLOSING_MS = 1000;

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
  readonly #saveBucket: StatementSyncInstance;
  readonly #removeTicks: StatementSyncInstance;
  readonly #ticksAfter: StatementSyncInstance;
  readonly #buckets: StatementSyncInstance;
  #state: CounterState | undefined;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor({ file, now, waitMs }: SqliteCountersOptions) {
    this.#file = file;
    this.#now = now;
    this.#waitMs = waitMs;
    // Only as the next tick: older ones may be gone, so that a number which is free again proves nothing.
    this.#insert = file.prepare(
      'INSERT INTO tick SELECT ?1, ?2, ?3 WHERE ?1 = 1 + ifnull((SELECT max(id) FROM tick), 0)',
    );
    this.#saveBucket = file.prepare('INSERT OR REPLACE INTO bucket VALUES (?, ?, ?)');
    this.#removeTicks = file.prepare('DELETE FROM tick WHERE id < ?');
    this.#ticksAfter = file.prepare('SELECT id, at, changes FROM tick WHERE id > ? ORDER BY id');
    this.#buckets = file.prepare('SELECT number, tick, lines FROM bucket');
  }

  countRequest(account: string, { minute, day }: Limits): Promise<Admission> {
    return this.#add(['count', account, minute, day]);
  }

  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#add(['uncount', account, at]);
  }

  readCounters(account: string): Promise<Reading> {
    return this.#file.retry(this.#waitMs, () => this.#catchUp().read(account, this.#now()));
  }

  /** A batch is written or it is not, which is known at once, so no id is needed. */
  mergeCounters(account: string, counters: Counters): Promise<Reading> {
    return this.#add(['merge', account, writeCounters(counters)]);
  }

  async removeCounters(account: string): Promise<void> {
    await this.#add(['forget', account]);
  }

  /** Writes the waiting changes. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    this.#file.waitForLock(CLOSING_MS);
    this.#writeWaiting();
    clearTimeout(this.#timer);
    this.#rejectLate(new StoreError('the store is closed'));
  }

  #add(change: CounterChange): Promise<Admission> {
    return new Promise((resolve, reject) => {
      // `batchPerTick` in wire/ starts all requests of a tick in one go, so all of them have been added by then.
      if (this.#waiting.length === 0) process.nextTick(() => this.#writeWaiting());
      this.#waiting.push({ change, until: performance.now() + this.#waitMs, resolve, reject });
    });
  }

  #writeWaiting(): void {
    if (this.#waiting.length === 0 || this.#timer !== undefined) return;
    try {
      const admissions = this.#file.attempt(() => this.#write(this.#waiting.map(({ change }) => change)));
      const done = this.#waiting;
      this.#waiting = [];
      for (const [index, { resolve }] of done.entries()) resolve(admissions[index] as Admission);
    } catch (error) {
      if (error instanceof StoreBusy) this.#tryAgain(error);
      else this.#rejectLate(error);
    }
  }

  #tryAgain(error: StoreBusy): void {
    this.#rejectLate(error, performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writeWaiting();
    }, PAUSE_MS);
  }

  /** Rejects the changes that cannot wait any longer. */
  #rejectLate(error: unknown, now = Number.POSITIVE_INFINITY): void {
    const late = this.#waiting.filter(({ until }) => until <= now);
    this.#waiting = this.#waiting.filter(({ until }) => until > now);
    for (const { reject } of late) reject(error);
  }

  /** Makes changes, one after the other, with no changes of other processes in between. */
  #write(changes: readonly CounterChange[]): Admission[] {
    const text = JSON.stringify(changes);
    for (let state = this.#state ?? this.#catchUp(); ; ) {
      const tick = { id: state.last + 1, at: state.timeAt(this.#now()), changes };
      if (this.#insertTick(state, tick, text)) return state.apply(tick);
      const { last } = state;
      state = this.#catchUp();
      // The file has fewer ticks than this process knows.
      if (state.last === last) state = this.#state = this.#load();
    }
  }

  /** @returns false if another process has written a tick with this number or a later one */
  #insertTick(state: CounterState, { id, at }: Tick, changes: string): boolean {
    const insert = () => Number(this.#insert.run(id, at, changes).changes) === 1;
    const bucket = bucketSavedAt(id);
    if (bucket === undefined) return insert();
    return this.#file.write(() => {
      if (!insert()) return false;
      this.#saveBucket.run(bucket, id, state.save(bucket));
      this.#removeTicks.run(firstNeededAfter(id));
      return true;
    });
  }

  /** Returns the state after the last tick of any process. */
  #catchUp(): CounterState {
    this.#state = (this.#state && this.#applyNew(this.#state)) ?? this.#load();
    return this.#state;
  }

  #load(): CounterState {
    return this.#file.readTogether(() => {
      const state = new CounterState();
      for (const { number, tick, lines } of this.#buckets.all() as Record<
        'number' | 'tick' | 'lines',
        never
      >[])
        state.restore(number, tick, lines);
      this.#applyNew(state, true);
      return state;
    });
  }

  /** @returns undefined if ticks are missing, which were removed while this process did nothing for a long time */
  #applyNew(state: CounterState, isNew = false): CounterState | undefined {
    const ticks = this.#ticksAfter.all(state.last) as { id: number; at: number; changes: string }[];
    if (!isNew && ticks.length > 0 && ticks[0]?.id !== state.last + 1) return undefined;
    for (const { id, at, changes } of ticks)
      state.apply({ id, at, changes: JSON.parse(changes) as CounterChange[] });
    return state;
  }
}
