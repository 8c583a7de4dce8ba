import { ACCOUNT_KEYS, KEYS, PREFIXES } from '../../store/accounts/keys.ts';
import { type Account, isRevoked, type Key } from '../../access/account.ts';
import type { Reader, Transaction } from '../../store/transaction.ts';
import { keysOf } from '../../lists/lists.ts';

/**
 * Returns the keys of an account that are not revoked, the oldest first.
 *
 * @param now milliseconds since 1970
 */
export async function liveKeysOf(reader: Reader, account: Account, now: number): Promise<Key[]> {
  return (await keysOf(reader, account)).filter((key) => !isRevoked(key, now));
}

/** Lets a record be found by its prefix, which must not be in use. */
export function namePrefix(transaction: Transaction, { prefix, hash }: Key): void {
  transaction.put(PREFIXES, prefix, hash);
}

/** Removes the prefix of a record. */
export function removePrefix(transaction: Transaction, { prefix }: Key): void {
  transaction.remove(PREFIXES, prefix);
}

/** Removes all keys of an account. */
export async function removeKeys(transaction: Transaction, account: Account): Promise<void> {
  for (const { prefix, hash } of await keysOf(transaction, account)) {
    transaction.remove(PREFIXES, prefix);
    transaction.remove(KEYS, hash);
  }
  transaction.remove(ACCOUNT_KEYS, account.id);
}
