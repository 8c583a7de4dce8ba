import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import {
  addRequest,
  countersAt,
  isSpent,
  readCounters,
  writeCounters,
} from '../../../../gateway/plans/counters.ts';
import { CounterLog } from '../../../../gateway/store/counters/counter-log.ts';

/**
 * Counts requests of 24,000 accounts, several per event-loop tick, and prints the microseconds of processor time per request. With LMDB,
 * the requests of a tick are one transaction, which does not wait for the disk.
 *
 * Usage: count-requests <log|lmdb> <requests> <requests per tick>
 */
const [side, requests = '', perTick = ''] = process.argv.slice(2) as ['log' | 'lmdb', string, string];
const LIMITS = { minute: 10, day: 200 };
const ACCOUNTS = 24_000;
/** Shares no factor with the number of accounts, so that every account is counted once before any is counted again. */
const STRIDE = 7919;
const accounts = Array.from({ length: ACCOUNTS }, (_, n) => `account-${String(n).padStart(12, '0')}`);

const folder = mkdtempSync(join(tmpdir(), 'count-requests-'));
const { count, close } = side === 'log' ? openLog() : openLmdb();
countAll();
const begin = process.cpuUsage();
countAll();
const { user, system } = process.cpuUsage(begin);
await close();
rmSync(folder, { recursive: true });
process.stdout.write(String((user + system) / Number(requests)));

function countAll(): void {
  for (let counted = 0; counted < Number(requests); counted += Number(perTick)) {
    count(
      Array.from(
        { length: Number(perTick) },
        (_, n) => accounts[((counted + n) * STRIDE) % ACCOUNTS] as string,
      ),
    );
  }
}

function openLog() {
  const log = new CounterLog({ folder, now: Date.now });
  return {
    count: (batch: string[]) =>
      log.change(batch.map((account) => ['count', account, LIMITS.minute, LIMITS.day])),
    close: async () => log.close(),
  };
}

function openLmdb() {
  const database = open<string, string>({
    path: folder,
    noSubdir: false,
    overlappingSync: false,
    encoding: 'string',
    noSync: true,
  });
  const countOne = (account: string, at: number) => {
    const counters = countersAt(readCounters(database.get(account)), at);
    const admitted = !isSpent(counters, LIMITS);
    if (admitted) database.putSync(account, writeCounters(addRequest(counters, at)));
    return { admitted, at, counters };
  };
  return {
    count: (batch: string[]) =>
      database.transactionSync(() => batch.map((account) => countOne(account, Date.now()))),
    close: () => database.close(),
  };
}
