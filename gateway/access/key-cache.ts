import { LRUCache } from 'lru-cache';
import type { IssuedKey } from '../accounts/account.ts';
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

/** After how long a key is read again, though nothing is said to have changed; and how long it is good for without its store. */
const LONGEST_MS = 30_000;
const MOST_KEYS = 50_000;

interface Known {
  issued: IssuedKey;
  /** Of the store, from before it was read. */
  revision: string;
  readAt: number;
  /** When the store told last that this is its revision. */
  confirmedAt: number;
}

/**
 * Keeps keys with their accounts in memory, as long as the store's revision says that none has changed, and for 30 seconds at most. A
 * store that does not answer takes nothing away until it has not for 30 seconds. Keys that are not known are not remembered.
 *
 * @param clock as `performance.now()`
 */
export function cacheKeys(source: KeySource, clock: () => number = () => performance.now()): KeyFinder {
  const known = new LRUCache<string, Known>({ max: MOST_KEYS });
  const reading = new Map<string, Promise<IssuedKey | undefined>>();

  const read = async (hash: string): Promise<IssuedKey | undefined> => {
    const readAt = clock();
    try {
      const { value: revision, at: confirmedAt } = source.revision();
      const issued = await source.findKey(hash);
      if (issued) known.set(hash, { issued, revision, readAt, confirmedAt });
      else known.delete(hash);
      return issued;
    } catch (error) {
      const kept = known.get(hash);
      if (!(error instanceof StoreError) || !kept || clock() - kept.confirmedAt >= LONGEST_MS) throw error;
      return kept.issued;
    }
  };
  const readOnce = (hash: string): Promise<IssuedKey | undefined> => {
    const running = reading.get(hash) ?? read(hash).finally(() => reading.delete(hash));
    reading.set(hash, running);
    return running;
  };

  return {
    find(hash) {
      const kept = known.get(hash);
      if (!kept || !isCurrent(kept, source) || clock() - kept.readAt >= LONGEST_MS) return readOnce(hash);
      return kept.issued;
    },
  };
}

/** Whether nothing is said to have changed since it was read. */
function isCurrent(kept: Known, source: Pick<KeySource, 'revision'>): boolean {
  try {
    const { value, at } = source.revision();
    if (value !== kept.revision) return false;
    kept.confirmedAt = at;
    return true;
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}
