import { createHmac, randomBytes } from 'node:crypto';
import { type Transaction, table } from '../../store/transaction.ts';
import { canonicalEmail } from './email.ts';

/** `QUOTA` → the secret of the store that keys the names of counters. */
const SECRETS = table<string>('counter-secret');
const QUOTA = 'quota';
const SECRET_BYTES = 32;

/**
 * Names the counters of an account: a keyed hash of the canonical form of its email address. They outlive the account until midnight UTC, so
 * that deleting it does not reset its caps; the name does not reveal the address.
 *
 * @param email as returned by `readEmail`
 */
export async function nameCounters(transaction: Transaction, email: string): Promise<string> {
  let secret = await transaction.get(SECRETS, QUOTA);
  if (secret === undefined) {
    secret = randomBytes(SECRET_BYTES).toString('base64url');
    transaction.put(SECRETS, QUOTA, secret);
  }
  return createHmac('sha256', secret).update(canonicalEmail(email)).digest('hex');
}
