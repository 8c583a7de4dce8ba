import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { RootDatabase } from 'lmdb';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addRequest,
  type Counters,
  countersAt,
  UNUSED,
  uncountRequest,
} from '../../../gateway/quota/counters.ts';
import {
  type CounterChange,
  counting,
  forgetting,
  settling,
  takingBack,
} from '../../../gateway/store/counter-change.ts';
import { CounterJournal } from '../../../gateway/store/counter-journal.ts';
import { openLmdbFolder } from '../../../gateway/store/lmdb-folder.ts';

const test = suite<{ folder: string; root: RootDatabase<unknown, string> }>('journal of counters');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'journal-'));
  context.root = openLmdbFolder(context.folder, { noSync: true });
});
test.after.each(async ({ folder, root }) => {
  await root.close();
  await rm(folder, { recursive: true });
});

const NOW = Date.parse('2030-05-01T12:00:00Z');
const ACCOUNTS = ['a', 'b', 'c', 'd e', '-f'];

/** What one process does in one commit, and how much later than the commit before. */
interface Commit {
  process: number;
  later: number;
  works: { account: string; kind: 'count' | 'uncount' | 'settle' | 'remove' }[];
  /** Afterwards: whether the process starts anew, fails in the next commit before or after it wrote its entry, or none of these. */
  next: 'restart' | 'fail before' | 'fail after' | 'go on';
}

const COMMITS: fc.Arbitrary<Commit[]> = fc.array(
  fc.record({
    process: fc.nat(2),
    later: fc.constantFrom(0, 1, 700, 20_000, 3_600_000, -90_000, 86_400_000),
    works: fc.array(
      fc.record({
        account: fc.constantFrom(...ACCOUNTS),
        kind: fc.constantFrom<Commit['works'][0]['kind'][]>(
          'count',
          'count',
          'count',
          'uncount',
          'settle',
          'remove',
        ),
      }),
      { maxLength: 6 },
    ),
    next: fc.constantFrom<Commit['next'][]>(
      'go on',
      'go on',
      'go on',
      'go on',
      'restart',
      'fail before',
      'fail after',
    ),
  }),
  { maxLength: 60 },
);

test('processes that change, fail and restart agree with one that keeps all in memory, however short the journal', ({
  root,
}) => {
  const disk = watchDisk(root);
  let gone = 0;
  fc.assert(
    fc.property(
      COMMITS,
      fc.nat(12),
      fc.nat(5),
      fc.integer({ min: 1, max: 4 }),
      (commits, longest, slack, mostWritten) => {
        const open = () => new CounterJournal(disk.root, { longest, slack, mostWritten });
        root.transactionSync(() => clear(root));
        const processes = [open(), open(), open()];
        const expected = new Map<string, Counters>();
        let at = NOW;
        for (const { process, later, works, next } of commits) {
          at += later;
          const journal = processes[process] as CounterJournal;
          journal.transact(
            () => at,
            () => {
              for (const { account, kind } of works) change(journal, expected, account, kind, at);
            },
          );
          if (next === 'restart') processes[process] = open();
          if (next === 'fail before') assert.throws(() => changeAll(journal, at, true), /no space/);
          if (next === 'fail after') {
            disk.whenFull(() => assert.throws(() => changeAll(journal, at), /no space/));
          }
          for (const reader of processes) {
            // Others read seldom, so that entries go that they have not read.
            if (reader !== journal && later > 0) continue;
            for (const account of ACCOUNTS)
              assert.equal(reader.read(account), expected.get(account) ?? UNUSED, account);
          }
        }
        const [first = 1] = [
          ...root.openDB<string, number>('journal', { encoding: 'string' }).getKeys({ limit: 1 }),
        ];
        if (first > 1) gone++;
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(gone > 50, `${gone}`);
});

test('a commit writes few records, those of the oldest entries, and many at a time', ({ root }) => {
  const journal = new CounterJournal(root, { longest: 10, slack: 10, mostWritten: 4 });
  const records = root.openDB<string, string>('accounts', { encoding: 'string' });
  const written: string[] = [];
  for (let n = 1; n <= 25; n++) {
    countOne(journal, `a${n}`);
    written.push([...records.getKeys()].join(' '));
  }
  const four = 'a1 a2 a3 a4';
  assert.equal(written, [...new Array(20).fill(''), four, four, four, four, `${four} a5 a6 a7 a8`]);
});

test('who is counted often is written seldom', ({ root }) => {
  const disk = watchDisk(root);
  const journal = new CounterJournal(disk.root, { longest: 10, slack: 0, mostWritten: 4 });
  for (let commit = 0; commit < 100; commit++) countOne(journal, 'a');
  assert.ok(disk.writes() <= 100 + 10, `100 entries and ${disk.writes() - 100} records`);
  assert.is(journal.read('a').count, 100);
});

test('after transactions that failed no entry is read anew', ({ root }) => {
  const disk = watchDisk(root);
  const journal = new CounterJournal(disk.root);
  for (let commit = 0; commit < 1000; commit++) countOne(journal, 'a');
  const before = disk.reads();
  disk.whenFull(() => {
    for (let time = 0; time < 3; time++) assert.throws(() => countOne(journal, 'a'), /no space/);
  });
  assert.is(journal.read('a').count, 1000);
  assert.ok(disk.reads() - before < 50, `${disk.reads() - before}`);
});

test.run();

function change(
  journal: CounterJournal,
  expected: Map<string, Counters>,
  account: string,
  kind: Commit['works'][0]['kind'],
  at: number,
): void {
  const kept = expected.get(account) ?? UNUSED;
  assert.equal(journal.get(account), kept, account);
  const before = countersAt(kept, at);
  const time = before.times[0] ?? at;
  const [made, counters] = {
    count: [counting(account), addRequest(before, at)],
    uncount: [takingBack(account, time), uncountRequest(before, time)],
    settle: [settling(account), before],
    remove: [forgetting(account), UNUSED],
  }[kind] as [CounterChange, Counters];
  assert.equal(journal.change(made, at), counters);
  expected.set(account, counters);
}

function countOne(journal: CounterJournal, account: string): void {
  journal.transact(
    () => NOW,
    (at) => journal.change(counting(account), at),
  );
}

/** A transaction that changes every account, and fails in the end where it is to. */
function changeAll(journal: CounterJournal, now: number, fails = false): void {
  journal.transact(
    () => now,
    (at) => {
      for (const account of ACCOUNTS) journal.change(counting(account), at);
      if (fails) throw new Error('no space');
    },
  );
}

/** The same environment, on a disk that is full when told so; and how many entries and records were read of it, and written. */
function watchDisk(root: RootDatabase<unknown, string>): {
  root: RootDatabase<unknown, string>;
  whenFull(work: () => void): void;
  reads(): number;
  writes(): number;
} {
  let isFull = false;
  let reads = 0;
  let writes = 0;
  const openDB = (...given: Parameters<typeof root.openDB>) => {
    const table = root.openDB(...given);
    const get = table.get.bind(table);
    const putSync = table.putSync.bind(table) as (...put: unknown[]) => boolean;
    table.get = (...asked: Parameters<typeof get>) => {
      reads++;
      return get(...asked);
    };
    table.putSync = (...put: unknown[]) => {
      writes++;
      return putSync(...put);
    };
    return table;
  };
  const transactionSync = <T>(work: () => T) =>
    root.transactionSync(() => {
      const done = work();
      if (isFull) throw new Error('no space');
      return done;
    });
  return {
    root: { openDB, transactionSync } as unknown as RootDatabase<unknown, string>,
    whenFull(work) {
      isFull = true;
      work();
      isFull = false;
    },
    reads: () => reads,
    writes: () => writes,
  };
}

function clear(root: RootDatabase<unknown, string>): void {
  for (const name of ['journal', 'accounts']) {
    const table = root.openDB<string, string | number>(name, { encoding: 'string' });
    for (const key of [...table.getKeys()]) table.removeSync(key);
  }
}
