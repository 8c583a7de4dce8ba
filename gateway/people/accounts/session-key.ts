import { createHmac } from 'node:crypto';
import { createKey } from '../../access/api-key.ts';
import { hashToken } from './token.ts';
import { findKey, insertKey } from '../../store/keys.ts';
import { changeRevision } from '../../store/revision.ts';
import type { Store } from '../../store/sql.ts';
import { findRow, type Session } from './session.ts';

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
 * @param origin the origin of this gateway's pages
 * @returns undefined when the session has ended
 */
export async function openSessionKey(
  store: Store,
  session: Session,
  origin: string,
): Promise<SessionKey | undefined> {
  const { key, prefix, hash } = createKey((size) => deriveSecret(session.token, size));
  return await store.transaction(async (sql) => {
    const row = await findRow(sql, hashToken(session.token));
    if (row === undefined) return undefined;
    const expires_at = new Date(row.ends_at).toISOString();
    const fields = { expires_at, browser: { origins: [origin] }, session: row.hash };
    const found = await findKey(sql, hash);
    if (found && String(found.key.browser?.origins) !== origin) {
      await sql.run('DELETE FROM keys WHERE hash = $1', [hash]);
      await changeRevision(sql);
    }
    await insertKey(sql, { prefix, hash }, row.account, fields);
    return { key, expires_at };
  });
}

function deriveSecret(token: string, size: number): Uint8Array {
  return createHmac('sha256', token).update('browser key').digest().subarray(0, size);
}
