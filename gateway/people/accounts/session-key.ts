import { createHmac } from 'node:crypto';
import { createKey } from '../../access/api-key.ts';
import { hashToken } from './token.ts';
import type { Key } from '../../access/account.ts';
import type { Store } from '../../store/store.ts';
import { type Transaction, transact } from '../../store/transaction.ts';
import { KEYS } from '../../store/accounts/keys.ts';
import { SESSION_SECONDS, SESSIONS, type Session, sessionId } from './session.ts';

/** The browser key of a session. */
export interface SessionKey {
  /** The key itself. */
  key: string;
  /** When it ends with its session, ISO 8601 UTC. */
  expires_at: string;
}

/**
 * Returns the browser key of a session, with which the pages of this gateway can send requests as its account. It is derived from the
 * session's token, so each page gets the same key, and the store holds only its SHA-256. It ends with the session.
 *
 * @param options.origin the origin of this gateway's pages
 * @param options.now ms since 1970
 * @returns undefined when the session has ended
 */
export async function openSessionKey(
  store: Store,
  session: Session,
  { origin, now }: { origin: string; now: number },
): Promise<SessionKey | undefined> {
  const { key, prefix, hash } = createKey((size) => deriveSecret(session.token, size));
  return await transact(store, async (transaction) => {
    const token = hashToken(session.token);
    const record = await transaction.get(SESSIONS, token);
    if (record === undefined) return undefined;
    const end = Date.parse(record.created_at) + 1000 * SESSION_SECONDS;
    const expires_at = new Date(end).toISOString();
    const made: Key = {
      ...{ prefix, hash, account: record.account, created_at: new Date(now).toISOString() },
      ...{ revoked_at: expires_at, expires_at, browser: { origins: [origin] }, session: sessionId(session) },
    };
    await putOnce(transaction, made, end);
    if (record.browser_key === undefined)
      transaction.put(SESSIONS, token, { ...record, browser_key: hash }, end);
    return { key, expires_at };
  });
}

/** Puts the key unless it is there with the same origin. The record goes by itself when the session expires. */
async function putOnce(transaction: Transaction, key: Key, end: number): Promise<void> {
  const present = await transaction.get(KEYS, key.hash);
  if (present && String(present.browser?.origins) === String(key.browser?.origins)) return;
  transaction.put(KEYS, key.hash, key, end);
  if (present) transaction.changeRevision();
}

function deriveSecret(token: string, size: number): Uint8Array {
  return createHmac('sha256', token).update('browser key').digest().subarray(0, size);
}
