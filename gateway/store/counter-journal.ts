import type { Database, RootDatabase } from 'lmdb';
import {
  addRequest,
  type Counters,
  countersAt,
  readCounters,
  UNUSED,
  uncountRequest,
  writeCounters,
} from '../quota/counters.ts';

/**
 * A change of one account's counters: `+<account>` counts, `-<time> <account>` takes back, `=<account>` makes future requests present ones, and
 * `!<account>` forgets.
 */
type Change = string;

/** The counters of an account. Changes are numbered, over all accounts. */
interface Known {
  counters: Counters;
  /** The account's record has all of its changes up to this one. */
  written: number;
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
 *
 * Reading begins with `catchUp`. Changes are made in a write transaction, which begins with `catchUp` and ends with `write`; `reset` follows
 * where it fails.
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
  /** Changes that are in memory and in no entry yet. */
  #added: Change[] = [];

  readonly #size: JournalSize;

  constructor(root: RootDatabase<unknown, string>, size = SIZE) {
    this.#size = size;
    this.#entries = root.openDB<string, number>('journal', { encoding: 'string' });
    this.#records = root.openDB<string, string>('accounts', { encoding: 'string' });
  }

  /** Reads what other processes added since the last time. */
  catchUp(): void {
    // Where the last entry that was read is gone, later ones may be gone as well.
    if (!this.#entries.doesExist(this.#last)) this.#restart();
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      const { at, changes } = readEntry(entry);
      this.#last = this.#seen + 1;
      this.#seen += changes.length;
      for (const change of changes) this.#replay(change, at);
    }
  }

  /** The counters of an account, as they were when they were changed last. */
  get(account: string): Counters {
    return this.#find(account).counters;
  }

  /** Counts a request. */
  count(account: string, counters: Counters): void {
    this.#change(account, counters, `+${account}`);
  }

  /** Takes back a request that was counted at a time. */
  uncount(account: string, counters: Counters, time: number): void {
    this.#change(account, counters, `-${time} ${account}`);
  }

  /** Keeps counters in which requests of the future have become present ones, after the clock was set back. */
  settle(account: string, counters: Counters): void {
    this.#change(account, counters, `=${account}`);
  }

  /** Forgets an account. */
  remove(account: string): void {
    this.#change(account, UNUSED, `!${account}`);
  }

  /**
   * Writes an entry of what was changed since the last.
   *
   * @param at when all of it was, ms since 1970
   */
  write(at: number): void {
    const changes = this.#added;
    if (changes.length === 0) return;
    this.#added = [];
    this.#last = this.#seen + 1;
    this.#seen += changes.length;
    this.#entries.putSync(this.#last, [at, ...changes].join('\t'));
    const { longest, slack } = this.#size;
    if (this.#seen - this.#oldest >= longest + slack) this.#shorten();
  }

  /** Has all read anew, after a transaction that failed: memory may have what the environment has not. */
  reset(): void {
    this.#added = [];
    this.#last = 0;
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

  #change(account: string, counters: Counters, change: Change): void {
    this.#set(account, this.#find(account), counters);
    this.#added.push(change);
  }

  #set(account: string, known: Known, counters: Counters): void {
    known.counters = counters;
    this.#known.set(account, known);
  }

  #replay(change: Change, at: number): void {
    const account = accountOf(change);
    const known = this.#find(account);
    if (known.written < this.#seen)
      this.#set(account, known, applyChange(change, countersAt(known.counters, at), at));
  }

  #shorten(): void {
    // Another process may have let some go.
    this.#oldest = this.#first() as number;
    const { longest, mostWritten } = this.#size;
    let written = 0;
    // The last one stays: the next change is numbered after it.
    while (this.#oldest < this.#last && this.#seen - this.#oldest >= longest && written < mostWritten) {
      const { changes } = readEntry(this.#entries.get(this.#oldest) as string);
      const end = this.#oldest + changes.length;
      for (const change of changes) if (this.#save(accountOf(change), end - 1)) written++;
      this.#entries.removeSync(this.#oldest);
      this.#oldest = end;
    }
    if (this.#oldest <= this.#aged) return;
    this.#aging = this.#known;
    this.#known = new Map();
    this.#aged = this.#seen;
  }

  /** Writes an account's record, unless it has all up to a change; tells whether it did. */
  #save(account: string, change: number): boolean {
    const known = this.#known.get(account) ?? this.#aging.get(account);
    if (known === undefined || known.written >= change) return false;
    known.written = this.#seen;
    if (known.counters === UNUSED) this.#records.removeSync(account);
    else this.#records.putSync(account, `${this.#seen} ${writeCounters(known.counters)}`);
    return true;
  }
}

function readEntry(entry: string): { at: number; changes: Change[] } {
  const [at, ...changes] = entry.split('\t');
  return { at: Number(at), changes };
}

function accountOf(change: Change): string {
  return change.startsWith('-') ? change.slice(change.indexOf(' ') + 1) : change.slice(1);
}

/** @param counters as `countersAt` gives them for the time of the entry */
function applyChange(change: Change, counters: Counters, at: number): Counters {
  if (change.startsWith('+')) return addRequest(counters, at);
  if (change.startsWith('-')) return uncountRequest(counters, Number(change.slice(1, change.indexOf(' '))));
  return change.startsWith('=') ? counters : UNUSED;
}
