import { createHmac } from 'node:crypto';
import type { Account } from '../../access/account.ts';
import { accountById } from '../../store/accounts.ts';
import { changeRevision } from '../../store/revision.ts';
import type { Sql, Store } from '../../store/sql.ts';
import { createToken, hashToken, isSameSecret, isToken } from './token.ts';

/** A row of `sessions`. */
interface SessionRow {
  hash: string;
  account: string;
  network: string;
  browser: string;
  created_at: number;
  used_at: number;
  ends_at: number;
}

/** Where a session begins. */
export interface SessionOrigin {
  network: string;
  browser: string;
}

/** An open session, for the account holder. */
export interface OpenSession extends SessionOrigin {
  /** Names the session within its account, and is no secret. */
  id: string;
  /** ISO 8601 UTC. */
  created_at: string;
  /** The hour of the last request, ISO 8601 UTC. */
  used_at: string;
}

/** The session of a request. */
export interface Session {
  /** The secret that the browser sends in its cookie. */
  token: string;
  account: Account;
  /** The network of this request, as `networkOf` returns it. */
  network: string;
}

/** How long a session lasts. */
export const SESSION_SECONDS = 3600;
const SESSION_MS = SESSION_SECONDS * 1000;
/** How many sessions an account can have; one more ends the oldest. */
export const MAX_SESSIONS = 20;
const HOUR_MS = 3_600_000;
const ID_CHARS = 16;

/**
 * Begins a session.
 *
 * @param account the account's id
 * @returns the session's token, of which the store holds only the SHA-256
 */
export async function beginSession(
  sql: Sql,
  account: string,
  { network, browser }: SessionOrigin,
): Promise<string> {
  const token = createToken();
  const now = sql.now();
  const open = await readOpen(sql, account);
  for (const { hash } of open.slice(0, Math.max(0, open.length + 1 - MAX_SESSIONS)))
    await removeSession(sql, hash);
  await sql.run(
    'INSERT INTO sessions (hash, account, network, browser, created_at, used_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [hashToken(token), account, network, browser, now, hourOf(now), now + SESSION_MS],
  );
  return token;
}

/**
 * Finds a session, and notes the hour of its use.
 *
 * @param network that of the request, as `networkOf` returns it
 * @returns undefined when it has ended or its account no longer exists
 */
export async function findSession(
  store: Store,
  token: string,
  network: string,
): Promise<Session | undefined> {
  if (!isToken(token)) return undefined;
  const row = await findRow(store, hashToken(token));
  const account = row && (await accountById(store, row.account));
  if (!account) return undefined;
  const used = hourOf(store.now());
  if (row.used_at !== used)
    await store.run('UPDATE sessions SET used_at = $1 WHERE hash = $2', [used, row.hash]);
  return { token, account, network };
}

/** Ends the session of a token, if there is one. @returns the id of its account */
export async function endSession(sql: Sql, token: string): Promise<string | undefined> {
  const row = await findRow(sql, hashToken(token));
  if (row) await removeSession(sql, row.hash);
  return row?.account;
}

/** Finds a session that has not ended. @param hash SHA-256 of its token */
export async function findRow(sql: Sql, hash: string): Promise<SessionRow | undefined> {
  return await sql.get<SessionRow>('SELECT * FROM sessions WHERE hash = $1 AND ends_at > $2', [
    hash,
    sql.now(),
  ]);
}

/** Returns the open sessions of an account, the newest first. */
export async function sessionsOf(sql: Sql, account: string): Promise<OpenSession[]> {
  const iso = (time: number) => new Date(time).toISOString();
  return (await readOpen(sql, account))
    .map(({ hash, created_at, used_at, network, browser }) => ({
      ...{ id: idOf(hash), created_at: iso(created_at), used_at: iso(used_at), network, browser },
    }))
    .reverse();
}

/** Returns the id of the session of a request, as in `OpenSession`. */
export function sessionId({ token }: Session): string {
  return idOf(hashToken(token));
}

/**
 * Ends one session of an account, or all of them.
 *
 * @param which the id of one session; undefined for all
 * @returns how many were ended
 */
export async function endSessions(sql: Sql, account: string, which?: string): Promise<number> {
  const ended = (await readOpen(sql, account)).filter(
    ({ hash }) => which === undefined || idOf(hash) === which,
  );
  for (const { hash } of ended) await removeSession(sql, hash);
  return ended.length;
}

/**
 * Returns the session's CSRF token, which every form of the session carries and no other site can read. It is derived from the session's
 * token, so it need not be stored.
 */
export function csrfTokenOf({ token }: Pick<Session, 'token'>): string {
  return createHmac('sha256', token).update('csrf').digest('hex');
}

/** Returns, in constant time, whether a text is the CSRF token of a session. */
export function isCsrfToken(session: Session, text: string): boolean {
  return isSameSecret(text, csrfTokenOf(session));
}

/** Removes a session, and with it its browser key. */
async function removeSession(sql: Sql, hash: string): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE hash = $1', [hash]);
  await changeRevision(sql);
}

/** Returns the sessions of an account that have not expired, the oldest first. */
async function readOpen(sql: Sql, account: string): Promise<SessionRow[]> {
  return await sql.all<SessionRow>(
    'SELECT * FROM sessions WHERE account = $1 AND ends_at > $2 ORDER BY created_at, hash',
    [account, sql.now()],
  );
}

/** The id is a part of the hash, from which nobody can find the token. */
function idOf(hash: string): string {
  return hash.slice(0, ID_CHARS);
}

function hourOf(now: number): number {
  return Math.floor(now / HOUR_MS) * HOUR_MS;
}
