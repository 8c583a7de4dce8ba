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
} from '../plans/counters.ts';
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
  /** The time of its changes, ms since 1970. */
  at: number;
  changes: readonly CounterChange[];
}

/** The accounts are divided into this many buckets by their ids. */
export const BUCKETS = 256;
/** Every so many ticks, one bucket is saved, in turn. */
const TICKS_PER_BUCKET = 64;

/** Returns the bucket that is saved with a tick, in the state before it; undefined if none is. */
export function bucketSavedAt(tick: number): number | undefined {
  return tick % TICKS_PER_BUCKET === 0 ? (tick / TICKS_PER_BUCKET) % BUCKETS : undefined;
}

/** Returns the first tick that is still needed when a bucket has been saved with a tick: all buckets were saved with that one or later. */
export function firstNeededAfter(tick: number): number {
  return tick - (BUCKETS - 1) * TICKS_PER_BUCKET;
}

/** The counters of all accounts. They depend only on the ticks, so they are the same in each process. */
export class CounterState {
  readonly #buckets: Map<string, Counters>[] = Array.from({ length: BUCKETS }, () => new Map());
  /** The tick before which each bucket was saved. */
  readonly #savedAt: number[] = new Array(BUCKETS).fill(0);
  #last = 0;
  #time = 0;

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
    this.#time = at;
    const bucket = bucketSavedAt(id);
    if (bucket !== undefined) this.#forgetUnused(bucket);
    return changes.map((change) => this.#change(change, id));
  }

  read(account: string, now: number): Reading {
    const at = this.timeAt(now);
    return { counters: countersAt(this.#bucketOf(account).get(account) ?? UNUSED, at), at };
  }

  /** Returns the counters of a bucket as a text. */
  save(bucket: number): string {
    const lines = [...(this.#buckets[bucket] ?? [])].map(([name, kept]) => [name, writeCounters(kept)]);
    return JSON.stringify(lines);
  }

  /**
   * Restores a bucket.
   *
   * @param tick with which it was saved
   * @param text from `save`
   */
  restore(bucket: number, tick: number, text: string): void {
    this.#savedAt[bucket] = tick;
    for (const [account, line] of JSON.parse(text) as [string, string][])
      this.#buckets[bucket]?.set(account, readCounters(line));
  }

  #change(change: CounterChange, tick: number): Admission {
    const account = change[1];
    const index = bucketOf(account);
    const bucket = this.#bucketOf(account);
    const kept = bucket.get(account) ?? UNUSED;
    // The saved counters contain the changes of earlier ticks already.
    if (tick < (this.#savedAt[index] ?? 0)) return { counters: kept, at: this.#time, admitted: false };
    const admission = applyChange(change, kept, this.#time);
    if (admission.counters === UNUSED) bucket.delete(account);
    else bucket.set(account, admission.counters);
    return admission;
  }

  #bucketOf(account: string): Map<string, Counters> {
    return this.#buckets[bucketOf(account)] as Map<string, Counters>;
  }

  #forgetUnused(index: number): void {
    const bucket = this.#buckets[index];
    for (const [account, kept] of bucket ?? []) {
      const { times, count } = countersAt(kept, this.#time);
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
 * @param kept the counters after their last change
 * @param at the time of this change, ms since 1970
 */
function applyChange(change: CounterChange, kept: Counters, at: number): Admission {
  const counters = countersAt(kept, at);
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
