import type { IncomingMessage } from 'node:http';
import type { KeyUses } from '../access/ports.ts';
import type { ClientAddress } from '../http/incoming.ts';
import { StoreError, StoreSilence } from '../store/store.ts';
import type { KeyUsage } from '../key-uses/key-uses.ts';
import { networkOf } from '../networks/networks.ts';

/** Options of the uses of keys. */
export interface KeyUsesOptions {
  clientAddress: ClientAddress;
  /**
   * Adds uses to those in the store, all or none.
   *
   * @throws StoreError when the store does not respond
   */
  add(usages: readonly KeyUsage[]): Promise<void>;
  /** How often they are added, in ms; once a minute unless a test sets it. */
  interval?: number;
}

const INTERVAL_MS = 60_000;
const DAY_MS = 86_400_000;
/** How many uses wait at most for a store that does not respond; those of further keys are not counted. */
const MAX_WAITING = 50_000;
/** How many are added at once. */
const BATCH = 100;

/**
 * Counts the uses of keys by UTC day, and notes from which network each is used. Both stay in memory for up to a minute; then all are added to the
 * store, so a request never writes. The network is that of a key's first request in that minute, so others do not look for their address.
 */
export class CountedKeyUses implements KeyUses {
  readonly #clientAddress: ClientAddress;
  readonly #add: KeyUsesOptions['add'];
  readonly #interval: number;
  /** What was not added yet of the current day, by the key's SHA-256. */
  #today = new Map<string, KeyUsage>();
  /** What was not added yet of earlier days, and what the store did not accept. */
  #waiting: KeyUsage[] = [];
  /** ms since 1970. */
  #dayEnd = 0;
  #timer: NodeJS.Timeout | undefined;
  #adding: Promise<void> | undefined;

  constructor({ clientAddress, add, interval = INTERVAL_MS }: KeyUsesOptions) {
    this.#clientAddress = clientAddress;
    this.#add = add;
    this.#interval = interval;
  }

  /**
   * Counts a request.
   *
   * @param hash the key's SHA-256
   * @param now ms since 1970
   */
  count(hash: string, request: IncomingMessage, now: number): void {
    const usage = now < this.#dayEnd ? this.#today.get(hash) : undefined;
    if (usage === undefined) this.#begin(hash, request, now);
    else usage.count++;
  }

  /** Adds what was counted to the store. What the store does not accept is added later. */
  flush(): Promise<void> {
    this.#adding ??= this.#addAll().finally(() => {
      this.#adding = undefined;
    });
    return this.#adding;
  }

  /** Adds what was counted, if the store accepts it, and ends. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #begin(hash: string, request: IncomingMessage, at: number): void {
    this.#timer ??= setInterval(() => void this.flush(), this.#interval).unref();
    if (at >= this.#dayEnd) {
      this.#takeToday();
      this.#dayEnd = at - (at % DAY_MS) + DAY_MS;
    }
    if (this.#today.size + this.#waiting.length >= MAX_WAITING) return;
    const network = networkOf(this.#clientAddress(request));
    this.#today.set(hash, { hash, at, network, count: 1 });
  }

  #takeToday(): void {
    this.#waiting.push(...this.#today.values());
    this.#today = new Map();
  }

  async #addAll(): Promise<void> {
    this.#takeToday();
    const usages = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < usages.length; first += BATCH) {
      const batch = usages.slice(first, first + BATCH);
      try {
        await this.#add(batch);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // After a silence the store may have them: better not counted than counted twice.
        const isLost = error instanceof StoreSilence;
        this.#waiting.push(...usages.slice(isLost ? first + BATCH : first));
        return;
      }
    }
  }
}
