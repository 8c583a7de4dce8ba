import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '../../plans/counters.ts';
import type { Admission, Reading, Store } from '../store.ts';
import { openInFolder } from '../store-folder.ts';
import { doTogether, type Together } from '../together.ts';
import { CounterLog } from './counter-log.ts';
import type { CounterChange } from './line.ts';

/** What a table of counters takes. */
export interface CounterTableOptions {
  /** The folder of the store. */
  store: string;
  /** ms since 1970 */
  now: () => number;
  /** Does work on the store; throws a StoreError when it fails or the store is closed. */
  attempt<T>(work: () => T): T;
}

const FOLDER = 'quota';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * The part of a store in a folder that counts requests: a log below it. What all requests of one event-loop tick change is one line. Each
 * boot of the machine has a log of its own, where the system says which it is.
 */
export class CounterTable
  implements Pick<Store, 'countRequest' | 'uncountRequest' | 'readCounters' | 'removeCounters'>
{
  readonly #log: CounterLog;
  readonly #attempt: CounterTableOptions['attempt'];
  readonly #changes: Together<CounterChange, Admission>;

  /** @throws StoreError when the folder cannot be used */
  constructor({ store, now, attempt }: CounterTableOptions) {
    const name = nameFolder();
    const folder = join(store, name);
    this.#log = openInFolder(folder, () => new CounterLog({ folder, now }));
    this.#attempt = attempt;
    this.#changes = doTogether((changes) => attempt(() => this.#log.change(changes)));
    removeOthers(store, name);
  }

  countRequest(account: string, { minute, day }: Limits): Promise<Admission> {
    return this.#changes.ask(['count', account, minute, day]);
  }

  uncountRequest(account: string, at: number): Promise<Reading> {
    return this.#changes.ask(['uncount', account, at]);
  }

  async readCounters(account: string): Promise<Reading> {
    return this.#attempt(() => this.#log.read(account));
  }

  async removeCounters(account: string): Promise<void> {
    await this.#changes.ask(['forget', account]);
  }

  /** Writes what waits. */
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
