// Limits over all gateways: a token bucket per name (the generic cell rate algorithm).
// A row holds only one number, the time at which the whole burst is available again (`free_at`). Each use moves it forward by one interval. A use that
// would move it more than a burst ahead of now is refused.
// Several limits are checked in one transaction, and count all or none.
// A row whose time is more than two days ahead counts as unused: a clock that was set back must not block anyone for longer.
import { keyedName } from './secrets.ts';
import type { Sql, Store } from './sql.ts';

/** How often something may be used: `atOnce` times in a burst, and once more per interval. */
export interface Allowance {
  atOnce: number;
  everyMs: number;
}

/** A use of something that is limited over all gateways. */
export interface Use {
  /** What is used, and by whom. The store holds only a keyed hash of this. */
  name: string;
  limit: Allowance;
  /** Another limit that is used if this one is reached, but only while `whileUnused` has no uses. */
  reserve?: { name: string; limit: Allowance; whileUnused: string };
}

/** `seconds`: when a refused use is possible again; `takeBack` undoes the count. */
export type UseOutcome =
  | { isAllowed: true; takeBack(): Promise<void> }
  | { isAllowed: false; seconds: number };

type Chosen = Pick<Use, 'name' | 'limit'>;

/** Counts all of the uses, or none of them if one has reached its limit. */
export async function useLimits(store: Store, uses: readonly Use[]): Promise<UseOutcome> {
  return await store.transaction(async (sql): Promise<UseOutcome> => {
    const waitFor = async ({ name, limit: { atOnce, everyMs } }: Chosen) =>
      Math.max(0, (await usedOf(sql, name)) + everyMs - atOnce * everyMs);
    const chosen: Chosen[] = [];
    let longest = 0;
    for (const use of uses) {
      let wait = await waitFor(use);
      let choice: Chosen = use;
      const { reserve } = use;
      if (wait > 0 && reserve && (await usedOf(sql, reserve.whileUnused)) === 0) {
        const other = await waitFor(reserve);
        if (other < wait) [choice, wait] = [reserve, other];
      }
      chosen.push(choice);
      longest = Math.max(longest, wait);
    }
    if (longest > 0) return { isAllowed: false, seconds: Math.ceil(longest / 1000) };
    for (const use of chosen) await move(sql, use);
    return { isAllowed: true, takeBack: () => takeBack(store, chosen) };
  });
}

/** Returns in how many ms the whole burst is available again; at most two days, even if a clock was set back. */
async function usedOf(sql: Sql, name: string): Promise<number> {
  const values = [keyedName(sql, name)];
  const row = await sql.get<{ free_at: number }>('SELECT free_at FROM limits WHERE name = $1', values);
  const used = (row?.free_at ?? 0) - sql.now();
  return used > 0 && used <= LONGEST_MS ? used : 0;
}

const LONGEST_MS = 2 * 86_400_000;

async function move(sql: Sql, { name, limit: { everyMs } }: Chosen): Promise<void> {
  const free = sql.now() + (await usedOf(sql, name)) + everyMs;
  await sql.run(
    'INSERT INTO limits (name, free_at) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET free_at = excluded.free_at',
    [keyedName(sql, name), free],
  );
}

async function takeBack(store: Store, uses: readonly Chosen[]): Promise<void> {
  for (const { name, limit } of uses)
    await store.run('UPDATE limits SET free_at = free_at - $1 WHERE name = $2', [
      limit.everyMs,
      keyedName(store, name),
    ]);
}
