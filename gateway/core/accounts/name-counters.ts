import { keyedNames } from '../access/keyed-names.ts';
import type { Transaction } from '../store/transaction.ts';
import { canonicalEmail } from './email.ts';

/**
 * Names the counters of an account: a keyed hash of the canonical form of its email address. They outlive the account until midnight UTC, so
 * that deleting it does not reset its caps; the name does not reveal the address.
 *
 * @param email as returned by `readEmail`
 */
export async function nameCounters(transaction: Transaction, email: string): Promise<string> {
  return (await keyedNames(transaction))(canonicalEmail(email));
}
