import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import type { KeyCacheState, KeyFinder, KeySource } from '../access/ports.ts';
import type { IssuedKey } from '../access/account.ts';
import { StoreError } from '../store/store.ts';

/** Options of a key cache. */
export interface KeyCacheOptions {
  source: KeySource;
  /** ms, by the same clock as `heardAt` of the revision: `performance.now()` unless a test passes its own. */
  clock?: () => number;
  /** How much memory it may need; by default a part of what this process may have. */
  bytes?: number;
}

/** After how long a key is read again even though the revision is the same. */
const READ_AGAIN_MS = 30_000;
/** How long a key stays valid when the store cannot be read, counted from its last confirmation. */
export const GRACE_MS = 30_000;
/** The part of V8's heap that keys may need: with Node's default on a machine of 4 GB or more, that is above 100,000 keys. */
const HEAP_SHARE = 1 / 16;
/** About what a key needs with its account and its place in the cache, and each of its networks. */
const KEY_BYTES = 1024;
const NETWORK_BYTES = 64;

interface Known {
  issued: IssuedKey;
  /** The store's revision before the key was read. */
  revision: string;
  readAt: number;
  /** When the store last reported this revision. */
  confirmedAt: number;
}

/**
 * Holds keys and their accounts in memory while the store's revision stays the same, and reads each again after 30 seconds. When the
 * store cannot be read, a key stays valid for 30 seconds after its last confirmation. Unknown keys are not remembered.
 */
export class KeyCache implements KeyFinder {
  readonly #source: KeySource;
  readonly #clock: () => number;
  readonly #known: LRUCache<string, Known>;
  /** Reads in progress, by hash. */
  readonly #reading = new Map<string, Promise<IssuedKey | undefined>>();
  #hits = 0;
  #misses = 0;

  constructor({ source, clock = () => performance.now(), bytes = shareOfHeap() }: KeyCacheOptions) {
    this.#source = source;
    this.#known = new LRUCache({ maxSize: bytes, sizeCalculation: ({ issued }) => sizeOf(issued) });
    this.#clock = clock;
  }

  get state(): KeyCacheState {
    return { keys: this.#known.size, hits: this.#hits, misses: this.#misses };
  }

  find(hash: string): IssuedKey | Promise<IssuedKey | undefined> {
    const entry = this.#known.get(hash);
    if (entry !== undefined && this.#confirm(entry) && this.#clock() - entry.readAt < READ_AGAIN_MS) {
      this.#hits++;
      return entry.issued;
    }
    this.#misses++;
    return this.#readOnce(hash);
  }

  /** Confirms a key when the store's revision is unchanged. @returns false when the revision changed; a store that cannot be read returns true */
  #confirm(entry: Known): boolean {
    try {
      const { value, heardAt } = this.#source.revision();
      if (value !== entry.revision) return false;
      entry.confirmedAt = heardAt;
      return true;
    } catch (error) {
      if (error instanceof StoreError) return true;
      throw error;
    }
  }

  #readOnce(hash: string): Promise<IssuedKey | undefined> {
    const running = this.#reading.get(hash) ?? this.#read(hash).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, running);
    return running;
  }

  async #read(hash: string): Promise<IssuedKey | undefined> {
    const readAt = this.#clock();
    try {
      const { value: revision, heardAt: confirmedAt } = this.#source.revision();
      const issued = await this.#source.findKey(hash);
      if (issued) this.#known.set(hash, { issued, revision, readAt, confirmedAt });
      else this.#known.delete(hash);
      return issued;
    } catch (error) {
      const entry = this.#known.get(hash);
      if (!(error instanceof StoreError) || !entry || !this.#isGood(entry)) throw error;
      return entry.issued;
    }
  }

  /** Returns whether a key may be used although the store cannot be read. */
  #isGood({ confirmedAt }: Known): boolean {
    return this.#clock() - confirmedAt < GRACE_MS;
  }
}

function sizeOf({ key }: IssuedKey): number {
  return KEY_BYTES + (key.networks?.length ?? 0) * NETWORK_BYTES;
}

function shareOfHeap(): number {
  return Math.max(KEY_BYTES, Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE));
}
