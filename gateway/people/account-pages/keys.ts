import { type Account, isEnding, type Key } from '../../access/account.ts';
import { keyFields, type KeyOptions, mayRotate, rotate, setKeyOptions } from '../../access/key-options.ts';
import { accountById } from '../../store/accounts.ts';
import type { Actor } from '../../store/audit.ts';
import { issueKey, liveKeysOf, revokeKey } from '../../store/keys.ts';
import type { Sql, Store } from '../../store/sql.ts';
import type { Session } from '../accounts/session.ts';
import { MAX_KEYS } from '../signup/links.ts';

/** A new key, which cannot be shown again. */
export interface NewKey {
  key: string;
  prefix: string;
  /** The key that it replaces, with its end. */
  replaced?: Key;
}

/** The account holder who changes a key. */
export type Owner = Pick<Session, 'account' | 'network'>;

const actorOf = ({ network }: Owner): Actor => ({ by: 'account', network });

/** Reports whether an account may have one more key. Keys that are due to end do not count. */
export function hasRoom(keys: readonly Key[]): boolean {
  return keys.filter((key) => !isEnding(key)).length < MAX_KEYS;
}

/** Issues one more key to an account. @returns undefined if the account has the maximum number of keys, or is deleted */
export async function issueOwnKey(
  store: Store,
  owner: Owner,
  options: KeyOptions = {},
): Promise<NewKey | undefined> {
  const { account } = owner;
  return await store.transaction(async (sql) => {
    // A new key would create a deleted account again.
    const isThere = (await accountById(sql, account.id)) !== undefined;
    if (!isThere || !hasRoom(await liveKeysOf(sql, account.id))) return undefined;
    const { key, issued } = await issueKey(sql, account.email, actorOf(owner), keyFields(options));
    return { key, prefix: issued.key.prefix };
  });
}

/** Revokes a key at once. @returns whether it is a key of the account that works */
export async function revokeOwnKey(store: Store, owner: Owner, prefix: string): Promise<boolean> {
  return await store.transaction(async (sql) => {
    const isOwn = (await findOwnKey(sql, owner.account, prefix)) !== undefined;
    if (isOwn) await revokeKey(sql, prefix, actorOf(owner));
    return isOwn;
  });
}

/** Sets options of a key. @param readOptions returns what to set @returns whether it is a key of the account that works */
export async function setOwnKey(
  store: Store,
  owner: Owner,
  prefix: string,
  readOptions: (key: Key) => KeyOptions,
): Promise<boolean> {
  return await store.transaction(async (sql) => {
    const key = await findOwnKey(sql, owner.account, prefix);
    return key !== undefined && (await setKeyOptions(sql, prefix, readOptions(key), actorOf(owner)));
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
  owner: Owner,
  prefix: string,
  keep: number,
): Promise<NewKey | 'too-many' | undefined> {
  return await store.transaction(async (sql) => {
    if (!(await findOwnKey(sql, owner.account, prefix))) return undefined;
    if (!(await mayRotate(sql, owner.account.id))) return 'too-many';
    const rotation = await rotate(sql, prefix, keep, actorOf(owner));
    return rotation && { key: rotation.key, prefix: rotation.issued.key.prefix, replaced: rotation.replaced };
  });
}

async function findOwnKey(sql: Sql, account: Account, prefix: string): Promise<Key | undefined> {
  return (await liveKeysOf(sql, account.id)).find((key) => key.prefix === prefix);
}
