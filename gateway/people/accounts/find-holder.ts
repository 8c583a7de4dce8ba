import { type Account, isRevoked } from '../../access/account.ts';
import { readKey } from '../../access/api-key.ts';
import { findKey } from '../../store/keys.ts';
import type { Store } from '../../store/sql.ts';

/**
 * Finds the account of a key that works. A browser key does not show whose request it is.
 *
 * @param text what a visitor typed
 * @param now ms since 1970
 */
export async function findHolder(store: Store, text: string, now: number): Promise<Account | undefined> {
  const name = readKey(text.trim());
  const issued = name && (await findKey(store, name.hash));
  if (issued === undefined || issued.key.browser !== undefined) return undefined;
  return isRevoked(issued.key, now) ? undefined : issued.account;
}
