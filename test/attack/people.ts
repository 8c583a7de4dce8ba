import type { Account, Tier } from '../../gateway/access/account.ts';
import { accountByEmail } from '../support/accounts.ts';
import { beginSession, csrfTokenOf } from '../../gateway/people/sessions.ts';
import type { Store } from '../../gateway/store/sql.ts';
import { issueKey } from '../support/harness.ts';
import { type PlainResponse, sendPlainly } from '../support/plain-request.ts';

/** The name of the cookie of a gateway whose public URL begins with https. */
const SESSION_COOKIE = '__Host-session';

/** Opens an account with a key. */
export async function openAccount(
  store: Store,
  tier: Tier,
  email: string,
): Promise<{ account: Account; key: string }> {
  const key = await issueKey(store, tier, email);
  const found = await accountByEmail(store, email);
  if (!found) throw new Error(`no account ${email}`);
  return { account: found.account, key };
}

/** Signs in to an account. @param now ms since 1970 @returns the session's token */
export function signIn(store: Store, account: string): Promise<string> {
  const origin = { network: '192.0.2.1', browser: 'Firefox on Linux' };
  return store.transaction((sql) => beginSession(sql, account, origin));
}

/** Sends a form as the page of a session does. Header fields that are given replace those of a browser. */
export function sendForm(
  address: string,
  fields: Record<string, string>,
  { token, headers = {}, body }: { token?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<PlainResponse> {
  const session = token === undefined ? {} : { csrf_token: csrfTokenOf({ token }) };
  return sendPlainly(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(token !== undefined && { cookie: `${SESSION_COOKIE}=${token}` }),
      ...headers,
    },
    body: body ?? new URLSearchParams({ ...session, ...fields }).toString(),
  });
}
