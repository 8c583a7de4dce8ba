import type { Account, Grant } from '../../plans/account.ts';
import { type Reader, type Transaction, table } from '../../store/transaction.ts';
import { grantOf, type Membership, membershipId } from './membership.ts';

/** `<platform>:<member>` → membership. */
export const MEMBERSHIPS = table<Membership>('membership');
/** E-mail address → the ids of the memberships that the platforms know by it. */
const BY_EMAIL = table<string[]>('membership-email');
/** Account id → the ids of the memberships that it claimed. */
const BY_ACCOUNT = table<string[]>('membership-account');
/** Account id → the claim that is under way. */
export const CLAIMS = table<Claim>('membership-claim');

/** A claim that waits for its code. */
export interface Claim {
  /** The ids of the memberships that the code was mailed for. */
  memberships: string[];
  /** SHA-256 of the account's id and the code, hexadecimal. */
  hash: string;
  /** How often a code may still be tried. */
  attempts: number;
  /** Milliseconds since 1970. */
  expires: number;
}

/** The memberships that are known by an address, also those that another account claimed. */
export async function membershipsByEmail(reader: Reader, email: string): Promise<Membership[]> {
  return await readAll(reader, (await reader.get(BY_EMAIL, email)) ?? []);
}

/** The memberships that belong to an account: those that it claimed, and those of its address that no other claimed. */
export async function membershipsOf(
  reader: Reader,
  { id, email }: Pick<Account, 'id' | 'email'>,
): Promise<Membership[]> {
  const claimed = await readAll(reader, (await reader.get(BY_ACCOUNT, id)) ?? []);
  const own = await membershipsByEmail(reader, email);
  return [...claimed, ...own.filter(({ account }) => account === null)];
}

/** What an account's memberships give it. */
export async function membershipGrants(reader: Reader, account: Account): Promise<Grant[]> {
  return (await membershipsOf(reader, account)).map(grantOf);
}

/** Writes a membership, so that it is found by its address and its account. */
export async function putMembership(transaction: Transaction, membership: Membership): Promise<void> {
  const id = membershipId(membership);
  const before = await transaction.get(MEMBERSHIPS, id);
  if (before?.email !== membership.email) {
    await removeName(transaction, BY_EMAIL, before?.email, id);
    await addName(transaction, BY_EMAIL, membership.email, id);
  }
  if (before?.account !== membership.account) {
    await removeName(transaction, BY_ACCOUNT, before?.account, id);
    await addName(transaction, BY_ACCOUNT, membership.account, id);
  }
  transaction.put(MEMBERSHIPS, id, membership);
}

/**
 * All memberships of a person: those that are known by an address, and those that its account claimed.
 *
 * @param account the id of the address's account, where it has one
 */
export async function membershipsOfPerson(
  reader: Reader,
  email: string,
  account: string | undefined,
): Promise<Membership[]> {
  const claimed = account === undefined ? [] : ((await reader.get(BY_ACCOUNT, account)) ?? []);
  const own = (await reader.get(BY_EMAIL, email)) ?? [];
  return await readAll(reader, [...new Set([...claimed, ...own])]);
}

/**
 * Removes what `membershipsOfPerson` finds, and the claim that is under way.
 *
 * @returns what was removed
 */
export async function removeMemberships(
  transaction: Transaction,
  email: string,
  account: string | undefined,
): Promise<Membership[]> {
  const removed = await membershipsOfPerson(transaction, email, account);
  for (const membership of removed) {
    const id = membershipId(membership);
    await removeName(transaction, BY_EMAIL, membership.email, id);
    await removeName(transaction, BY_ACCOUNT, membership.account, id);
    transaction.remove(MEMBERSHIPS, id);
  }
  if (account !== undefined) transaction.remove(CLAIMS, account);
  return removed;
}

async function readAll(reader: Reader, ids: readonly string[]): Promise<Membership[]> {
  const found = await Promise.all(ids.map((id) => reader.get(MEMBERSHIPS, id)));
  return found.filter((membership) => membership !== undefined);
}

type Index = typeof BY_EMAIL;

async function addName(
  transaction: Transaction,
  index: Index,
  name: string | null,
  id: string,
): Promise<void> {
  if (name !== null) transaction.put(index, name, [...((await transaction.get(index, name)) ?? []), id]);
}

async function removeName(
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
