import { type Account, compareAge, isRevoked, type Key } from '../plans/account.ts';
import { type Reader, type Transaction, table } from '../store/transaction.ts';

/** SHA-256 of a key → key record. */
export const KEYS = table<Key>('key');
/** Prefix of a key → its SHA-256. */
const PREFIXES = table<string>('prefix');
/** Account id → the SHA-256 of each of its keys. */
const ACCOUNT_KEYS = table<string[]>('account-keys');

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

/**
 * Returns the keys of an account that are not revoked, the oldest first.
 *
 * @param now milliseconds since 1970
 */
export async function liveKeysOf(reader: Reader, account: Account, now: number): Promise<Key[]> {
  return (await keysOf(reader, account)).filter((key) => !isRevoked(key, now));
}

/** Adds a key to its account. Its prefix must not be in use. */
export async function putKey(transaction: Transaction, key: Key): Promise<void> {
  const hashes = (await transaction.get(ACCOUNT_KEYS, key.account)) ?? [];
  transaction.put(ACCOUNT_KEYS, key.account, [...hashes, key.hash]);
  transaction.put(KEYS, key.hash, key);
  transaction.put(PREFIXES, key.prefix, key.hash);
}

/** Lets a record be found by its prefix, which must not be in use. */
export function namePrefix(transaction: Transaction, { prefix, hash }: Key): void {
  transaction.put(PREFIXES, prefix, hash);
}

/** Removes the prefix of a record. */
export function removePrefix(transaction: Transaction, { prefix }: Key): void {
  transaction.remove(PREFIXES, prefix);
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

/** Removes all keys of an account. */
export async function removeKeys(transaction: Transaction, account: Account): Promise<void> {
  for (const { prefix, hash } of await keysOf(transaction, account)) {
    transaction.remove(PREFIXES, prefix);
    transaction.remove(KEYS, hash);
  }
  transaction.remove(ACCOUNT_KEYS, account.id);
}
