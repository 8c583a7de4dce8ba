import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countersAt, isSpent } from '../quota/counters.ts';
import { counting, forgetting, settling, takingBack } from './counter-change.ts';
import { CounterJournal } from './counter-journal.ts';
import { openLmdbFolder } from './lmdb-folder.ts';
import type { Admission, Reading, Store } from './store.ts';

/** The part of a store that counts requests. */
export interface CounterTable
  extends Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'removeCounters'> {
  close(): Promise<void>;
}

/** What is done to an account's counters within a transaction, at its time. */
type Work = (at: number) => Admission;

interface Waiting {
  work: Work;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
}

const FOLDER = 'quota';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Opens the counters below a store's folder: an LMDB environment of their own, because they are written all the time. What all requests
 * of one turn of the event loop change is one transaction. Its writes outlive the process, but are not forced to the disk: a machine
 * that loses its power may leave a damaged file. Each boot has a file of its own therefore; where the system does not tell
 * one boot from the next, writes are forced to the disk.
 *
 * @param now ms since 1970; asked within the transaction, so that the times of all processes are in the order of their commits
 * @param attempt does work on the store, and throws a StoreError when it fails or the store is closed
 * @throws StoreError when the folder cannot be used
 */
export function openCounters(
  store: string,
  now: () => number,
  attempt: <T>(work: () => T) => T,
): CounterTable {
  const boot = readBootId();
  const name = boot === undefined ? FOLDER : `${FOLDER}-${boot}`;
  const root = openLmdbFolder(join(store, name), { noSync: boot !== undefined });
  removeOthers(store, name);
  const journal = new CounterJournal(root);
  let waiting: Waiting[] = [];

  const flush = () => {
    if (waiting.length === 0) return;
    const flushed = waiting;
    waiting = [];
    try {
      const admissions = attempt(() => journal.transact(now, (at) => flushed.map(({ work }) => work(at))));
      flushed.forEach(({ resolve }, index) => {
        resolve(admissions[index] as Admission);
      });
    } catch (error) {
      for (const { reject } of flushed) reject(error);
    }
  };

  const apply = (work: Work) =>
    new Promise<Admission>((resolve, reject) => {
      // Requests of a turn are answered one after the other: all of them wait by then.
      if (waiting.length === 0) process.nextTick(flush);
      waiting.push({ work, resolve, reject });
    });

  return {
    countRequest: (account, limits) =>
      apply((at) => {
        const kept = journal.get(account);
        const before = countersAt(kept, at);
        if (!isSpent(before, limits))
          return { counters: journal.change(counting(account), at), at, admitted: true };
        if ((kept.times.at(-1) ?? at) > at) journal.change(settling(account), at);
        return { counters: before, at, admitted: false };
      }),
    uncountRequest: (account, time) =>
      apply((at) => ({ counters: journal.change(takingBack(account, time), at), at, admitted: false })),
    readCounters: async (account): Promise<Reading> =>
      attempt(() => {
        const at = now();
        return { counters: countersAt(journal.read(account), at), at };
      }),
    removeCounters: async (account) => {
      await apply((at) => ({ counters: journal.change(forgetting(account), at), at, admitted: false }));
    },
    async close() {
      flush();
      await root.close();
    },
  };
}

function readBootId(): string | undefined {
  try {
    return readFileSync(BOOT_ID, 'utf8').slice(0, 8);
  } catch {
    return undefined;
  }
}

/** Removes the counters of boots before. */
function removeOthers(store: string, name: string): void {
  for (const other of readdirSync(store)) {
    if (other.startsWith(`${FOLDER}-`) && other !== name)
      rmSync(join(store, other), { recursive: true, force: true });
  }
}
