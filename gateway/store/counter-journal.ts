import type { Database, RootDatabase } from 'lmdb';
import { type Counters, readCounters, UNUSED, writeCounters } from '../quota/counters.ts';
import { accountOf, applyChange, type CounterChange } from './counter-change.ts';

/** The counters of an account. Changes are numbered, over all accounts. */
interface Known {
  counters: Counters;
  /** The account's record has all of its changes up to this one. */
  written: number;
}

/** What a transaction is about to make of an account. */
interface Staged {
  known: Known;
  counters: Counters;
}

/** How long a journal becomes, in changes. */
interface JournalSize {
  /** How many it keeps. */
  longest: number;
  /** How many more it has when its oldest entries go: several go at a time, because they share pages. */
  slack: number;
  /** Once so many records are written, the next entries stay for a later commit, so that none takes long. */
  mostWritten: number;
}

const SIZE: JournalSize = { longest: 100_000, slack: 500, mostWritten: 250 };

/**
 * The counters of all accounts in an LMDB environment. What one commit changes is one entry of a journal, whether it is of one account or of
 * a hundred: records of their own would each have a page copied and written. Each process has in memory what the journal tells. Before an
 * entry goes from a journal that is too long, its accounts' records are written, with all that came since: whoever is counted often is
 * written seldom.
 */
export class CounterJournal {
  /** `<ms since 1970>` and the changes, each after a tab, by the number of the first of them. */
  readonly #entries: Database<string, number>;
  /** `<change> <counters>` by account: its counters after that change, which may be of another. */
  readonly #records: Database<string, string>;
  /** The accounts that were changed after the change `#aged`, but for those whose records had it all when they were read. */
  #known = new Map<string, Known>();
  /** Those that were changed up to it. They go once no entry tells of that: their records have it all. */
  #aging = new Map<string, Known>();
  #aged = 0;
  /** The first change of the last entry that is in memory; 0 where all is to be read anew. */
  #last = 0;
  /** The last change that is in memory. */
  #seen = 0;
  /** The first change that an entry has. */
  #oldest = 1;

  // What the transaction under way has changed; it is in the rest of the memory once it is committed.
  readonly #staged = new Map<string, Staged>();
  readonly #saved = new Set<Known>();
  #changes: CounterChange[] = [];
  #oldestStaged = 1;

  readonly #root: RootDatabase<unknown, string>;
  readonly #size: JournalSize;

  constructor(root: RootDatabase<unknown, string>, size = SIZE) {
    this.#root = root;
    this.#size = size;
    this.#entries = root.openDB<string, number>('journal', { encoding: 'string' });
    this.#records = root.openDB<string, string>('accounts', { encoding: 'string' });
  }

  /** The counters of an account, as they were when they were changed last. */
  read(account: string): Counters {
    this.#catchUp();
    return this.#find(account).counters;
  }

  /**
   * Changes counters, in one transaction.
   *
   * @param now ms since 1970; asked within the transaction
   * @param work calls `get` and `change`; where it throws, nothing is changed
   */
  transact<T>(now: () => number, work: (at: number) => T): T {
    try {
      const done = this.#root.transactionSync(() => {
        this.#catchUp();
        const at = now();
        const result = work(at);
        if (this.#changes.length > 0) this.#write(at);
        return result;
      });
      if (this.#changes.length > 0) this.#apply();
      return done;
    } finally {
      this.#changes = [];
      this.#staged.clear();
      this.#saved.clear();
    }
  }

  /** As `read`, within a transaction. */
  get(account: string): Counters {
    return (this.#staged.get(account) ?? this.#find(account)).counters;
  }

  /**
   * Changes an account's counters, within a transaction.
   *
   * @param at the transaction's time
   * @returns what they are then
   */
  change(change: CounterChange, at: number): Counters {
    const account = accountOf(change);
    const staged = this.#staged.get(account);
    const known = staged?.known ?? this.#find(account);
    const counters = applyChange(change, (staged ?? known).counters, at);
    this.#staged.set(account, { known, counters });
    this.#changes.push(change);
    return counters;
  }

  /** Writes an entry of what was changed. */
  #write(at: number): void {
    const first = this.#seen + 1;
    const seen = this.#seen + this.#changes.length;
    this.#entries.putSync(first, [at, ...this.#changes].join('\t'));
    this.#oldestStaged = this.#oldest;
    const { longest, slack } = this.#size;
    if (seen - this.#oldest >= longest + slack) this.#shorten(first, seen);
  }

  #apply(): void {
    this.#last = this.#seen + 1;
    this.#seen += this.#changes.length;
    for (const [account, { known, counters }] of this.#staged) this.#set(account, known, counters);
    for (const known of this.#saved) known.written = this.#seen;
    this.#oldest = this.#oldestStaged;
    if (this.#oldest <= this.#aged) return;
    this.#aging = this.#known;
    this.#known = new Map();
    this.#aged = this.#seen;
  }

  /** Reads what other processes added since the last time. */
  #catchUp(): void {
    // Where the last entry that was read is gone, later ones may be gone as well.
    if (!this.#entries.doesExist(this.#last)) this.#restart();
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      const { at, changes } = readEntry(entry);
      const last = this.#seen + 1;
      // Until all of it is read: where that fails, all is to be read anew.
      this.#last = 0;
      this.#seen += changes.length;
      for (const change of changes) this.#replay(change, at);
      this.#last = last;
    }
  }

  #restart(): void {
    this.#known = new Map();
    this.#aging = new Map();
    this.#aged = 0;
    this.#oldest = this.#first() ?? 1;
    this.#seen = this.#oldest - 1;
  }

  #next(): string | undefined {
    return this.#entries.get(this.#seen + 1);
  }

  #first(): number | undefined {
    for (const number of this.#entries.getKeys({ limit: 1 })) return number;
    return undefined;
  }

  #find(account: string): Known {
    return this.#known.get(account) ?? this.#aging.get(account) ?? this.#read(account);
  }

  #read(account: string): Known {
    const record = this.#records.get(account);
    if (record === undefined) return { counters: UNUSED, written: 0 };
    const space = record.indexOf(' ');
    return { counters: readCounters(record.slice(space + 1)), written: Number(record.slice(0, space)) };
  }

  #set(account: string, known: Known, counters: Counters): void {
    known.counters = counters;
    this.#known.set(account, known);
  }

  #replay(change: CounterChange, at: number): void {
    const account = accountOf(change);
    const known = this.#find(account);
    if (known.written < this.#seen) this.#set(account, known, applyChange(change, known.counters, at));
  }

  /**
   * Lets the oldest entries go.
   *
   * @param last the first change of the last entry
   * @param seen its last change
   */
  #shorten(last: number, seen: number): void {
    const { longest, mostWritten } = this.#size;
    // Another process may have let some go.
    let oldest = this.#first() as number;
    // The last one stays: the next change is numbered after it.
    while (oldest < last && seen - oldest >= longest && this.#saved.size < mostWritten) {
      const { changes } = readEntry(this.#entries.get(oldest) as string);
      const end = oldest + changes.length;
      for (const change of changes) this.#save(accountOf(change), end - 1, seen);
      this.#entries.removeSync(oldest);
      oldest = end;
    }
    this.#oldestStaged = oldest;
  }

  /** Writes an account's record, unless it has all up to a change. */
  #save(account: string, change: number, seen: number): void {
    const staged = this.#staged.get(account);
    const known = staged?.known ?? this.#known.get(account) ?? this.#aging.get(account);
    if (known === undefined || known.written >= change || this.#saved.has(known)) return;
    this.#saved.add(known);
    const { counters } = staged ?? known;
    if (counters === UNUSED) this.#records.removeSync(account);
    else this.#records.putSync(account, `${seen} ${writeCounters(counters)}`);
  }
}

function readEntry(entry: string): { at: number; changes: CounterChange[] } {
  const [at, ...changes] = entry.split('\t');
  return { at: Number(at), changes };
}
