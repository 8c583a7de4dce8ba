// Sessions of account holders: a token in a cookie, and the values derived from it. The store holds only the token's SHA-256.
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import type { Account } from '../access/account.ts';
import { createKey, createToken, hashOf } from '../access/api-key.ts';
import type { Headers } from '../http/problem.ts';
import { accountById, toIso } from '../store/accounts.ts';
import { insertKey } from '../store/keys.ts';
import { changeRevision, type Sql, type Store } from '../store/sql.ts';

/** A row of `sessions`. Times are ms since 1970; `browser` is in words, as `describeBrowser` returns it. */
export type SessionRow = Record<'hash' | 'account' | 'network' | 'browser', string> &
  Record<'created_at' | 'ends_at', number>;

/** The session of a request. */
export interface Session {
  /** The secret in the browser's cookie. */
  token: string;
  account: Account;
}

const SESSION_SECONDS = 3600;

/** @returns the token of the session */
export async function beginSession(
  sql: Sql,
  account: string,
  { network, browser }: Pick<SessionRow, 'network' | 'browser'>,
): Promise<string> {
  const { token, hash } = createToken('gds_');
  const now = sql.now();
  await sql.run(
    'INSERT INTO sessions (hash, account, network, browser, created_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6)',
    [hash, account, network, browser, now, now + SESSION_SECONDS * 1000],
  );
  return token;
}

/** Finds a session that has not ended. */
export async function findSession(sql: Sql, token: string): Promise<Session | undefined> {
  const row = await findRow(sql, token);
  const account = row && (await accountById(sql, row.account));
  return account && { token, account };
}

async function findRow(sql: Sql, token: string): Promise<SessionRow | undefined> {
  const statement = 'SELECT * FROM sessions WHERE hash = $1 AND ends_at > $2';
  return await sql.get<SessionRow>(statement, [hashOf(token), sql.now()]);
}

/** Ends the session of a token, if it exists, together with its browser key. */
export async function endSession(sql: Sql, token: string): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE hash = $1', [hashOf(token)]);
  await changeRevision(sql);
}

/** Returns the open sessions of an account, newest first. */
export async function sessionsOf(sql: Sql, account: string): Promise<SessionRow[]> {
  return await sql.all<SessionRow>(
    'SELECT * FROM sessions WHERE account = $1 AND ends_at > $2 ORDER BY created_at DESC, hash DESC',
    [account, sql.now()],
  );
}

/** Identifies a session within its account: a part of the hash, from which the token cannot be derived. */
export const sessionId = (hash: string): string => hash.slice(0, 16);

/** @param which the id of a session; undefined for all @returns whether there was one */
export async function endSessions(sql: Sql, account: string, which?: string): Promise<boolean> {
  const open = await sessionsOf(sql, account);
  const ended = open.filter(({ hash }) => which === undefined || sessionId(hash) === which);
  for (const { hash } of ended) await sql.run('DELETE FROM sessions WHERE hash = $1', [hash]);
  await changeRevision(sql);
  return ended.length > 0;
}

/**
 * Returns the browser key of a session, with which the gateway's own pages send requests as its account. It is derived from the session's token, so
 * every page gets the same key, and the store holds only its SHA-256. It ends with the session.
 *
 * @param origin the origin of this gateway's pages
 * @returns the key and its end, ISO 8601 UTC; undefined if the session has ended
 */
export async function openSessionKey(
  store: Store,
  { token }: Session,
  origin: string,
): Promise<Record<'key' | 'expires_at', string> | undefined> {
  const secret = createHmac('sha256', token).update('browser key').digest();
  const { key, prefix, hash } = createKey((size) => secret.subarray(0, size));
  return await store.transaction(async (sql) => {
    const row = await findRow(sql, token);
    if (row === undefined) return undefined;
    const expires_at = toIso(row.ends_at);
    const fields = { expires_at, browser: { origins: [origin] }, session: row.hash };
    await insertKey(sql, { prefix, hash }, row.account, fields);
    return { key, expires_at };
  });
}

/**
 * The cookie's name. The prefix prevents other hosts of the domain from setting it (RFC 6265bis, 4.1.3.2). In development, without TLS, browsers
 * reject a cookie with the prefix, and Safari rejects a Secure cookie.
 */
const nameOf = (publicUrl: string) => (publicUrl.startsWith('https:') ? '__Host-session' : 'session');

/**
 * Returns the header field that sets or removes the session cookie. SameSite=Lax: following a link in a mail sends the cookie, submitting a form on
 * another site does not.
 */
export function setCookie(publicUrl: string, token: string | undefined): Headers {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const [value, seconds] = token === undefined ? ['', 0] : [token, SESSION_SECONDS];
  return {
    'Set-Cookie': `${nameOf(publicUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  };
}

/** @returns the token; empty without one */
export function readCookie({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string): string {
  return parseCookie(headers.cookie ?? '')[nameOf(publicUrl)] ?? '';
}

/** Browsers and systems by what a User-Agent contains. Many contain the names of others, so the first match counts. */
const FAMILIES = {
  'Edg/': 'Edge',
  'OPR/': 'Opera',
  Firefox: 'Firefox',
  FxiOS: 'Firefox',
  Chrome: 'Chrome',
  CriOS: 'Chrome',
  Safari: 'Safari',
};
const SYSTEMS = {
  iPhone: 'an iPhone',
  iPad: 'an iPad',
  Android: 'Android',
  Windows: 'Windows',
  Macintosh: 'a Mac',
  CrOS: 'ChromeOS',
  Linux: 'Linux',
};

/** Describes a browser in plain words, such as `Firefox on Windows`. No part of the User-Agent itself is returned. */
export function describeBrowser(userAgent = ''): string {
  const find = (names: object) => Object.entries(names).find(([part]) => userAgent.includes(part))?.[1];
  return `${find(FAMILIES) ?? 'a browser'} on ${find(SYSTEMS) ?? 'an unknown system'}`;
}
