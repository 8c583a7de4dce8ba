import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../store.ts';
import { openInFolder } from '../store-folder.ts';
import { doTogether } from '../together.ts';
import { type CounterChange, counting, forgetting, takingBack } from './change.ts';
import { CounterLog } from './counter-log.ts';

/** The part of a store that counts requests. */
export interface CounterTable
  extends Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'removeCounters'> {
  /** Writes what waits. */
  close(): void;
}

const FOLDER = 'quota';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Opens the counters below a store's folder: a log of their own, because they are written all the time. What all requests of one turn of
 * the event loop change is one line of it. A line outlives the process, but is not forced to the disk: a machine that loses its power may
 * leave a damaged file. Each boot has a folder of its own therefore; where the system does not tell one boot from the next, lines are
 * forced to the disk.
 *
 * @param now ms since 1970
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
  const path = join(store, name);
  const log = openInFolder(path, () => new CounterLog({ path, isForced: boot === undefined }, now));
  removeOthers(store, name);
  const { ask, flush } = doTogether((changes: CounterChange[]) => attempt(() => log.change(changes)));

  return {
    countRequest: (account, limits) => ask(counting(account, limits)),
    uncountRequest: (account, time) => ask(takingBack(account, time)),
    readCounters: async (account) => attempt(() => log.read(account)),
    removeCounters: async (account) => {
      await ask(forgetting(account));
    },
    close() {
      flush();
      log.close();
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
