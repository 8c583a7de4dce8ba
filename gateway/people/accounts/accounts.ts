import { randomUUID } from 'node:crypto';
import { createKey } from '../../keys/api-key.ts';
import {
  type Account,
  type AccountRecord,
  bestGrant,
  compareAge,
  type Grant,
  type IssuedKey,
  type Key,
} from '../../plans/account.ts';
import type { Store } from '../../store/store.ts';
import {
  find,
  findAll,
  list,
  type Reader,
  type Transaction,
  table,
  transact,
} from '../../store/transaction.ts';
import { endKey, KEYS, keyOfPrefix, keysOf, putKey, removeKeys } from './keys.ts';
import { membershipGrants } from './memberships.ts';

/** Account id → account. */
const ACCOUNTS = table<Account>('account');
/** E-mail address → account id. */
const EMAILS = table<string>('email');
/** Account id → the tier that an operator gave it; its memberships may give it a better one. */
const GRANTS = table<Grant>('grant');

/** How long `findKey` may take, in ms: with its counting a request waits for 250 at most. */
const FIND_MS = 90;

/** What is needed to issue a key: what `createKey` and `readEmail` give, and what it shall be good for. */
export interface IssueRequest {
  email: string;
  prefix: string;
  hash: string;
  /** The tier that the account is given; without it an account keeps its tier, and a new one has that of its memberships. */
  grant?: Grant;
  /** The prefix of a key of the same account that ends at a time, in ms since 1970, unless it ends before. */
  replaces?: { prefix: string; at: number };
  /** Milliseconds since 1970. */
  now: number;
}

/** Finds a key, revoked ones included, by its SHA-256. A request may wait for it. */
export async function findKey(store: Store, hash: string): Promise<IssuedKey | undefined> {
  const end = performance.now() + FIND_MS;
  const key = await find(store, KEYS, hash, FIND_MS);
  const account = key && (await find(store, ACCOUNTS, key.account, Math.max(1, end - performance.now())));
  return account && { key, account };
}

/** Finds a key, revoked ones included, by its prefix. */
export async function keyByPrefix(store: Store, prefix: string): Promise<IssuedKey | undefined> {
  return await transact(store, async (transaction) =>
    withAccount(transaction, await keyOfPrefix(transaction, prefix)),
  );
}

async function withAccount(reader: Reader, key: Key | undefined): Promise<IssuedKey | undefined> {
  const account = key && (await accountById(reader, key.account));
  return account && { key, account };
}

/** Lists every key, the oldest first. */
export async function listKeys(store: Store): Promise<IssuedKey[]> {
  const keys = (await list(store, KEYS)).map(([, key]) => key);
  const accounts = new Map(await list(store, ACCOUNTS));
  const issued = keys.flatMap((key) => {
    const account = accounts.get(key.account);
    return account ? [{ key, account }] : [];
  });
  return issued.sort((a, b) => compareAge(a.key, b.key));
}

/** Finds an account by its address as `readEmail` gives it. */
export async function findAccount(reader: Reader, email: string): Promise<Account | undefined> {
  const id = await reader.get(EMAILS, email);
  return id === undefined ? undefined : await reader.get(ACCOUNTS, id);
}

/** Finds an account by its id. */
export async function accountById(reader: Reader, id: string): Promise<Account | undefined> {
  return await reader.get(ACCOUNTS, id);
}

/** Finds accounts by their ids; those that are gone are left out. */
export async function findAccounts(
  store: Store,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Account>> {
  const found = (await findAll(store, ACCOUNTS, ids)).filter((account) => account !== undefined);
  return new Map(found.map((account) => [account.id, account]));
}

/** Finds an account with its keys by its address as `readEmail` gives it. */
export async function accountByEmail(store: Store, email: string): Promise<AccountRecord | undefined> {
  return await transact(store, async (transaction) => {
    const account = await findAccount(transaction, email);
    return account && { account, keys: await keysOf(transaction, account) };
  });
}

/**
 * Adds a key, and the account where the address has none.
 *
 * @returns undefined, and nothing is changed, when the prefix is in use: issue another key
 */
export async function issueKey(store: Store, request: IssueRequest): Promise<IssuedKey | undefined> {
  return await transact(store, (transaction) => addKey(transaction, request));
}

/** `issueKey` as a part of something larger. */
async function addKey(
  transaction: Transaction,
  { email, prefix, hash, grant, replaces, now }: IssueRequest,
): Promise<IssuedKey | undefined> {
  if ((await keyOfPrefix(transaction, prefix)) !== undefined) return undefined;
  const known = (await findAccount(transaction, email)) ?? (await openAccount(transaction, email, now));
  const account = grant ? await putGrant(transaction, known, grant) : known;
  const key: Key = { prefix, hash, account: account.id, created_at: toIso(now), revoked_at: null };
  await putKey(transaction, key);
  if (replaces) await endKey(transaction, replaces.prefix, replaces.at);
  return { key, account };
}

/** How many keys are tried for a prefix that is not in use; one in 2^40 / (keys in the store) needs a second. */
const ATTEMPTS = 5;

/**
 * Adds a key that begins like no other, and the account where the address has none.
 *
 * @returns the key itself, which nobody can tell again, and what was added
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
  throw new Error(`${ATTEMPTS} random keys in a row began like one in the store`);
}

async function openAccount(transaction: Transaction, email: string, now: number): Promise<Account> {
  const account: Account = {
    id: randomUUID(),
    email,
    tier: 'free',
    pro_until: null,
    created_at: toIso(now),
  };
  transaction.put(EMAILS, email, account.id);
  transaction.put(ACCOUNTS, account.id, account);
  return await refreshTier(transaction, account);
}

/**
 * Gives an account another tier; its memberships may give it a better one.
 *
 * @returns undefined when the address has no account
 */
export async function grantTier(store: Store, email: string, grant: Grant): Promise<Account | undefined> {
  return await transact(store, async (transaction) => {
    const account = await findAccount(transaction, email);
    return account && (await putGrant(transaction, account, grant));
  });
}

async function putGrant(transaction: Transaction, account: Account, grant: Grant): Promise<Account> {
  transaction.put(GRANTS, account.id, grant);
  return await refreshTier(transaction, account);
}

/**
 * Sets an account's tier to the best of what an operator gave it and what its memberships give it. Whatever changes one of them calls
 * this, in the same transaction.
 */
export async function refreshTier(transaction: Transaction, account: Account): Promise<Account> {
  const given = await transaction.get(GRANTS, account.id);
  const grant = bestGrant([...(given ? [given] : []), ...(await membershipGrants(transaction, account))]);
  if (grant.tier === account.tier && grant.pro_until === account.pro_until) return account;
  const refreshed: Account = { ...account, ...grant };
  transaction.put(ACCOUNTS, account.id, refreshed);
  transaction.changeRevision();
  return refreshed;
}

/**
 * Revokes a key for ever. A key that is revoked already keeps the time of its first revocation.
 *
 * @param now milliseconds since 1970
 * @returns the revoked key; undefined when the prefix is unknown
 */
export async function revokeKey(store: Store, prefix: string, now: number): Promise<IssuedKey | undefined> {
  return await transact(store, async (transaction) =>
    withAccount(transaction, await endKey(transaction, prefix, now)),
  );
}

/** Removes an account with its keys. @returns undefined when the address has none */
export async function removeAccount(transaction: Transaction, email: string): Promise<Account | undefined> {
  const account = await findAccount(transaction, email);
  if (account === undefined) return undefined;
  await removeKeys(transaction, account);
  transaction.remove(GRANTS, account.id);
  transaction.remove(EMAILS, email);
  transaction.remove(ACCOUNTS, account.id);
  transaction.changeRevision();
  return account;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
