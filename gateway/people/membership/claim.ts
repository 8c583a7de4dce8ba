import { createHash, randomInt } from 'node:crypto';
import { isSameSecret } from '../../keys/token.ts';
import type { Store } from '../../store/store.ts';
import { type Transaction, transact } from '../../store/transaction.ts';
import { accountById, refreshTier } from '../accounts/accounts.ts';
import { membershipId } from '../accounts/membership.ts';
import {
  CLAIMS,
  type Claim,
  MEMBERSHIPS,
  membershipsByEmail,
  putMembership,
} from '../accounts/memberships.ts';
import { findOwner } from './owner.ts';

/** How long a code is good for, in ms. */
export const CLAIM_MS = 15 * 60_000;
/** How many codes may be tried for one that was mailed. */
const ATTEMPTS = 5;
/** Of 31 characters none of which people take for another: 39 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_CHARS = 8;

/** What became of a code: it was right; it was wrong; or no claim waits for one any more. */
export type ClaimOutcome = 'claimed' | 'wrong' | 'gone';

/** Who claims what. */
export interface ClaimRequest {
  /** The id of the account. */
  account: string;
  /** The address that the platform knows the membership by, as `readEmail` gives it. */
  email: string;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Begins to claim the memberships of another address for an account. Whoever reads mail at that address can end it, by a code of 8 characters
 * that is good once, for 15 minutes and 5 attempts; a claim that was begun before is void.
 *
 * @returns the code, to be mailed to that address and told nobody; undefined where it has no membership. The person at the
 *   page gets the same answer either way.
 */
export async function beginClaim(
  store: Store,
  { account, email, now }: ClaimRequest,
): Promise<string | undefined> {
  const code = createCode();
  const expires = now + CLAIM_MS;
  return await transact(store, async (transaction) => {
    const memberships = (await membershipsByEmail(transaction, email)).map(membershipId);
    // Written also where nothing waits, so that it takes the same work.
    const claim: Claim = { memberships, hash: hashCode(account, code), attempts: ATTEMPTS, expires };
    transaction.put(CLAIMS, account, claim, expires);
    return memberships.length > 0 ? code : undefined;
  });
}

/**
 * Ends a claim by its code: the memberships belong to the account from then on, and to no other. How the code is typed, in capitals or
 * with spaces or hyphens in it, does not matter.
 */
export async function finishClaim(
  store: Store,
  { account, code, now }: { account: string; code: string; now: number },
): Promise<ClaimOutcome> {
  const hash = hashCode(account, code.toLowerCase().replace(/[\s-]/g, ''));
  return await transact(store, async (transaction) => {
    const claim = await transaction.get(CLAIMS, account);
    if (claim === undefined || now >= claim.expires) return 'gone';
    // It may have been deleted while the claim began: what belonged to nobody would be lost to everybody.
    if ((await accountById(transaction, account)) === undefined) return 'gone';
    if (claim.memberships.length > 0 && isSameSecret(hash, claim.hash)) {
      transaction.remove(CLAIMS, account);
      await attach(transaction, claim.memberships, account);
      return 'claimed';
    }
    const attempts = claim.attempts - 1;
    if (attempts > 0) transaction.put(CLAIMS, account, { ...claim, attempts }, claim.expires);
    else transaction.remove(CLAIMS, account);
    return 'wrong';
  });
}

/** Gives memberships to an account, and takes them from those that they belonged to. */
async function attach(transaction: Transaction, ids: readonly string[], account: string): Promise<void> {
  const losers = new Set<string>();
  for (const id of ids) {
    const membership = await transaction.get(MEMBERSHIPS, id);
    if (!membership) continue;
    const before = await findOwner(transaction, membership);
    if (before) losers.add(before.id);
    await putMembership(transaction, { ...membership, account });
  }
  for (const id of [...losers, account]) {
    const affected = await accountById(transaction, id);
    if (affected) await refreshTier(transaction, affected);
  }
}

function createCode(): string {
  return Array.from({ length: CODE_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function hashCode(account: string, code: string): string {
  return createHash('sha256').update(`${account} ${code}`).digest('hex');
}
