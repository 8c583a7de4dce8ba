import type { Grant, IssuedKey } from '../../gateway/access/account.ts';
import { grantTier } from '../../gateway/store/accounts.ts';
import { OPERATOR } from '../../gateway/store/audit.ts';
import { findKey, issueKey as issueTo, type KeyFields } from '../../gateway/store/keys.ts';
import type { Store } from '../../gateway/store/sql.ts';

/** Issues a key as an operator does. */
export async function issueKey(
  store: Store,
  { email, grant, options = {} }: { email: string; grant?: Grant; options?: KeyFields },
): Promise<IssuedKey & { secret: string }> {
  return await store.transaction(async (sql) => {
    const { key: secret, issued } = await issueTo(sql, email, OPERATOR, options);
    if (grant) await grantTier(sql, issued.account.id, grant);
    return { secret, ...((await findKey(sql, issued.key.hash)) ?? issued) };
  });
}
