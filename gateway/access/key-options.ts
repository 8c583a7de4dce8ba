import type { IncomingHttpHeaders } from 'node:http';
import { InputError, quote } from '../http/problem.ts';
import { toIso } from '../store/accounts.ts';
import type { Actor } from '../store/audit.ts';
import * as keys from '../store/keys.ts';
import type { Sql } from '../store/sql.ts';
import { type BrowserTerms, DAY_MS, isEnding, type Key, type Limits } from './account.ts';

/** The maximum length of a key's name, in characters. */
export const MAX_NAME_CHARS = 60;
/** How many keys of an account may be waiting for their end after rotations. */
export const MAX_ENDING = 5;
/** Control and format characters, lone surrogates, and line ends. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Reads the name of a key or read-only address. @throws InputError if it has more than 60 characters, or invisible ones */
export function readKeyName(text: string): string {
  // Longer texts are not normalised, which can take time quadratic in their length.
  const name = text.length <= 10 * MAX_NAME_CHARS ? text.trim().normalize('NFC') : text;
  if ([...name].length <= MAX_NAME_CHARS && !UNPRINTABLE.test(name)) return name;
  throw new InputError(`the name is longer than ${MAX_NAME_CHARS} characters, or has invisible ones`);
}

/**
 * Replaces a key that has not ended by a new one with the same name and origins. If the old one expires, the new one lasts as long.
 *
 * @param keep how long the old key continues to work, in ms
 * @throws InputError if it was replaced already
 */
export async function rotate(sql: Sql, key: Key, keep: number, actor: Actor) {
  if (isEnding(key)) throw new InputError(`${key.prefix} was replaced already: replace the newer key`);
  const { name, expires_at, created_at, browser } = key;
  const now = sql.now();
  const fields: keys.KeyFields = { name, browser };
  if (expires_at !== undefined) {
    const end = now + Date.parse(expires_at) - Date.parse(created_at);
    fields.expires_at = toIso(browser ? Math.min(end, latestBrowserEnd(now)) : end);
  }
  return await keys.replaceKey(sql, key, { keep, fields, actor });
}

/** The limits of a browser key if none are chosen: half of those of a free account. */
export const DEFAULT_BROWSER_LIMITS: Limits = { minute: 5, day: 100 };
/** The largest limits of a browser key: the time of each request in the last minute is stored. */
export const MAX_BROWSER_LIMITS: Limits = { minute: 600, day: 100_000 };
/** For how many days a browser key works: if no end is chosen, and at most. */
export const DEFAULT_BROWSER_DAYS = 90;
export const MAX_BROWSER_DAYS = 366;

/** The typed terms of a browser key: its origins, and its limits in any 60 seconds and in a UTC day. Undefined ones do not change. */
type TypedTerms = { [Term in 'origins' | 'minute' | 'day']?: string | undefined };

/** Reads the terms of a browser key. @param before its current terms; undefined for a new key @throws InputError */
export function readBrowserTerms(typed: TypedTerms, before?: BrowserTerms): BrowserTerms {
  const { limits = DEFAULT_BROWSER_LIMITS } = before ?? {};
  return {
    origins: typed.origins === undefined && before ? before.origins : readOrigins(typed.origins ?? ''),
    limits: { minute: readLimit('minute', typed.minute, limits), day: readLimit('day', typed.day, limits) },
  };
}

/**
 * Returns when a browser key ends, ISO 8601 UTC.
 *
 * @param expires ms since 1970; undefined if none was chosen, null for a key without an end
 * @throws InputError if it has no end, or one too far away
 */
export function readBrowserEnd(expires: number | null | undefined, now: number): string {
  if (expires === undefined) return toIso(now + DEFAULT_BROWSER_DAYS * DAY_MS);
  if (expires !== null && expires <= latestBrowserEnd(now)) return toIso(expires);
  throw new InputError(
    `a browser key has to end, because everyone can read it: expected an end within ${MAX_BROWSER_DAYS} days`,
  );
}

function latestBrowserEnd(now: number): number {
  return now + MAX_BROWSER_DAYS * DAY_MS;
}

function readLimit(name: keyof Limits, text: string | undefined, before: Limits): number {
  if (text === undefined || text.trim() === '') return before[name];
  const limit = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN;
  if (limit >= 1 && limit <= MAX_BROWSER_LIMITS[name]) return limit;
  throw new InputError(
    `${quote(text)} is not a limit, expected 1 to ${MAX_BROWSER_LIMITS[name]} requests in ${name === 'day' ? 'a UTC day' : 'any 60 seconds'}`,
  );
}

export const MAX_ORIGINS = 10;
/**
 * Reads a list of origins, separated by commas or white space.
 *
 * @returns the distinct origins as browsers send them: in lower case, without the default port and a final slash
 * @throws InputError if an entry is not an origin, or there are none or more than 10
 */
function readOrigins(text: string): string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.length > 0 && entries.length <= MAX_ORIGINS) return [...new Set(entries.map(readOrigin))];
  throw new InputError(
    `the list has ${entries.length} origins, expected 1 to ${MAX_ORIGINS} such as https://example.org; a second browser key can have others`,
  );
}

/**
 * Returns whether the browser says that a request comes from a page of one of the origins.
 *
 * @param origins from `readOrigins`
 */
export function isFromOrigin(
  origins: readonly string[],
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
): boolean {
  if (origin !== undefined) return origins.includes(origin);
  // Browsers send no Origin with a GET to the page's own host; then Host is the host of the page's origin, perhaps without its port.
  if (site !== 'same-origin' || !URL.canParse(`https://${host}`)) return false;
  const { hostname } = new URL(`https://${host}`);
  return origins.some((each) => new URL(each).hostname === hostname);
}

function readOrigin(entry: string): string {
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin && !entry.includes('*') && !/[?#]/.test(entry)) return url.origin;
  throw new InputError(
    `${quote(entry)} is not an origin, expected one such as https://example.org or http://localhost:8080, without a path or *`,
  );
}
