import { type IssuedKey, isRevoked, type Key } from '../plans/account.ts';
import type { Store } from '../store/store.ts';
import { type Transaction, transact } from '../store/transaction.ts';
import { withAccount } from './accounts.ts';
import { type KeyActor, recordKeyEvent } from './key-events.ts';
import { endKey, keyOfPrefix } from './keys.ts';

/** Who changes a key, and when. */
export interface KeyChange {
  by: KeyActor;
  /** The network of the request, as `networkOf` returns it. */
  network?: string | null;
  /** ms since 1970. */
  now: number;
}

/**
 * Revokes a key permanently. A key that has ended keeps its end.
 *
 * @returns the revoked key; undefined when the prefix is unknown
 */
export async function revoke(
  transaction: Transaction,
  prefix: string,
  { now, ...who }: KeyChange,
): Promise<Key | undefined> {
  const before = await keyOfPrefix(transaction, prefix);
  if (before === undefined || isRevoked(before, now)) return before;
  const key = endKey(transaction, before, now);
  await recordKeyEvent(transaction, { kind: 'revoked', key, ...who, at: now });
  return key;
}

/** Does the same as `revoke`, by the operator and as a whole transaction. */
export async function revokeKey(store: Store, prefix: string, now: number): Promise<IssuedKey | undefined> {
  return await transact(store, async (transaction) =>
    withAccount(transaction, await revoke(transaction, prefix, { by: 'operator', now })),
  );
}
