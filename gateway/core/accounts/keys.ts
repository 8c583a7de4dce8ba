import { type Account, compareAge, isRevoked, type Key } from '../plans/account.ts';
import { type Reader, type Transaction, table } from '../store/transaction.ts';

/** SHA-256 of a key → key record. */
export const KEYS = table<Key>('key');
/** Prefix of a key → its SHA-256. */
export const PREFIXES = table<string>('prefix');
/** Account id → the SHA-256 of each of its keys. */
export const ACCOUNT_KEYS = table<string[]>('account-keys');

/** Finds a key, revoked ones included, by its prefix. */
export async function keyOfPrefix(reader: Reader, prefix: string): Promise<Key | undefined> {
  const hash = await reader.get(PREFIXES, prefix);
  return hash === undefined ? undefined : await reader.get(KEYS, hash);
}

/** Returns the keys of an account, the oldest first. */
export async function keysOf(reader: Reader, { id }: Account): Promise<Key[]> {
  const keys: Key[] = [];
  for (const hash of (await reader.get(ACCOUNT_KEYS, id)) ?? []) {
    const key = await reader.get(KEYS, hash);
    if (key) keys.push(key);
  }
  return keys.sort(compareAge);
}

/** Adds a key to its account. Its prefix must not be in use. */
export async function putKey(transaction: Transaction, key: Key): Promise<void> {
  const hashes = (await transaction.get(ACCOUNT_KEYS, key.account)) ?? [];
  transaction.put(ACCOUNT_KEYS, key.account, [...hashes, key.hash]);
  transaction.put(KEYS, key.hash, key);
  transaction.put(PREFIXES, key.prefix, key.hash);
}

/** Replaces the record of a key. */
export function changeKey(transaction: Transaction, key: Key): Key {
  transaction.put(KEYS, key.hash, key);
  return key;
}

/**
 * Sets the time at which a key ends, unless it ends earlier.
 *
 * @param at ms since 1970
 */
export function endKey(transaction: Transaction, key: Key, at: number): Key {
  return isRevoked(key, at)
    ? key
    : changeKey(transaction, { ...key, revoked_at: new Date(at).toISOString() });
}
