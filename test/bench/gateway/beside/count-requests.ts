import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../../gateway/store/sqlite-store.ts';

/**
 * Counts requests of 24,000 accounts in a store that is a folder, several per event-loop tick, and prints the microseconds of processor time per
 * request.
 *
 * Usage: count-requests <requests> <requests per tick>
 */
const [requests = '', perTick = ''] = process.argv.slice(2);
const LIMITS = { minute: 10, day: 200 };
const ACCOUNTS = 24_000;
/** Shares no factor with the number of accounts, so that every account is counted once before any is counted again. */
const STRIDE = 7919;
const accounts = Array.from({ length: ACCOUNTS }, (_, n) => `account-${String(n).padStart(12, '0')}`);

const folder = mkdtempSync(join(tmpdir(), 'count-requests-'));
const store = await openSqliteStore(folder);
await countAll();
const begin = process.cpuUsage();
await countAll();
const { user, system } = process.cpuUsage(begin);
await store.close();
rmSync(folder, { recursive: true });
process.stdout.write(String((user + system) / Number(requests)));

async function countAll(): Promise<void> {
  for (let counted = 0; counted < Number(requests); counted += Number(perTick)) {
    const batch = Array.from(
      { length: Number(perTick) },
      (_, n) => accounts[((counted + n) * STRIDE) % ACCOUNTS] as string,
    );
    await Promise.all(batch.map((account) => store.countRequest(account, LIMITS)));
  }
}
