import { LRUCache } from 'lru-cache';
import type { Log } from '../http/log.ts';
import { findKey } from '../store/keys.ts';
import { ownChanges, readRevision } from '../store/revision.ts';
import { type Store, StoreError } from '../store/sql.ts';
import type { IssuedKey } from './account.ts';

/** How often the revision of the store is read, in ms: a revoked key works at most this long, and as long as the store takes. */
const POLL_MS = 500;
/** How many keys are remembered, of about 1 KB each. */
const MAX_KEYS = 50_000;
/** For how long the gateway counts as ready after the store last responded, in ms. */
const GRACE_MS = 30_000;

interface Known {
  issued: IssuedKey;
  /** The revision of the store before it was read. */
  revision: string;
}

/**
 * Finds keys, and keeps them in memory as long as the revision of the store stays the same. While the store does not respond, keys in memory
 * work as they were; others cannot be checked.
 */
export class Keys {
  readonly #store: Store;
  readonly #log: Log | undefined;
  readonly #known = new LRUCache<string, Known>({ max: MAX_KEYS });
  /** Look-ups under way, by hash. */
  readonly #reading = new Map<string, Promise<IssuedKey | undefined>>();
  readonly #timer: NodeJS.Timeout;
  #revision = '';
  /** The changes of this process that the revision contains. */
  #ownChanges = ownChanges();
  #heardAt = performance.now();
  #isAway = false;
  #polling: Promise<void> | undefined;
  #hits = 0;
  #misses = 0;

  constructor(store: Store, log?: Log) {
    this.#store = store;
    this.#log = log;
    this.#timer = setInterval(() => this.#pollOnce(), POLL_MS);
    this.#timer.unref();
  }

  /** How many keys are in memory, and how many look-ups found one there or not. */
  get state(): { keys: number; hits: number; misses: number } {
    return { keys: this.#known.size, hits: this.#hits, misses: this.#misses };
  }

  /** Whether the gateway can do its work: the store responded not long ago. */
  get isReady(): boolean {
    return !this.#isAway || performance.now() - this.#heardAt < GRACE_MS;
  }

  /**
   * Finds a key by its SHA-256, ended ones included; at once if it is in memory.
   *
   * @throws StoreError when it is not, and the store does not respond
   */
  find(hash: string): IssuedKey | Promise<IssuedKey | undefined> {
    if (this.#ownChanges !== ownChanges()) return this.#pollOnce().then(() => this.find(hash));
    const known = this.#known.get(hash);
    if (known !== undefined && (this.#isAway || known.revision === this.#revision)) {
      this.#hits++;
      return known.issued;
    }
    this.#misses++;
    const reading = this.#reading.get(hash) ?? this.#read(hash).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, reading);
    return reading;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
  }

  async #read(hash: string): Promise<IssuedKey | undefined> {
    try {
      // A gateway that just started has no revision yet.
      if (this.#revision === '') await this.#pollOnce();
      const revision = this.#revision;
      const issued = await findKey(this.#store.fast, hash);
      if (issued) this.#known.set(hash, { issued, revision });
      else this.#known.delete(hash);
      return issued;
    } catch (error) {
      const known = this.#known.get(hash);
      if (!(error instanceof StoreError) || known === undefined) throw error;
      return known.issued;
    }
  }

  #pollOnce(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    this.#ownChanges = ownChanges();
    try {
      this.#revision = await readRevision(this.#store.fast);
      this.#heardAt = performance.now();
      if (this.#isAway) this.#log?.info('the store responds again');
      this.#isAway = false;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (!this.#isAway) this.#log?.error('the store does not respond', { error: error.message });
      this.#isAway = true;
    }
  }
}
