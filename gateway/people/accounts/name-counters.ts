import { createHmac, randomBytes } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import { type Transaction, table, transact } from '../../store/transaction.ts';
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
  return hashOf(await secretOf(transaction), canonicalEmail(email));
}

/** Names other counters, such as those of the mails to an address, by keyed hashes of texts that tell them apart. */
export async function nameLimits(store: Store, texts: readonly string[]): Promise<string[]> {
  const secret = await transact(store, secretOf);
  return texts.map((text) => hashOf(secret, text));
}

async function secretOf(transaction: Transaction): Promise<string> {
  const known = await transaction.get(SECRETS, QUOTA);
  if (known !== undefined) return known;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  transaction.put(SECRETS, QUOTA, secret);
  return secret;
}

function hashOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}
