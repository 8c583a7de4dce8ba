import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import {
  addRequest,
  countersAt,
  isSpent,
  readCounters,
  writeCounters,
} from '../../../../gateway/access/counters.ts';
import { openSqliteStore } from '../../../../gateway/store/sqlite-store.ts';

/**
 * Counts requests of 24,000 accounts in a store that is a folder, several per event-loop tick, and prints the microseconds of processor time per
 * request. With rows, the same database keeps one row of counters for each account instead.
 *
 * Usage: count-requests <store|rows> <requests> <requests per tick>
 */
const [side, requests = '', perTick = ''] = process.argv.slice(2) as ['store' | 'rows', string, string];
const LIMITS = { minute: 10, day: 200 };
const ACCOUNTS = 24_000;
/** Shares no factor with the number of accounts, so that every account is counted once before any is counted again. */
const STRIDE = 7919;
const accounts = Array.from({ length: ACCOUNTS }, (_, n) => `account-${String(n).padStart(12, '0')}`);

const folder = mkdtempSync(join(tmpdir(), 'count-requests-'));
const { count, close } = side === 'store' ? await openStore() : openRows();
await countAll();
const begin = process.cpuUsage();
await countAll();
const { user, system } = process.cpuUsage(begin);
await close();
rmSync(folder, { recursive: true });
process.stdout.write(String((user + system) / Number(requests)));

async function countAll(): Promise<void> {
  for (let counted = 0; counted < Number(requests); counted += Number(perTick)) {
    const batch = Array.from(
      { length: Number(perTick) },
      (_, n) => accounts[((counted + n) * STRIDE) % ACCOUNTS] as string,
    );
    await count(batch);
  }
}

async function openStore() {
  const store = await openSqliteStore(folder);
  return {
    count: (batch: string[]): Promise<unknown> =>
      Promise.all(batch.map((account) => store.countRequest(account, LIMITS))),
    close: () => store.close(),
  };
}

function openRows() {
  const database = new DatabaseSync(join(folder, 'rows.sqlite'));
  database.exec('PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec('CREATE TABLE account (name TEXT PRIMARY KEY, line TEXT) WITHOUT ROWID');
  const [begin, commit] = ['BEGIN IMMEDIATE', 'COMMIT'].map((sql) => database.prepare(sql));
  const find = database.prepare('SELECT line FROM account WHERE name = ?');
  const put = database.prepare('INSERT OR REPLACE INTO account VALUES (?, ?)');
  const countOne = (account: string, at: number) => {
    const row = find.get(account) as { line: string } | undefined;
    const counters = countersAt(readCounters(row?.line), at);
    if (!isSpent(counters, LIMITS)) put.run(account, writeCounters(addRequest(counters, at)));
  };
  return {
    count: async (batch: string[]) => {
      begin?.run();
      for (const account of batch) countOne(account, Date.now());
      commit?.run();
    },
    close: async () => database.close(),
  };
}
