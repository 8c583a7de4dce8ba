import { createHmac } from 'node:crypto';
import { createToken, hashToken, isSameSecret, isToken } from '../../keys/token.ts';
import type { Account } from '../../plans/account.ts';
import type { Store } from '../../store/store.ts';
import { list, type Transaction, table, transact } from '../../store/transaction.ts';
import { accountById } from './accounts.ts';

/** A browser's sign-in to an account, as the store holds it. */
interface SessionRecord {
  /** The id of the account. */
  account: string;
  /** ISO 8601 UTC. */
  created_at: string;
}

/** The session of a request. */
export interface Session {
  /** The secret that the browser sends in its cookie. */
  token: string;
  account: Account;
}

/** SHA-256 of a session's token → session. */
const SESSIONS = table<SessionRecord>('session');

/** How long a session lasts. */
export const SESSION_SECONDS = 3600;

/**
 * Begins a session.
 *
 * @param account the account's id
 * @param now ms since 1970
 * @returns the session's token, of which the store holds only the SHA-256
 */
export function beginSession(transaction: Transaction, account: string, now: number): string {
  const token = createToken();
  const record = { account, created_at: new Date(now).toISOString() };
  transaction.put(SESSIONS, hashToken(token), record, now + SESSION_SECONDS * 1000);
  return token;
}

/** Finds a session; undefined when it has ended or its account no longer exists. */
export async function findSession(store: Store, token: string): Promise<Session | undefined> {
  if (!isToken(token)) return undefined;
  return await transact(store, async (transaction) => {
    const record = await transaction.get(SESSIONS, hashToken(token));
    const account = record && (await accountById(transaction, record.account));
    return account && { token, account };
  });
}

/** Ends a session. */
export async function endSession(store: Store, token: string): Promise<void> {
  await transact(store, async (transaction) => transaction.remove(SESSIONS, hashToken(token)));
}

/** Returns when each open session of an account began, ISO 8601 UTC. */
export async function sessionsOf(store: Store, account: string): Promise<string[]> {
  return (await listSessions(store, account)).map(([, { created_at }]) => created_at);
}

/** Ends all sessions of an account. */
export async function endSessions(store: Store, account: string): Promise<void> {
  const sessions = await listSessions(store, account);
  await transact(store, async (transaction) => {
    for (const [hash] of sessions) transaction.remove(SESSIONS, hash);
  });
}

/**
 * Returns the session's CSRF token, which every form of the session carries and no other site can read. It is derived from the session's
 * token, so it need not be stored.
 */
export function csrfTokenOf({ token }: Session): string {
  return createHmac('sha256', token).update('csrf').digest('hex');
}

/** Returns, in constant time, whether a text is the CSRF token of a session. */
export function isCsrfToken(session: Session, text: string): boolean {
  return isSameSecret(text, csrfTokenOf(session));
}

/** Reads all sessions: there are few, because they end soon. */
async function listSessions(
  store: Store,
  account: string,
): Promise<[hash: string, session: SessionRecord][]> {
  return (await list(store, SESSIONS)).filter(([, session]) => session.account === account);
}
