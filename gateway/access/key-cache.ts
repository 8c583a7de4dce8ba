import { LRUCache } from 'lru-cache';
import type { IssuedKey } from '../accounts/account.ts';
import { StoreError } from '../store/store.ts';

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
  /** Another text each time that something changed which `findKey` may have told. */
  revision(): string;
}

/** How long at most a key is taken for what it was when it was read. */
const LONGEST_MS = 30_000;
/** After how long a key that is in use is read again, so that it is fresh when the store goes away. */
const REFRESH_MS = 10_000;
const MOST_KEYS = 50_000;

interface Known {
  issued: IssuedKey;
  /** Of the store, from before it was read. */
  revision: string;
  readAt: number;
}

/**
 * Keeps keys with their accounts in memory, as long as the store's revision says that none has changed, and for 30 seconds at most.
 * A store that does not answer takes nothing away before that time. Keys that are not known are not remembered.
 *
 * @param clock in ms, and never set back; when it began does not matter
 */
export function cacheKeys(source: KeySource, clock: () => number = () => performance.now()): KeyFinder {
  const known = new LRUCache<string, Known>({ max: MOST_KEYS });
  const reading = new Map<string, Promise<IssuedKey | undefined>>();

  const read = async (hash: string): Promise<IssuedKey | undefined> => {
    const readAt = clock();
    try {
      const revision = source.revision();
      const issued = await source.findKey(hash);
      if (issued) known.set(hash, { issued, revision, readAt });
      else known.delete(hash);
      return issued;
    } catch (error) {
      const kept = known.get(hash);
      if (!(error instanceof StoreError) || !kept || clock() - kept.readAt >= LONGEST_MS) throw error;
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
      if (!kept || !isCurrent(kept, source)) return readOnce(hash);
      const age = clock() - kept.readAt;
      if (age >= LONGEST_MS) return readOnce(hash);
      if (age >= REFRESH_MS) readOnce(hash).catch(() => {});
      return kept.issued;
    },
  };
}

function isCurrent({ revision }: Known, source: Pick<KeySource, 'revision'>): boolean {
  try {
    return revision === source.revision();
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}
