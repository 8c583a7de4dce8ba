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

/** After how long a key is read again, though nothing is said to have changed. */
const READ_AGAIN_MS = 30_000;
/** How long a key is good for that cannot be read, after the store confirmed it last. */
const GRACE_MS = 30_000;
const MOST_KEYS = 50_000;

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
 * Where that fails, a key is good for 30 seconds after the store confirmed it last, even if a change was told since. Keys that are
 * not known are not remembered.
 *
 * @param clock ms, as `performance.now()` tells them: it is compared with what the revision tells
 */
export function cacheKeys(source: KeySource, clock: () => number = () => performance.now()): KeyFinder {
  const known = new LRUCache<string, Known>({ max: MOST_KEYS });
  const reading = new Map<string, Promise<IssuedKey | undefined>>();

  const read = async (hash: string): Promise<IssuedKey | undefined> => {
    const readAt = clock();
    try {
      const { value: revision, heardAt: confirmedAt } = source.revision();
      const issued = await source.findKey(hash);
      if (issued) known.set(hash, { issued, revision, readAt, confirmedAt });
      else known.delete(hash);
      return issued;
    } catch (error) {
      const kept = known.get(hash);
      if (!(error instanceof StoreError) || !kept || clock() - kept.confirmedAt >= GRACE_MS) throw error;
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
      if (!kept || !confirm(kept, source) || clock() - kept.readAt >= READ_AGAIN_MS) return readOnce(hash);
      return kept.issued;
    },
  };
}

/** Notes that the store says nothing has changed. @returns false where it says that something has; one that cannot be read does not */
function confirm(kept: Known, source: Pick<KeySource, 'revision'>): boolean {
  try {
    const { value, heardAt } = source.revision();
    if (value !== kept.revision) return false;
    kept.confirmedAt = heardAt;
    return true;
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}
