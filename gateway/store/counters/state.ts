import { type Counters, countersAt, timeAfter, UNUSED } from '../../plans/counters.ts';
import type { Admission, Reading } from '../store.ts';
import { accountOf, applyChange, type CounterChange, telling } from './change.ts';
import type { CounterLine } from './line.ts';

/** How many accounts a line of a snapshot has. */
const LINE_ACCOUNTS = 100;

/** The counters of all accounts: what the lines of the log make of them, and nothing else, so that they are the same in each process. */
export class CounterState {
  readonly #accounts = new Map<string, Counters>();
  /** When they were changed last, ms since 1970. */
  #time = 0;

  /** @returns what became of each change */
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

  /** Lines that make of an empty state what this one is now; what is changed while they are read is not in them. */
  snapshot(): Generator<CounterLine> {
    return describeAccounts(this.#time, [...this.#accounts]);
  }

  #find(account: string): Counters {
    return this.#accounts.get(account) ?? UNUSED;
  }

  #change(change: CounterChange): Admission {
    const account = accountOf(change);
    const admission = applyChange(change, this.#find(account), this.#time);
    if (admission.counters === UNUSED) this.#accounts.delete(account);
    else this.#accounts.set(account, admission.counters);
    return admission;
  }
}

function* describeAccounts(at: number, accounts: [string, Counters][]): Generator<CounterLine> {
  for (let first = 0; first === 0 || first < accounts.length; first += LINE_ACCOUNTS) {
    const some = accounts.slice(first, first + LINE_ACCOUNTS);
    yield { at, changes: some.map(([account, counters]) => telling(account, counters)) };
  }
}
