import { createHmac } from 'node:crypto';
import { createToken, hashToken, isSameSecret, isToken } from '../../keys/token.ts';
import type { Account } from '../../plans/account.ts';
import type { Store } from '../../store/store.ts';
import { list, type Transaction, table, transact } from '../../store/transaction.ts';
import { accountById } from './accounts.ts';

/** Somebody who has shown that an account is his, in one browser. */
interface SessionRecord {
  /** The id of the account. */
  account: string;
  /** ISO 8601 UTC. */
  created_at: string;
}

/** A session as a request is in it. */
export interface Session {
  /** The secret that the browser sends in its cookie. */
  token: string;
  account: Account;
}

/** SHA-256 of a session's token → the session. */
const SESSIONS = table<SessionRecord>('session');

/** How long a session lasts, in seconds. */
export const SESSION_SECONDS = 3600;

/**
 * Begins a session.
 *
 * @param account the account's id
 * @param now ms since 1970
 * @returns its token: no store has it, only its SHA-256
 */
export function beginSession(transaction: Transaction, account: string, now: number): string {
  const token = createToken();
  const record = { account, created_at: new Date(now).toISOString() };
  transaction.put(SESSIONS, hashToken(token), record, now + SESSION_SECONDS * 1000);
  return token;
}

/** Finds a session; undefined where it has ended, or its account is gone. */
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

/** When the sessions of an account began that last still, ISO 8601 UTC. */
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
 * The CSRF token, which every form of a session carries and no other site can read. It follows from the session's own token, so that there
 * is nothing to keep.
 */
export function csrfTokenOf({ token }: Session): string {
  return createHmac('sha256', token).update('csrf').digest('hex');
}

/** Whether a form carries the CSRF token of its session. In constant time. */
export function isCsrfToken(session: Session, text: string): boolean {
  return isSameSecret(text, csrfTokenOf(session));
}

/** All sessions are read: they are few, because they end so soon. */
async function listSessions(
  store: Store,
  account: string,
): Promise<[hash: string, session: SessionRecord][]> {
  return (await list(store, SESSIONS)).filter(([, session]) => session.account === account);
}
