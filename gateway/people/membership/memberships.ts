import type { Account, Grant } from '../../access/account.ts';
import { type Reader, type Transaction, table } from '../../store/transaction.ts';
import { grantOf, type Membership, membershipId } from './membership.ts';

/** `<platform>:<member>` → membership. */
export const MEMBERSHIPS = table<Membership>('membership');
/** Email address → ids of the memberships for which a platform reported it. */
const BY_EMAIL = table<string[]>('membership-email');
/** Account id → ids of the memberships that it claimed. */
const BY_ACCOUNT = table<string[]>('membership-account');
/** Account id → the account's pending claim. */
export const CLAIMS = table<Claim>('membership-claim');

/** A claim of memberships whose code has not been entered yet. */
export interface Claim {
  /** The ids of the memberships to claim. */
  memberships: string[];
  /** SHA-256 of the account's id and the code, hexadecimal. */
  hash: string;
  /** How many more codes may be tried. */
  attempts: number;
  /** Milliseconds since 1970. */
  expires: number;
}

/** Returns the memberships of an email address, including those that another account has claimed. */
export async function membershipsByEmail(reader: Reader, email: string): Promise<Membership[]> {
  return await readAll(reader, (await reader.get(BY_EMAIL, email)) ?? []);
}

/** Returns the memberships of an account: those that it claimed, and those of its email address that nobody claimed. */
export async function membershipsOf(
  reader: Reader,
  { id, email }: Pick<Account, 'id' | 'email'>,
): Promise<Membership[]> {
  const claimed = await readAll(reader, (await reader.get(BY_ACCOUNT, id)) ?? []);
  const byEmail = await membershipsByEmail(reader, email);
  return [...claimed, ...byEmail.filter(({ account }) => account === null)];
}

/** Returns what an account's memberships grant it. */
export async function membershipGrants(reader: Reader, account: Account): Promise<Grant[]> {
  return (await membershipsOf(reader, account)).map(grantOf);
}

/** Writes a membership, and indexes it by email address and account. */
export async function putMembership(transaction: Transaction, membership: Membership): Promise<void> {
  const id = membershipId(membership);
  const before = await transaction.get(MEMBERSHIPS, id);
  if (before?.email !== membership.email) {
    await removeFromIndex(transaction, BY_EMAIL, before?.email, id);
    await addToIndex(transaction, BY_EMAIL, membership.email, id);
  }
  if (before?.account !== membership.account) {
    await removeFromIndex(transaction, BY_ACCOUNT, before?.account, id);
    await addToIndex(transaction, BY_ACCOUNT, membership.account, id);
  }
  transaction.put(MEMBERSHIPS, id, membership);
}

/**
 * Returns all memberships of a person: those of the email address, and those that its account claimed.
 *
 * @param account the account's id; undefined when the email address has no account
 */
export async function membershipsOfPerson(
  reader: Reader,
  email: string,
  account: string | undefined,
): Promise<Membership[]> {
  const claimed = account === undefined ? [] : ((await reader.get(BY_ACCOUNT, account)) ?? []);
  const idsOfEmail = (await reader.get(BY_EMAIL, email)) ?? [];
  return await readAll(reader, [...new Set([...claimed, ...idsOfEmail])]);
}

/**
 * Removes the memberships that `membershipsOfPerson` returns, and the account's pending claim.
 *
 * @returns the removed memberships
 */
export async function removeMemberships(
  transaction: Transaction,
  email: string,
  account: string | undefined,
): Promise<Membership[]> {
  const removed = await membershipsOfPerson(transaction, email, account);
  for (const membership of removed) {
    const id = membershipId(membership);
    await removeFromIndex(transaction, BY_EMAIL, membership.email, id);
    await removeFromIndex(transaction, BY_ACCOUNT, membership.account, id);
    transaction.remove(MEMBERSHIPS, id);
  }
  if (account !== undefined) transaction.remove(CLAIMS, account);
  return removed;
}

async function readAll(reader: Reader, ids: readonly string[]): Promise<Membership[]> {
  const memberships = await Promise.all(ids.map((id) => reader.get(MEMBERSHIPS, id)));
  return memberships.filter((membership) => membership !== undefined);
}

type Index = typeof BY_EMAIL;

async function addToIndex(
  transaction: Transaction,
  index: Index,
  name: string | null,
  id: string,
): Promise<void> {
  if (name !== null) transaction.put(index, name, [...((await transaction.get(index, name)) ?? []), id]);
}

async function removeFromIndex(
  transaction: Transaction,
  index: Index,
  name: string | null | undefined,
  id: string,
): Promise<void> {
  if (name === null || name === undefined) return;
  const left = ((await transaction.get(index, name)) ?? []).filter((other) => other !== id);
  if (left.length > 0) transaction.put(index, name, left);
  else transaction.remove(index, name);
}
