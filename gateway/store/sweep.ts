import type { Log } from '../http/log.ts';
import { type Store, StoreError } from './sql.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The statements that remove rows, and for how long after the row's time the row is kept, in ms. */
const ENDED: readonly [statement: string, age: number][] = [
  ['DELETE FROM revisions WHERE at < $1', HOUR_MS],
  ['DELETE FROM sessions WHERE ends_at < $1', 0],
  ['DELETE FROM known_networks WHERE used_at < $1', 90 * DAY_MS],
  ['DELETE FROM links WHERE ends_at < $1', 0],
  ['DELETE FROM claims WHERE ends_at < $1', 0],
  ['DELETE FROM audit WHERE at < $1', 90 * DAY_MS],
  ['DELETE FROM events WHERE raised_at < $1', 90 * DAY_MS],
  ['DELETE FROM deliveries WHERE done_at < $1 OR failed_at < $1', 30 * DAY_MS],
  ['DELETE FROM mails WHERE done_at < $1', DAY_MS],
  ['DELETE FROM mails WHERE failed_at < $1', 30 * DAY_MS],
  ['DELETE FROM limits WHERE free_at < $1', 0],
];

export async function sweep(store: Store): Promise<void> {
  const now = store.now();
  for (const [statement, age] of ENDED) await store.run(statement, [now - age]);
  // Rows of yesterday are kept: the last minute before midnight counts on the next day.
  await store.run('DELETE FROM quota WHERE day < $1', [Math.floor(now / DAY_MS) - 1]);
}

/** Sweeps now and once an hour. */
export function startSweeping(store: Store, log: Log): NodeJS.Timeout {
  const run = () =>
    sweep(store).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      log.error('what has ended could not be removed from the store', { error: error.message });
    });
  void run();
  return setInterval(run, HOUR_MS).unref();
}
