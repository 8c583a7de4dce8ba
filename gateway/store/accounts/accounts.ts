import { randomUUID } from 'node:crypto';
import { createKey } from '../../access/api-key.ts';
import {
  type Account,
  bestGrant,
  type Grant,
  type IssuedKey,
  isRevoked,
  type Key,
} from '../../access/account.ts';
import type { Store } from '../store.ts';
import { findWith, type Reader, type Transaction, table, transact } from '../transaction.ts';
import { endKey, KEYS, type KeyActor, keyOfPrefix, putKey, recordKeyEvent } from './keys.ts';
import { nameCounters } from './name-counters.ts';
import { type AccountChange, OPERATOR } from './ports.ts';

/** Account id → account. */
export const ACCOUNTS = table<Account>('account');
/** Email address → account id. */
export const EMAILS = table<string>('email');
/** Account id → the tier that an operator granted; memberships may grant a better one. */
export const GRANTS = table<Grant>('grant');

/** What may be set for a key. */
export type KeyFields = Pick<Key, 'name' | 'expires_at' | 'networks' | 'browser'>;

/** A key to issue. `prefix` and `hash` come from `createKey`, `email` from `readEmail`. */
export interface IssueRequest {
  email: string;
  prefix: string;
  hash: string;
  /** The tier to grant; without it, the account keeps its tier, and a new account gets the tier of its memberships. */
  grant?: Grant;
  /** The prefix of the key that the new one replaces, and when that key ends, in ms since 1970, unless it ends earlier. */
  replaces?: { prefix: string; at: number };
  /** What is set for the key. */
  options?: KeyFields;
  /** Who makes the key; the operator by default. */
  by?: KeyActor;
  /** The network of the request, as `networkOf` returns it. */
  network?: string | null;
  /** Milliseconds since 1970. */
  now: number;
}

/** Finds a key, revoked ones included, by its SHA-256, in one round trip. Requests wait for it, so it fails soon. */
export async function findKey(store: Store, hash: string): Promise<IssuedKey | undefined> {
  const [key, account] = await findWith(store, KEYS, hash, ['account', ACCOUNTS]);
  return key && account && { key, account };
}

/** Adds its account to a key; undefined without a key. */
export async function withAccount(reader: Reader, key: Key | undefined): Promise<IssuedKey | undefined> {
  const account = key && (await accountById(reader, key.account));
  return account && { key, account };
}

/** Finds an account by its email address, as returned by `readEmail`. */
export async function findAccount(reader: Reader, email: string): Promise<Account | undefined> {
  const id = await reader.get(EMAILS, email);
  return id === undefined ? undefined : await reader.get(ACCOUNTS, id);
}

/** Finds an account by its id. */
export async function accountById(reader: Reader, id: string): Promise<Account | undefined> {
  return await reader.get(ACCOUNTS, id);
}

/**
 * Adds a key, and an account when the email address has none.
 *
 * @returns undefined when the prefix is in use; then nothing is written, and the caller must create another key
 */
export async function issueKey(store: Store, request: IssueRequest): Promise<IssuedKey | undefined> {
  return await transact(store, (transaction) => addKey(transaction, request));
}

/** Does the same as `issueKey` as a part of a larger transaction. */
async function addKey(
  transaction: Transaction,
  { email, prefix, hash, grant, replaces, options = {}, by = 'operator', network = null, now }: IssueRequest,
): Promise<IssuedKey | undefined> {
  if ((await keyOfPrefix(transaction, prefix)) !== undefined) return undefined;
  const holder = (await findAccount(transaction, email)) ?? (await openAccount(transaction, email, now));
  const account = grant ? await putGrant(transaction, holder, grant, now) : holder;
  const revoked_at = options.expires_at ?? null;
  const key: Key = { prefix, hash, account: account.id, created_at: toIso(now), revoked_at, ...options };
  await putKey(transaction, key);
  const replaced = replaces && (await keyOfPrefix(transaction, replaces.prefix));
  const change = replaced
    ? ({ kind: 'rotated', replaced: endKey(transaction, replaced, replaces.at) } as const)
    : ({ kind: 'made' } as const);
  await recordKeyEvent(transaction, { ...change, key, by, network, at: now });
  return { key, account };
}

/** How many keys are created to find an unused prefix. With n keys in the store, a prefix is in use with probability n / 2^40. */
const ATTEMPTS = 5;

/**
 * Creates and adds a key with an unused prefix, and an account when the email address has none.
 *
 * @returns the key itself, which is not stored and cannot be shown again, and its record
 */
export async function addNewKey(
  transaction: Transaction,
  request: Omit<IssueRequest, 'prefix' | 'hash'>,
): Promise<{ key: string; issued: IssuedKey }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { key, prefix, hash } = createKey();
    const issued = await addKey(transaction, { ...request, prefix, hash });
    if (issued) return { key, issued };
  }
  throw new Error(`the prefixes of ${ATTEMPTS} random keys are all in use`);
}

async function openAccount(transaction: Transaction, email: string, now: number): Promise<Account> {
  const account: Account = {
    id: randomUUID(),
    email,
    tier: 'free',
    pro_until: null,
    created_at: toIso(now),
    counted_as: await nameCounters(transaction, email),
  };
  transaction.put(EMAILS, email, account.id);
  transaction.put(ACCOUNTS, account.id, account);
  return await refreshTier(transaction, account);
}

/** Sets the tier that an operator grants to an account. */
export async function putGrant(
  transaction: Transaction,
  account: Account,
  grant: Grant,
  now: number,
): Promise<Account> {
  transaction.put(GRANTS, account.id, grant);
  return await refreshTier(transaction, account, { event: 'tier.granted', actor: OPERATOR, now });
}

/** Why a tier may change: the event for the account's log. */
export type TierCause = Pick<AccountChange, 'event' | 'actor' | 'now'>;

/**
 * Sets an account's tier to the best of what an operator and parts grant, as by memberships. Call this in every transaction that changes
 * one of them.
 *
 * @param cause recorded if the tier changes; not given where the account itself is opened or another one is deleted
 */
export async function refreshTier(
  transaction: Transaction,
  account: Account,
  cause?: TierCause,
): Promise<Account> {
  const operatorGrant = await transaction.get(GRANTS, account.id);
  const keeper = (await import('../../people/account-keeper.ts')).ACCOUNT_KEEPER;
  const grants = await keeper.grants(transaction, account);
  const grant = bestGrant([...(operatorGrant ? [operatorGrant] : []), ...grants]);
  if (grant.tier === account.tier && grant.pro_until === account.pro_until) return account;
  const refreshed: Account = { ...account, ...grant };
  transaction.put(ACCOUNTS, account.id, refreshed);
  transaction.changeRevision();
  if (cause) {
    const about = grant.pro_until === null ? grant.tier : `${grant.tier} until ${grant.pro_until}`;
    await keeper.record(transaction, { account: account.id, about, ...cause });
  }
  return refreshed;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}

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
