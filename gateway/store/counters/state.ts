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
} from '../../plans/counters.ts';
import type { Admission, Reading } from '../store.ts';
import type { CounterChange, CounterLine } from './line.ts';

/** How many accounts are in one line of a snapshot. */
const LINE_ACCOUNTS = 100;

/** The counters of all accounts. They depend only on the lines of the log, so they are the same in each process. */
export class CounterState {
  readonly #accounts = new Map<string, Counters>();
  /** The time of the last change, ms since 1970. */
  #time = 0;

  /** @returns the outcome of each change */
  apply({ at, changes }: CounterLine): Admission[] {
    this.#time = timeAfter(this.#time, at);
    return changes.map((change) => this.#change(change));
  }

  /**
   * Returns what an account has used.
   *
   * @param now ms since 1970
   */
  read(account: string, now: number): Reading {
    const at = timeAfter(this.#time, now);
    return { counters: countersAt(this.#find(account), at), at };
  }

  /** Forgets the accounts that have nothing in use at the time of the last line. */
  forgetUnused(): void {
    for (const [account, kept] of this.#accounts) {
      const { times, count } = countersAt(kept, this.#time);
      if (times.length === 0 && count === 0) this.#accounts.delete(account);
    }
  }

  /** How many accounts have counters. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Returns lines that turn an empty state into this one, without the changes that are made while they are read. */
  snapshot(): Generator<CounterLine> {
    return describeAccounts(this.#time, [...this.#accounts]);
  }

  #find(account: string): Counters {
    return this.#accounts.get(account) ?? UNUSED;
  }

  #change(change: CounterChange): Admission {
    const account = change[1];
    const admission = applyChange(change, this.#find(account), this.#time);
    if (admission.counters === UNUSED) this.#accounts.delete(account);
    else this.#accounts.set(account, admission.counters);
    return admission;
  }
}

/** Yields a first line even without accounts, because it holds the time. */
function* describeAccounts(at: number, accounts: [string, Counters][]): Generator<CounterLine> {
  for (let first = 0; first === 0 || first < accounts.length; first += LINE_ACCOUNTS) {
    const some = accounts.slice(first, first + LINE_ACCOUNTS);
    yield { at, changes: some.map(([account, counters]) => ['set', account, writeCounters(counters)]) };
  }
}

/**
 * Applies a change to its account's counters.
 *
 * @param kept the counters after their last change
 * @param at the time of this change, ms since 1970
 */
function applyChange(change: CounterChange, kept: Counters, at: number): Admission {
  switch (change[0]) {
    case 'count': {
      const counters = countersAt(kept, at);
      const admitted = !isSpent(counters, { minute: change[2], day: change[3] });
      return { counters: admitted ? addRequest(counters, at) : counters, at, admitted };
    }
    case 'uncount':
      return { counters: uncountRequest(countersAt(kept, at), change[2]), at, admitted: false };
    case 'merge': {
      const counters = mergeCounters(countersAt(kept, at), readCounters(change[2]), at);
      return { counters, at, admitted: false };
    }
    case 'set':
      return { counters: readCounters(change[2]), at, admitted: false };
    default:
      return { counters: UNUSED, at, admitted: false };
  }
}
