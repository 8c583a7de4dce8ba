// Sessions of account holders: a token in a cookie, and the values derived from it. The store holds only the token's SHA-256.
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import type { Account } from '../access/account.ts';
import { createKey } from '../access/api-key.ts';
import type { Headers } from '../http/problem.ts';
import { accountById, toIso } from '../store/accounts.ts';
import { findKey, insertKey } from '../store/keys.ts';
import { createToken, hashToken, isSameSecret, isToken } from '../store/secrets.ts';
import type { Sql, Store } from '../store/sql.ts';
import { changeRevision } from '../store/sql.ts';

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

export interface SessionOrigin {
  network: string;
  browser: string;
}

/** An open session, as its account holder sees it. */
export interface OpenSession extends SessionOrigin {
  /** Identifies the session within its account; not a secret. */
  id: string;
  /** ISO 8601 UTC. */
  created_at: string;
  /** The hour of the last request, ISO 8601 UTC. */
  used_at: string;
}

/** The session of a request. */
export interface Session {
  /** The secret in the browser's cookie. */
  token: string;
  account: Account;
  /** The network of this request, as `networkOf` returns it. */
  network: string;
}

const SESSION_SECONDS = 3600;
const HOUR_MS = 3_600_000;
/** How many sessions an account can have; a further one ends the oldest. */
export const MAX_SESSIONS = 20;
/** The id is a part of the hash, from which the token cannot be derived. */
const ID_CHARS = 16;

const hourOf = (now: number) => Math.floor(now / HOUR_MS) * HOUR_MS;

/** @returns the token of the session */
export async function beginSession(
  sql: Sql,
  account: string,
  { network, browser }: SessionOrigin,
): Promise<string> {
  const token = createToken();
  const now = sql.now();
  await sql.run(
    `DELETE FROM sessions WHERE account = $1 AND hash NOT IN (
       SELECT hash FROM sessions WHERE account = $1 AND ends_at > $2 ORDER BY created_at DESC, hash DESC LIMIT $3)`,
    [account, now, MAX_SESSIONS - 1],
  );
  const statement =
    'INSERT INTO sessions (hash, account, network, browser, created_at, used_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6, $7)';
  const ends = now + SESSION_SECONDS * 1000;
  await sql.run(statement, [hashToken(token), account, network, browser, now, hourOf(now), ends]);
  await changeRevision(sql);
  return token;
}

/** Finds a session that has not ended, and records the hour of its use. @param network of the request */
export async function findSession(
  store: Store,
  token: string,
  network: string,
): Promise<Session | undefined> {
  const row = isToken(token) ? await findRow(store, token) : undefined;
  const account = row && (await accountById(store, row.account));
  if (!account) return undefined;
  const used = hourOf(store.now());
  if (row.used_at !== used)
    await store.run('UPDATE sessions SET used_at = $1 WHERE hash = $2', [used, row.hash]);
  return { token, account, network };
}

async function findRow(sql: Sql, token: string): Promise<SessionRow | undefined> {
  const statement = 'SELECT * FROM sessions WHERE hash = $1 AND ends_at > $2';
  return await sql.get<SessionRow>(statement, [hashToken(token), sql.now()]);
}

/** Ends the session of a token, if it exists, together with its browser key. */
export async function endSession(sql: Sql, token: string): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE hash = $1', [hashToken(token)]);
  await changeRevision(sql);
}

/** Returns the open sessions of an account, newest first. */
export async function sessionsOf(sql: Sql, account: string): Promise<OpenSession[]> {
  const rows = await sql.all<SessionRow>(
    'SELECT * FROM sessions WHERE account = $1 AND ends_at > $2 ORDER BY created_at DESC, hash DESC',
    [account, sql.now()],
  );
  return rows.map(({ hash, created_at, used_at, network, browser }) => ({
    ...{ id: hash.slice(0, ID_CHARS), created_at: toIso(created_at), used_at: toIso(used_at) },
    ...{ network, browser },
  }));
}

/** Returns the id of a session, as in `OpenSession`. */
export function sessionId({ token }: Session): string {
  return hashToken(token).slice(0, ID_CHARS);
}

/** @param which the id of a session; undefined ends all @returns whether there was any */
export async function endSessions(sql: Sql, account: string, which?: string): Promise<boolean> {
  await changeRevision(sql);
  const one = which === undefined ? '' : `AND substr(hash, 1, ${ID_CHARS}) = $3`;
  const values = [account, sql.now(), ...(which === undefined ? [] : [which])];
  return (await sql.run(`DELETE FROM sessions WHERE account = $1 AND ends_at > $2 ${one}`, values)) > 0;
}

/**
 * Returns the CSRF token, which every form of the session carries and no other site can read. It is derived from the session's token, so it need not
 * be stored.
 */
export function csrfTokenOf({ token }: Pick<Session, 'token'>): string {
  return createHmac('sha256', token).update('csrf').digest('hex');
}

/** Returns, in constant time, whether a text is the CSRF token of a session. */
export function isCsrfToken(session: Session, text: string): boolean {
  return isSameSecret(text, csrfTokenOf(session));
}

/** How long a network of an account is remembered. */
const KEEP_NETWORK_MS = 90 * 86_400_000;

/** Records the network of a sign-in. @returns whether the account has not signed in from it during the last 90 days */
export async function noteNetwork(sql: Sql, account: string, network: string): Promise<boolean> {
  const now = sql.now();
  const known = await sql.get(
    'SELECT network FROM known_networks WHERE account = $1 AND network = $2 AND used_at > $3',
    [account, network, now - KEEP_NETWORK_MS],
  );
  await sql.run(
    `INSERT INTO known_networks (account, network, used_at) VALUES ($1, $2, $3)
     ON CONFLICT (account, network) DO UPDATE SET used_at = excluded.used_at`,
    [account, network, now],
  );
  return known === undefined;
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
    const found = await findKey(sql, hash);
    if (found && String(found.key.browser?.origins) !== origin) {
      await sql.run('DELETE FROM keys WHERE hash = $1', [hash]);
      await changeRevision(sql);
    }
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

type Names = readonly [pattern: RegExp, name: string][];
/** Browsers by what their User-Agent contains. Many contain the names of others, so the first match counts. */
const FAMILIES: Names = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera|OPX|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/.* Safari\//, 'Safari'],
];
const SYSTEMS: Names = [
  [/\biPhone\b/, 'an iPhone'],
  [/\biPad\b/, 'an iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'a Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Describes a browser in plain words, such as `Firefox on Windows`. No part of the User-Agent itself is returned. */
export function describeBrowser(userAgent = ''): string {
  const text = userAgent.slice(0, 400);
  const nameIn = (list: Names) => list.find(([pattern]) => pattern.test(text))?.[1];
  const [family, system] = [nameIn(FAMILIES), nameIn(SYSTEMS)];
  if (family === undefined) return system === undefined ? 'an unknown browser' : `a browser on ${system}`;
  return system === undefined ? family : `${family} on ${system}`;
}
