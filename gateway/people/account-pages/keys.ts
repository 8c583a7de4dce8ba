import { accountById, addNewKey, revoke } from '../../store/accounts/accounts.ts';
import { type Account, isEnding, type Key } from '../../access/account.ts';
import type { Store } from '../../store/store.ts';
import { type Transaction, transact } from '../../store/transaction.ts';
import {
  type KeyOptions,
  keyFields,
  mayRotate,
  rotate,
  setKeyOptions,
} from '../../key-terms/shared/key-changes.ts';
import { type KeyUse, keyUsesOf } from '../../key-uses/key-uses.ts';
import { liveKeysOf } from '../accounts/keys-of.ts';
import type { Session } from '../accounts/session.ts';
import { MAX_KEYS } from '../signup/links.ts';

/** A key that works, with its use. */
export interface UsedKey {
  key: Key;
  /** undefined before its first use. */
  use: KeyUse | undefined;
}

/** A new key, which cannot be shown again. */
export interface NewKey {
  key: string;
  prefix: string;
  /** The key that it replaces, with its end. */
  replaced?: Key;
}

/** A key of an account, and when it is changed. */
export interface OwnKey {
  prefix: string;
  /** ms since 1970. */
  now: number;
}

/** The account holder who changes a key. */
export type Owner = Pick<Session, 'account' | 'network'>;

const BY = 'account holder';

/** Reports whether an account may have one more key. Keys that are due to end do not count. */
export function hasRoom(keys: readonly Key[]): boolean {
  return keys.filter((key) => !isEnding(key)).length < MAX_KEYS;
}

/** Returns the keys of an account that work, the oldest first. @param now ms since 1970 */
export async function readOwnKeys(store: Store, account: Account, now: number): Promise<UsedKey[]> {
  const keys = await transact(store, (transaction) => liveKeysOf(transaction, account, now));
  const uses = await keyUsesOf(store, keys);
  return keys.map((key, index) => ({ key, use: uses[index] }));
}

/**
 * Issues one more key to an account.
 *
 * @param now ms since 1970
 * @returns the key; undefined if the account has the maximum number of keys, or is deleted
 */
export async function issueOwnKey(
  store: Store,
  { account, network }: Owner,
  now: number,
  options: KeyOptions = {},
): Promise<NewKey | undefined> {
  return await transact(store, async (transaction) => {
    // A new key would create a deleted account again.
    const isThere = (await accountById(transaction, account.id)) !== undefined;
    if (!isThere || !hasRoom(await liveKeysOf(transaction, account, now))) return undefined;
    const request = { email: account.email, options: keyFields(options), by: BY, network, now } as const;
    const { key, issued } = await addNewKey(transaction, request);
    return { key, prefix: issued.key.prefix };
  });
}

/** Revokes a key at once. @returns whether it is a key of the account that works */
export async function revokeOwnKey(
  store: Store,
  { account, network }: Owner,
  { prefix, now }: OwnKey,
): Promise<boolean> {
  return await transact(store, async (transaction) => {
    const isOwn = await isOwnKey(transaction, account, { prefix, now });
    if (isOwn) await revoke(transaction, prefix, { by: BY, network, now });
    return isOwn;
  });
}

/**
 * Sets options of a key.
 *
 * @param readOptions returns the options to set for the key
 * @returns whether it is a key of the account that works
 */
export async function setOwnKey(
  store: Store,
  { account, network }: Owner,
  { prefix, now }: OwnKey,
  readOptions: (key: Key) => KeyOptions,
): Promise<boolean> {
  return await transact(store, async (transaction) => {
    const key = await findOwnKey(transaction, account, { prefix, now });
    if (key) await setKeyOptions(transaction, prefix, readOptions(key), { by: BY, network, now });
    return key !== undefined;
  });
}

/**
 * Replaces a key by a new one.
 *
 * @param keep for how long the old key continues to work, in ms
 * @returns undefined if it is not a key of the account that works; `too-many` if too many replaced keys of the account still work
 */
export async function rotateOwnKey(
  store: Store,
  { account, network }: Owner,
  { prefix, now }: OwnKey,
  keep: number,
): Promise<NewKey | 'too-many' | undefined> {
  return await transact(store, async (transaction) => {
    if (!(await isOwnKey(transaction, account, { prefix, now }))) return undefined;
    if (!(await mayRotate(transaction, account, now))) return 'too-many';
    const rotation = await rotate(transaction, prefix, { keep, by: BY, network, now });
    return rotation && { key: rotation.key, prefix: rotation.issued.key.prefix, replaced: rotation.replaced };
  });
}

async function isOwnKey(transaction: Transaction, account: Account, ownKey: OwnKey): Promise<boolean> {
  return (await findOwnKey(transaction, account, ownKey)) !== undefined;
}

async function findOwnKey(
  transaction: Transaction,
  account: Account,
  { prefix, now }: OwnKey,
): Promise<Key | undefined> {
  return (await liveKeysOf(transaction, account, now)).find((key) => key.prefix === prefix);
}
