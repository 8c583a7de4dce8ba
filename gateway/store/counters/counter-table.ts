import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Counters, type Limits, writeCounters } from '../../plans/counters.ts';
import { type Batch, createBatch } from '../batch.ts';
import type { Admission, Reading, Store } from '../store.ts';
import { openInFolder } from '../store-folder.ts';
import { CounterLog } from './counter-log.ts';
import type { CounterChange } from './line.ts';

/** Options of a table of counters. */
export interface CounterTableOptions {
  /** The folder of the store. */
  store: string;
  /** ms since 1970 */
  now: () => number;
  /** Runs work on the store; throws a StoreError if it fails or the store is closed. */
  attempt<T>(work: () => T): T;
}

const FOLDER = 'quota';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * The part of a folder's store that counts requests, in a log in a subfolder. The changes of one event-loop tick are one line. Each boot of
 * the machine has its own log, if the system reports which boot it is.
 */
export class CounterTable
  implements
    Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'mergeCounters' | 'removeCounters'>
{
  readonly #log: CounterLog;
  readonly #attempt: CounterTableOptions['attempt'];
  readonly #changes: Batch<CounterChange, Admission>;

  /** @throws StoreError when the folder cannot be used */
  constructor({ store, now, attempt }: CounterTableOptions) {
    const name = nameFolder();
    const folder = join(store, name);
    this.#log = openInFolder(folder, () => new CounterLog({ folder, now }));
    this.#attempt = attempt;
    this.#changes = createBatch((changes) => attempt(() => this.#log.change(changes)));
    removeOthers(store, name);
  }

  countRequest(account: string, { minute, day }: Limits): Promise<Admission> {
    return this.#changes.add(['count', account, minute, day]);
  }

  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#changes.add(['uncount', account, at]);
  }

  async readCounters(account: string): Promise<Reading> {
    return this.#attempt(() => this.#log.read(account));
  }

  /** A line is written and read at once, so that its outcome is never in doubt, and no id is needed. */
  mergeCounters(account: string, counters: Counters): Promise<Reading> {
    return this.#changes.add(['merge', account, writeCounters(counters)]);
  }

  async removeCounters(account: string): Promise<void> {
    await this.#changes.add(['forget', account]);
  }

  /** Writes the waiting changes, and closes the log. */
  close(): void {
    this.#changes.flush();
    this.#log.close();
  }
}

function nameFolder(): string {
  try {
    return `${FOLDER}-${readFileSync(BOOT_ID, 'utf8').slice(0, 8)}`;
  } catch {
    return FOLDER;
  }
}

/** Removes the counters of earlier boots. */
function removeOthers(store: string, name: string): void {
  for (const other of readdirSync(store)) {
    if (other.startsWith(`${FOLDER}-`) && other !== name)
      rmSync(join(store, other), { recursive: true, force: true });
  }
}
