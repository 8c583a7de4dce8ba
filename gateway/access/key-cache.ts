import { LRUCache } from 'lru-cache';
import type { IssuedKey } from '../plans/account.ts';
import { type Revision, StoreError } from '../store/store.ts';

/** Finds keys by their SHA-256. */
export interface KeyFinder {
  /**
   * Finds a key, revoked ones included.
   *
   * @throws StoreError when it is not known from before and the store does not answer
   */
  find(hash: string): IssuedKey | Promise<IssuedKey | undefined>;
}

/** What keys are read from. */
export interface KeySource {
  /** Finds a key, revoked ones included, by its SHA-256. */
  findKey(hash: string): Promise<IssuedKey | undefined>;
  /** Has another value each time that something changed which `findKey` may have told. */
  revision(): Revision;
}

/** What a cache of keys takes. */
export interface KeyCacheOptions {
  source: KeySource;
  /** ms, as `performance.now()` reports them: it is compared with what the revision says. */
  clock?: () => number;
}

/** After how long a key is read again, though nothing is said to have changed. */
const READ_AGAIN_MS = 30_000;
/** How long a key is good for that cannot be read, after the store confirmed it last. */
const GRACE_MS = 30_000;
const MAX_KEYS = 50_000;

interface Known {
  issued: IssuedKey;
  /** Of the store, from before it was read. */
  revision: string;
  readAt: number;
  /** When the store was heard of last while this was its revision. */
  confirmedAt: number;
}

/**
 * Keeps keys with their accounts in memory while the store's revision says that none has changed, and reads each again after 30 seconds.
 * Where that fails, a key is good for 30 seconds after the store confirmed it last, even if a change was reported since. Keys that are
 * not known are not remembered.
 */
export class KeyCache implements KeyFinder {
  readonly #source: KeySource;
  readonly #clock: () => number;
  readonly #known = new LRUCache<string, Known>({ max: MAX_KEYS });
  /** What is being read, by hash. */
  readonly #reading = new Map<string, Promise<IssuedKey | undefined>>();

  constructor({ source, clock = () => performance.now() }: KeyCacheOptions) {
    this.#source = source;
    this.#clock = clock;
  }

  find(hash: string): IssuedKey | Promise<IssuedKey | undefined> {
    const kept = this.#known.get(hash);
    if (kept === undefined || !this.#confirm(kept)) return this.#readOnce(hash);
    return this.#clock() - kept.readAt < READ_AGAIN_MS ? kept.issued : this.#readOnce(hash);
  }

  /** Notes that the store says nothing has changed. @returns false where it says that something has; one that cannot be read does not */
  #confirm(kept: Known): boolean {
    try {
      const { value, heardAt } = this.#source.revision();
      if (value !== kept.revision) return false;
      kept.confirmedAt = heardAt;
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
      const kept = this.#known.get(hash);
      if (!(error instanceof StoreError) || !kept || !this.#isGood(kept)) throw error;
      return kept.issued;
    }
  }

  /** Whether a key that cannot be read is good enough. */
  #isGood({ confirmedAt }: Known): boolean {
    return this.#clock() - confirmedAt < GRACE_MS;
  }
}
