import { ACCOUNTS } from '../store/accounts/accounts.ts';
import { KEYS } from '../store/accounts/keys.ts';
import type { IssuedKey } from '../access/account.ts';
import type { Store } from '../store/store.ts';
import { compareAge, list } from '../lists/lists.ts';

/** Lists every key, the oldest first, without those of sessions and read-only addresses. */
export async function listKeys(store: Store): Promise<IssuedKey[]> {
  const keys = (await list(store, KEYS)).flatMap(([, key]) =>
    key.session === undefined && key.address === undefined ? key : [],
  );
  const accounts = new Map(await list(store, ACCOUNTS));
  const issued = keys.flatMap((key) => {
    const account = accounts.get(key.account);
    return account ? [{ key, account }] : [];
  });
  return issued.sort((a, b) => compareAge(a.key, b.key));
}
