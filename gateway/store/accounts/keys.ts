import { isRevoked, type Key } from '../../access/account.ts';
import { type Reader, type Transaction, table } from '../transaction.ts';
import type { AccountChange, Party } from './ports.ts';

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

/** Who changed a key: the operator, the account holder on a page, a client that sent the key itself, or the gateway for a demo. */
export type KeyActor = 'operator' | 'account holder' | 'key holder' | 'gateway';

/** A change of a key. */
export type KeyEvent = {
  /** The key after the change. */
  key: Key;
  by: KeyActor;
  /** The network of the request, as `networkOf` returns it; null or absent without one. */
  network?: string | null;
  /** ms since 1970. */
  at: number;
} & (
  | { kind: 'made' }
  | {
      kind: 'rotated';
      /** The key that `key` replaces; its `revoked_at` says until when it works. */
      replaced: Key;
    }
  | { kind: 'revoked' }
  /** Its name, expiry or networks were changed. */
  | { kind: 'changed' }
);

const PARTIES: Record<KeyActor, Party> = {
  operator: 'operator',
  'account holder': 'account',
  'key holder': 'key-holder',
  gateway: 'gateway',
};

/**
 * Does what every change of a key entails, in the transaction that changes it: gateways read keys again, and parts record the
 * event. Every key that is made, rotated, revoked or changed comes through here, so this is the place for what must not miss one. Do not
 * call it concurrently within a transaction.
 */
export async function recordKeyEvent(transaction: Transaction, change: KeyEvent): Promise<void> {
  const { key, kind, by, network = null, at } = change;
  // Gateways do not remember unknown keys, so a new key needs no new revision.
  if (kind !== 'made') transaction.changeRevision();
  const happening: AccountChange = {
    account: key.account,
    event: `key.${kind}`,
    about: kind === 'rotated' ? `${change.replaced.prefix} by ${key.prefix}` : key.prefix,
    actor: { by: PARTIES[by], network },
    now: at,
  };
  const keeper = (await import('../../people/account-keeper.ts')).ACCOUNT_KEEPER;
  await keeper.record(transaction, happening);
}
