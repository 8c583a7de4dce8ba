import { accountById } from '../../store/accounts/accounts.ts';
import { changeKey, KEYS, keyOfPrefix } from '../../store/accounts/keys.ts';
import type { Actor } from '../../store/accounts/ports.ts';
import { ADDRESS_MARK, createToken } from '../../access/api-key.ts';
import type { Account, AddressTerms, Key } from '../../access/account.ts';
import { type Reader, type Transaction, table } from '../../store/transaction.ts';
import { compareAge } from '../../lists/lists.ts';
import { recordEvent } from '../audit/audit-log.ts';
import { namePrefix, removePrefix } from './keys-of.ts';

/** Account id → the SHA-256 of the token of each of its read-only addresses. */
const ACCOUNT_ADDRESSES = table<string[]>('account-addresses');

/** How many read-only addresses an account may have. */
export const MAX_ADDRESSES = 20;

/** A read-only address to make. */
export interface AddressRequest {
  /** What it serves, from `readAddressTerms`. */
  terms: AddressTerms;
  /** As `readKeyName` returns it. */
  name: string;
  actor: Actor;
  /** ms since 1970. */
  now: number;
}

/** A new address. Its token is not stored and cannot be shown again. */
export interface NewAddress {
  token: string;
  record: Key;
}

/**
 * Makes a read-only address for an account.
 *
 * @returns undefined if the account has the maximum number of them, or no longer exists
 */
export async function makeAddress(
  transaction: Transaction,
  account: Account,
  { terms, name, actor, now }: AddressRequest,
): Promise<NewAddress | undefined> {
  const hashes = (await transaction.get(ACCOUNT_ADDRESSES, account.id)) ?? [];
  // A new record would outlive a deleted account.
  const isThere = (await accountById(transaction, account.id)) !== undefined;
  if (!isThere || hashes.length >= MAX_ADDRESSES) return undefined;
  const { token, prefix, hash } = createToken(ADDRESS_MARK);
  if ((await keyOfPrefix(transaction, prefix)) !== undefined) throw new Error(`${prefix} is in use`);
  const record: Key = {
    ...{ prefix, hash, account: account.id, created_at: new Date(now).toISOString() },
    ...{ revoked_at: null, ...(name !== '' && { name }), address: terms },
  };
  transaction.put(ACCOUNT_ADDRESSES, account.id, [...hashes, hash]);
  changeKey(transaction, record);
  namePrefix(transaction, record);
  await recordEvent(transaction, { account: account.id, event: 'address.made', about: prefix, actor, now });
  return { token, record };
}

/** Returns the read-only addresses of an account, the oldest first. */
export async function addressesOf(reader: Reader, { id }: Account): Promise<Key[]> {
  const addresses: Key[] = [];
  for (const hash of (await reader.get(ACCOUNT_ADDRESSES, id)) ?? []) {
    const record = await reader.get(KEYS, hash);
    if (record) addresses.push(record);
  }
  return addresses.sort(compareAge);
}

/**
 * Revokes a read-only address permanently: its record is removed.
 *
 * @param owner its account; undefined for the operator, who may revoke those of all accounts
 * @returns undefined if there is no such address
 */
export async function revokeAddress(
  transaction: Transaction,
  prefix: string,
  { owner, actor, now }: { owner?: Account; actor: Actor; now: number },
): Promise<Key | undefined> {
  const record = await keyOfPrefix(transaction, prefix);
  if (record?.address === undefined || (owner && record.account !== owner.id)) return undefined;
  const hashes = (await transaction.get(ACCOUNT_ADDRESSES, record.account)) ?? [];
  const left = hashes.filter((hash) => hash !== record.hash);
  if (left.length > 0) transaction.put(ACCOUNT_ADDRESSES, record.account, left);
  else transaction.remove(ACCOUNT_ADDRESSES, record.account);
  remove(transaction, record);
  const event = { account: record.account, event: 'address.revoked', about: prefix, actor, now } as const;
  await recordEvent(transaction, event);
  return record;
}

/** Removes all read-only addresses of a deleted account. */
export async function removeAddresses(transaction: Transaction, account: Account): Promise<void> {
  for (const record of await addressesOf(transaction, account)) remove(transaction, record);
  transaction.remove(ACCOUNT_ADDRESSES, account.id);
}

function remove(transaction: Transaction, record: Key): void {
  transaction.remove(KEYS, record.hash);
  removePrefix(transaction, record);
  transaction.changeRevision();
}
