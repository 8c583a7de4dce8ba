import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open } from 'lmdb';
import { type Account, type IssuedKey, type Key, type Store, StoreError } from './store.ts';

/**
 * Opens the embedded store: a folder that several processes of one machine may have open at once.
 *
 * @param folder made, for its owner alone, where it is missing
 * @throws StoreError when the folder cannot be used
 */
export async function openLmdbStore(folder: string): Promise<Store> {
  const root = explain(folder, 'opened', () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Without overlapping, a commit is on the disk when its promise resolves.
    return open({ path: folder, noSubdir: false, overlappingSync: false, encoding: 'json' });
  });
  const keys = root.openDB<Key, string>('keys', { encoding: 'json' });
  const hashes = root.openDB<string, string>('prefixes', { encoding: 'json' });
  const accounts = root.openDB<Account, string>('accounts', { encoding: 'json' });
  const ids = root.openDB<string, string>('emails', { encoding: 'json' });

  const withAccount = (key: Key | undefined): IssuedKey | undefined => {
    const account = key && accounts.get(key.account);
    return key && account && { key, account };
  };
  const findByPrefix = (prefix: string) => {
    const hash = hashes.get(prefix);
    return withAccount(hash === undefined ? undefined : keys.get(hash));
  };
  const read = async <T>(work: () => T): Promise<T> => explain(folder, 'read', work);
  const write = async <T>(work: () => T): Promise<T> => {
    try {
      return await root.transaction(work);
    } catch (error) {
      throw toStoreError(folder, 'written', error);
    }
  };

  return {
    findKey: (hash) => read(() => withAccount(keys.get(hash))),
    keyByPrefix: (prefix) => read(() => findByPrefix(prefix)),
    listKeys: () =>
      read(() => {
        const all = [...keys.getRange()].flatMap(({ value }) => withAccount(value) ?? []);
        return all.sort((a, b) => (order(a) < order(b) ? -1 : 1));
      }),
    accountByEmail: (email) =>
      read(() => {
        const id = ids.get(email);
        return id === undefined ? undefined : accounts.get(id);
      }),
    issueKey: ({ email, prefix, hash, grant, now }) =>
      write(() => {
        if (hashes.doesExist(prefix)) return undefined;
        const created_at = new Date(now).toISOString();
        const known = accounts.get(ids.get(email) ?? '');
        const account: Account = {
          ...(known ?? { id: randomUUID(), email, tier: 'free', pro_until: null, created_at }),
          ...grant,
        };
        const key: Key = { prefix, hash, account: account.id, created_at, revoked_at: null };
        void accounts.put(account.id, account);
        void ids.put(email, account.id);
        void keys.put(hash, key);
        void hashes.put(prefix, hash);
        return { key, account };
      }),
    revokeKey: (prefix, now) =>
      write(() => {
        const found = findByPrefix(prefix);
        if (found === undefined || found.key.revoked_at !== null) return found;
        const key = { ...found.key, revoked_at: new Date(now).toISOString() };
        void keys.put(key.hash, key);
        return { ...found, key };
      }),
    deleteAccount: (email) =>
      write(() => {
        const id = ids.get(email);
        if (id === undefined) return false;
        for (const { value } of keys.getRange()) {
          if (value.account !== id) continue;
          void keys.remove(value.hash);
          void hashes.remove(value.prefix);
        }
        void accounts.remove(id);
        void ids.remove(email);
        return true;
      }),
    ping: () => read(() => void keys.doesExist('')),
    close: () => root.close(),
  };
}

/** The oldest first; of one moment by prefix. */
function order({ key }: IssuedKey): string {
  return `${key.created_at} ${key.prefix}`;
}

function explain<T>(folder: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStoreError(folder, what, error);
  }
}

function toStoreError(folder: string, what: string, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return new StoreError(
    `the store in ${folder} cannot be ${what}: ${reason}; check its permissions, or name another by --store`,
  );
}
