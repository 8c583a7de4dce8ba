import { createHmac } from 'node:crypto';
import { createToken, hashToken, isSameSecret, isToken } from './token.ts';
import type { Account } from '../../access/account.ts';
import type { Store } from '../../store/store.ts';
import { type Reader, type Transaction, table, transact } from '../../store/transaction.ts';
import { accountById } from '../../store/accounts/accounts.ts';
import { KEYS } from '../../store/accounts/keys.ts';

/** A browser's sign-in to an account, as the store holds it. Members that records of earlier versions lack are optional. */
interface SessionRecord {
  /** The id of the account. */
  account: string;
  /** ISO 8601 UTC. */
  created_at: string;
  /** The hour of the last request, ISO 8601 UTC. */
  used_at?: string;
  /** The network that it began in, as `networkOf` returns it. */
  network?: string;
  /** The browser in plain words. */
  browser?: string;
  /** The SHA-256 of its browser key, once it has one. */
  browser_key?: string;
}

/** Where a session begins. */
export interface SessionOrigin {
  network: string;
  browser: string;
}

/** An open session, for the account holder. */
export interface OpenSession extends Omit<SessionRecord, 'account' | 'browser_key'> {
  /** Names the session within its account, and is no secret. */
  id: string;
}

/** The session of a request. */
export interface Session {
  /** The secret that the browser sends in its cookie. */
  token: string;
  account: Account;
  /** The network of this request, as `networkOf` returns it. */
  network: string;
}

/** SHA-256 of a session's token → session. */
export const SESSIONS = table<SessionRecord>('session');
/** Account id → SHA-256 of the tokens of its sessions, the oldest first. */
const ACCOUNT_SESSIONS = table<string[]>('account-sessions');

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
 * @param now ms since 1970
 * @returns the session's token, of which the store holds only the SHA-256
 */
export async function beginSession(
  transaction: Transaction,
  account: string,
  origin: SessionOrigin,
  now: number,
): Promise<string> {
  const token = createToken();
  const open = (await readOpen(transaction, account)).map(([hash]) => hash);
  const dropped = open.slice(0, Math.max(0, open.length + 1 - MAX_SESSIONS));
  for (const hash of dropped) await removeSession(transaction, hash);
  const hash = hashToken(token);
  putHashes(transaction, account, [...open.slice(dropped.length), hash], now);
  const record = { account, created_at: new Date(now).toISOString(), used_at: hourOf(now), ...origin };
  transaction.put(SESSIONS, hash, record, now + SESSION_MS);
  return token;
}

/**
 * Finds a session, and notes the hour of its use.
 *
 * @param request.network that of the request, as `networkOf` returns it
 * @param request.now ms since 1970
 * @returns undefined when it has ended or its account no longer exists
 */
export async function findSession(
  store: Store,
  token: string,
  { network, now }: { network: string; now: number },
): Promise<Session | undefined> {
  if (!isToken(token)) return undefined;
  return await transact(store, async (transaction) => {
    const hash = hashToken(token);
    const record = await transaction.get(SESSIONS, hash);
    const account = record && (await accountById(transaction, record.account));
    if (!account) return undefined;
    const used_at = hourOf(now);
    const end = Date.parse(record.created_at) + SESSION_MS;
    if (record.used_at !== used_at) transaction.put(SESSIONS, hash, { ...record, used_at }, end);
    return { token, account, network };
  });
}

/** Ends the session of a token, if there is one. @returns the id of its account */
export async function endSession(
  transaction: Transaction,
  token: string,
  now: number,
): Promise<string | undefined> {
  const hash = hashToken(token);
  const record = await transaction.get(SESSIONS, hash);
  await removeSession(transaction, hash);
  if (record) await endSessions(transaction, record.account, now, idOf(hash));
  return record?.account;
}

/** Returns the open sessions of an account, the newest first. */
export async function sessionsOf(reader: Reader, account: string): Promise<OpenSession[]> {
  const open = await readOpen(reader, account);
  return open
    .map(([hash, { account: _, browser_key: __, ...shown }]) => ({ id: idOf(hash), ...shown }))
    .reverse();
}

/** Returns the id of the session of a request, as in `OpenSession`. */
export function sessionId({ token }: Session): string {
  return idOf(hashToken(token));
}

/** Ends all sessions of a deleted account. */
export async function removeSessions(transaction: Transaction, account: string): Promise<void> {
  for (const hash of (await transaction.get(ACCOUNT_SESSIONS, account)) ?? [])
    await removeSession(transaction, hash);
  transaction.remove(ACCOUNT_SESSIONS, account);
}

/**
 * Ends one session of an account, or all of them.
 *
 * @param now ms since 1970
 * @param which the id of one session; undefined for all
 * @returns how many were ended
 */
export async function endSessions(
  transaction: Transaction,
  account: string,
  now: number,
  which?: string,
): Promise<number> {
  const hashes = (await transaction.get(ACCOUNT_SESSIONS, account)) ?? [];
  const ended = hashes.filter((hash) => which === undefined || idOf(hash) === which);
  for (const hash of ended) await removeSession(transaction, hash);
  const left = hashes.filter((hash) => !ended.includes(hash));
  if (left.length > 0) putHashes(transaction, account, left, now);
  else transaction.remove(ACCOUNT_SESSIONS, account);
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

/** Removes a session and its browser key. */
async function removeSession(transaction: Transaction, hash: string): Promise<void> {
  const record = await transaction.get(SESSIONS, hash);
  transaction.remove(SESSIONS, hash);
  if (record?.browser_key === undefined) return;
  transaction.remove(KEYS, record.browser_key);
  transaction.changeRevision();
}

/** Returns the sessions of an account that have not expired, the oldest first. */
async function readOpen(reader: Reader, account: string): Promise<[hash: string, record: SessionRecord][]> {
  const open: [string, SessionRecord][] = [];
  for (const hash of (await reader.get(ACCOUNT_SESSIONS, account)) ?? []) {
    const record = await reader.get(SESSIONS, hash);
    if (record) open.push([hash, record]);
  }
  return open;
}

function putHashes(transaction: Transaction, account: string, hashes: readonly string[], now: number): void {
  transaction.put(ACCOUNT_SESSIONS, account, [...hashes], now + SESSION_MS);
}

/** The id is a part of the hash, from which nobody can find the token. */
function idOf(hash: string): string {
  return hash.slice(0, ID_CHARS);
}

function hourOf(now: number): string {
  return new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString();
}
