import { createHash, randomInt } from 'node:crypto';
import { isSameSecret } from '../accounts/token.ts';
import type { Store } from '../../store/sql.ts';
import { type Transaction, transact } from '../../store/records.ts';
import { accountById, refreshTier } from '../../store/accounts.ts';
import { membershipId } from './membership.ts';
import { CLAIMS, type Claim, findMembership, membershipsByEmail, putMembership } from './memberships.ts';
import { GATEWAY } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/audit-log.ts';
import type { Actor } from '../../store/audit.ts';
import { findOwner } from './owner.ts';

/** How long a code is valid. */
export const CLAIM_MS = 15 * 60_000;
/** How many attempts there are to type a code that was mailed. */
const ATTEMPTS = 5;
/** 31 characters that people do not confuse. A code of 8 has 39 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_CHARS = 8;

/** The outcome of a code: it was right, it was wrong, or no claim waits for a code. */
export type ClaimOutcome = 'claimed' | 'wrong' | 'gone';

/** A claim of an account to the memberships of an email address. */
export interface ClaimRequest {
  /** The account's id. */
  account: string;
  /** The email address that the platform has for the membership, as returned by `readEmail`. */
  email: string;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Begins a claim of an account to the memberships of another email address. To finish it, the account holder needs a code that is mailed
 * to that address. The code works once, for 15 minutes and 5 attempts. An earlier claim of the account ends.
 *
 * @returns the code, to be mailed to that address and shown nowhere else; undefined if the address has no membership. The page must
 *   respond the same way in both cases.
 */
export async function beginClaim(
  store: Store,
  { account, email, now }: ClaimRequest,
): Promise<string | undefined> {
  const code = createCode();
  const expires = now + CLAIM_MS;
  return await transact(store, async (transaction) => {
    const memberships = (await membershipsByEmail(transaction, email)).map(membershipId);
    // Also written without a membership, so that both cases take the same time.
    const claim: Claim = { memberships, hash: hashCode(account, code), attempts: ATTEMPTS, expires };
    await transaction.put(CLAIMS, account, claim, expires);
    return memberships.length > 0 ? code : undefined;
  });
}

/** A code that was typed for a claim. */
export interface ClaimCode {
  /** The account's id. */
  account: string;
  code: string;
  /** The network of the request, as `networkOf` returns it. */
  network?: string | null;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Finishes a claim with its code: from now on the memberships belong only to the account. Capitals, spaces and hyphens in the code do not
 * matter.
 */
export async function finishClaim(
  store: Store,
  { account, code, network = null, now }: ClaimCode,
): Promise<ClaimOutcome> {
  const hash = hashCode(account, code.toLowerCase().replace(/[\s-]/g, ''));
  return await transact(store, async (transaction) => {
    const claim = await transaction.read(CLAIMS, account);
    if (claim === undefined || now >= claim.expires) return 'gone';
    // The account may have been deleted since. A membership that belongs to a deleted account would be lost.
    if ((await accountById(transaction, account)) === undefined) return 'gone';
    if (claim.memberships.length > 0 && isSameSecret(hash, claim.hash)) {
      await transaction.remove(CLAIMS, account);
      const actor = { by: 'account', network } as const;
      await recordEvent(transaction, { account, event: 'membership.claimed', actor });
      await attach(transaction, claim.memberships, account, {
        event: 'membership.changed',
        actor: GATEWAY,
      });
      return 'claimed';
    }
    const attempts = claim.attempts - 1;
    if (attempts > 0) await transaction.put(CLAIMS, account, { ...claim, attempts }, claim.expires);
    else await transaction.remove(CLAIMS, account);
    return 'wrong';
  });
}

/** Gives memberships to an account, and removes them from the accounts that they belonged to. */
async function attach(
  transaction: Transaction,
  ids: readonly string[],
  account: string,
  cause: { event: string; actor: Actor },
): Promise<void> {
  const losers = new Set<string>();
  for (const id of ids) {
    const membership = await findMembership(transaction, id);
    if (!membership) continue;
    const before = await findOwner(transaction, membership);
    if (before) losers.add(before.id);
    await putMembership(transaction, { ...membership, account });
  }
  for (const id of [...losers, account]) {
    await refreshTier(transaction, id, cause);
  }
}

function createCode(): string {
  return Array.from({ length: CODE_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function hashCode(account: string, code: string): string {
  return createHash('sha256').update(`${account} ${code}`).digest('hex');
}
