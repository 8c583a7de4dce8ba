import { randomBytes } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import { table, transact } from '../../store/transaction.ts';

const SECRETS = table<string>('secret');
const LINKS = 'links';
const SECRET_BYTES = 32;

/** Returns the secret that all gateways on a store sign addresses with; the first caller makes it. */
export async function readLinkSecret(store: Store): Promise<string> {
  return await transact(store, async (transaction) => {
    const present = await transaction.get(SECRETS, LINKS);
    if (present !== undefined) return present;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    transaction.put(SECRETS, LINKS, secret);
    return secret;
  });
}
