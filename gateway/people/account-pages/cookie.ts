import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import type { Headers } from '../../http/problem.ts';
import { SESSION_SECONDS } from '../accounts/session.ts';

/** The cookie's name. With this prefix, other hosts of the domain cannot set the cookie (RFC 6265bis, 4.1.3.2). */
const SECURE_NAME = '__Host-session';
/**
 * The cookie's name without TLS, in development. Browsers accept no cookie with the prefix over http://, not even from localhost, and
 * Safari accepts no Secure cookie there.
 */
const PLAIN_NAME = 'session';

/** Returns the header that gives a browser its session. */
export function setCookie(publicUrl: string, token: string): Headers {
  return { 'Set-Cookie': writeCookie(publicUrl, token, SESSION_SECONDS) };
}

/** Returns the header that removes the session from the browser. */
export function clearCookie(publicUrl: string): Headers {
  return { 'Set-Cookie': writeCookie(publicUrl, '', 0) };
}

/** Returns the session token in a request's cookie, or an empty text. */
export function readCookie({ headers }: IncomingMessage, publicUrl: string): string {
  return parseCookie(headers.cookie ?? '')[nameOf(publicUrl)] ?? '';
}

/** SameSite=Lax: a visitor who follows a link, such as one in a mail, is signed in; a form on another site is not. */
function writeCookie(publicUrl: string, value: string, seconds: number): string {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  return `${nameOf(publicUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

function nameOf(publicUrl: string): string {
  return isSecure(publicUrl) ? SECURE_NAME : PLAIN_NAME;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
