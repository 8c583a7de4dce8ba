import { crc32 } from 'node:zlib';
import {
  addRequest,
  type Counters,
  countersAt,
  isSpent,
  mergeCounters,
  readCounters,
  timeAfter,
  UNUSED,
  uncountRequest,
  writeCounters,
} from '../access/counters.ts';
import type { Admission, Reading } from './store.ts';

/** A change of one account's counters. */
export type CounterChange =
  /** Counts a request, unless one of these caps is reached. */
  | readonly ['count', account: string, minute: number, day: number]
  /** Removes the request that was counted at this time, ms since 1970. */
  | readonly ['uncount', account: string, time: number]
  /** Counts the requests of these counters, which `writeCounters` returned, whatever the caps. */
  | readonly ['merge', account: string, counters: string]
  | readonly ['forget', account: string];

/** The changes of one event-loop tick of one process. */
export interface Tick {
  /** Ticks have successive numbers, beginning with 1. */
  id: number;
  /** The time of its changes by the clock of the process that made them, ms since 1970. */
  at: number;
  changes: readonly CounterChange[];
}

/** The counters of a bucket as they were after a tick. */
export interface SavedBucket {
  number: number;
  /** The number of that tick, and the time of the counters then. */
  tick: number;
  at: number;
  /** From `save`. */
  lines: string;
}

/** The accounts are divided into this many buckets by their names. */
export const BUCKETS = 256;
/** Every so many ticks, one bucket is cleared of accounts that use nothing, in turn. */
const TICKS_PER_CLEARING = 256;

/** The counters of all accounts. They depend only on the ticks, so they are the same in each process. */
export class CounterState {
  readonly #buckets: Map<string, Counters>[] = Array.from({ length: BUCKETS }, () => new Map());
  /** The tick after which each bucket was saved. */
  readonly #savedAt: number[] = new Array(BUCKETS).fill(0);
  #last = 0;
  #time = 0;

  /** @param saved all buckets, the oldest first; the ticks after that one are to be applied */
  constructor(saved: readonly SavedBucket[] = []) {
    for (const { number, tick, lines } of saved) {
      this.#savedAt[number] = tick;
      for (const [account, line] of JSON.parse(lines) as [string, string][])
        this.#buckets[number]?.set(account, readCounters(line));
    }
    if (saved[0]) [this.#last, this.#time] = [saved[0].tick, saved[0].at];
  }

  /** The number of the last tick. */
  get last(): number {
    return this.#last;
  }

  /** Returns the time of a change now, or of reading: see `timeAfter`. */
  timeAt(now: number): number {
    return timeAfter(this.#time, now);
  }

  /** @returns the outcome of each change */
  apply({ id, at, changes }: Tick): Admission[] {
    this.#last = id;
    this.#time = this.timeAt(at);
    if (id % TICKS_PER_CLEARING === 0) this.#forgetUnused((id / TICKS_PER_CLEARING) % BUCKETS);
    return changes.map((change) => this.#change(change, id));
  }

  read(account: string, now: number): Reading {
    const at = this.timeAt(now);
    return { counters: countersAt(this.#buckets[bucketOf(account)]?.get(account) ?? UNUSED, at), at };
  }

  /** Returns a bucket after the last tick. */
  save(number: number): SavedBucket {
    const lines = [...(this.#buckets[number] ?? [])].map(([name, before]) => [name, writeCounters(before)]);
    return { number, tick: this.#last, at: this.#time, lines: JSON.stringify(lines) };
  }

  #change(change: CounterChange, tick: number): Admission {
    const account = change[1];
    const index = bucketOf(account);
    const bucket = this.#buckets[index] as Map<string, Counters>;
    const before = bucket.get(account) ?? UNUSED;
    // The saved counters contain the changes of earlier ticks already.
    if (tick <= (this.#savedAt[index] ?? 0)) return { counters: before, at: this.#time, admitted: false };
    const admission = applyChange(change, before, this.#time);
    if (admission.counters === UNUSED) bucket.delete(account);
    else bucket.set(account, admission.counters);
    return admission;
  }

  #forgetUnused(index: number): void {
    const bucket = this.#buckets[index];
    for (const [account, before] of bucket ?? []) {
      const { times, count } = countersAt(before, this.#time);
      if (times.length === 0 && count === 0) bucket?.delete(account);
    }
  }
}

function bucketOf(account: string): number {
  return crc32(account) % BUCKETS;
}

/**
 * Applies a change to its account's counters.
 *
 * @param before the counters after their last change
 * @param at the time of this change, ms since 1970
 */
function applyChange(change: CounterChange, before: Counters, at: number): Admission {
  const counters = countersAt(before, at);
  switch (change[0]) {
    case 'count': {
      const admitted = !isSpent(counters, { minute: change[2], day: change[3] });
      return { counters: admitted ? addRequest(counters, at) : counters, at, admitted };
    }
    case 'uncount':
      return { counters: uncountRequest(counters, change[2]), at, admitted: false };
    case 'merge':
      return { counters: mergeCounters(counters, readCounters(change[2]), at), at, admitted: false };
    default:
      return { counters: UNUSED, at, admitted: false };
  }
}
