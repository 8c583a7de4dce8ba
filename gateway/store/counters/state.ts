import {
  addRequest,
  type Counters,
  countersAt,
  isSpent,
  readCounters,
  timeAfter,
  UNUSED,
  uncountRequest,
  writeCounters,
} from '../../plans/counters.ts';
import type { Admission, Reading } from '../store.ts';
import type { CounterChange, CounterLine } from './line.ts';

/** How many accounts a line of a snapshot has. */
const LINE_ACCOUNTS = 100;

/** The counters of all accounts. They depend on the lines of the log alone, so that they are the same in each process. */
export class CounterState {
  readonly #accounts = new Map<string, Counters>();
  /** When they were changed last, ms since 1970. */
  #time = 0;

  /** @returns the outcome of each change */
  apply({ at, changes }: CounterLine): Admission[] {
    this.#time = timeAfter(this.#time, at);
    return changes.map((change) => this.#change(change));
  }

  /**
   * What an account has used.
   *
   * @param now ms since 1970
   */
  read(account: string, now: number): Reading {
    const at = timeAfter(this.#time, now);
    return { counters: countersAt(this.#find(account), at), at };
  }

  /** Forgets the accounts that have used nothing by the time of the last line. */
  forgetUnused(): void {
    for (const [account, kept] of this.#accounts) {
      const { times, count } = countersAt(kept, this.#time);
      if (times.length === 0 && count === 0) this.#accounts.delete(account);
    }
  }

  /** Of how many accounts something is known. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Lines that make an empty state what this one is now; what is changed while they are read is not in them. */
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

/** The first line is there even without an account, because it holds the time. */
function* describeAccounts(at: number, accounts: [string, Counters][]): Generator<CounterLine> {
  for (let first = 0; first === 0 || first < accounts.length; first += LINE_ACCOUNTS) {
    const some = accounts.slice(first, first + LINE_ACCOUNTS);
    yield { at, changes: some.map(([account, counters]) => ['set', account, writeCounters(counters)]) };
  }
}

/**
 * What a change makes of its account's counters.
 *
 * @param kept as they were when they were changed last
 * @param at when it is made, ms since 1970
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
    case 'set':
      return { counters: readCounters(change[2]), at, admitted: false };
    default:
      return { counters: UNUSED, at, admitted: false };
  }
}
