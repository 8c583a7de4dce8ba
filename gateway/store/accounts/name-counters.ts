import { createHmac, randomBytes } from 'node:crypto';
import { type Transaction, table } from '../transaction.ts';
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

/** `QUOTA` → the secret of the store that keys the names of what is counted. */
const SECRETS = table<string>('counter-secret');
const QUOTA = 'quota';
const SECRET_BYTES = 32;

/**
 * Returns the function that names what is counted, such as the mails to an address: a keyed hash, 64 hexadecimal digits, of a text that
 * identifies it. Names do not reveal the texts, and only this store can compute them.
 */
export async function keyedNames(transaction: Transaction): Promise<(text: string) => string> {
  const secret = await secretOf(transaction);
  return (text) => createHmac('sha256', secret).update(text).digest('hex');
}

async function secretOf(transaction: Transaction): Promise<string> {
  const record = await transaction.get(SECRETS, QUOTA);
  if (record !== undefined) return record;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  transaction.put(SECRETS, QUOTA, secret);
  return secret;
}
