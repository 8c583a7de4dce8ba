import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import type { Headers } from '../../http/problem.ts';
import { SESSION_SECONDS } from '../accounts/session.ts';

/** Cookies are read by this name only; the prefix keeps other hosts of the domain from setting it (RFC 6265bis, 4.1.3.2). */
const SECURE_NAME = '__Host-session';
/**
 * Without TLS, in development: browsers take no cookie of that prefix from http://, not even from localhost, and Safari takes no Secure
 * one from there.
 */
const PLAIN_NAME = 'session';

/** The header field that gives a browser its session. */
export function setCookie(publicUrl: string, token: string): Headers {
  return { 'Set-Cookie': writeCookie(publicUrl, token, SESSION_SECONDS) };
}

/** The header field that takes it back. */
export function clearCookie(publicUrl: string): Headers {
  return { 'Set-Cookie': writeCookie(publicUrl, '', 0) };
}

/** The token that a request brings; empty where it brings none. */
export function readCookie({ headers }: IncomingMessage, publicUrl: string): string {
  return parseCookie(headers.cookie ?? '')[nameOf(publicUrl)] ?? '';
}

/** Lax: whoever comes by a link, from a mail say, is signed in, and a form of another site is not. */
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
