import { InputError } from '../../input/input-error.ts';
import type { BrowserTerms } from '../../access/account.ts';
import type { Limits } from '../../access/counters.ts';
import { readOrigins } from './origins.ts';

/** The caps of a browser key for which none are chosen. */
export const DEFAULT_BROWSER_LIMITS: Limits = { minute: 10, day: 200 };
/** The largest caps of a browser key: each request of the last minute is remembered. */
export const MAX_BROWSER_LIMITS: Limits = { minute: 600, day: 100_000 };
/** For how long a browser key works when no end is chosen, and at most. */
export const DEFAULT_BROWSER_DAYS = 90;
export const MAX_BROWSER_DAYS = 366;
const DAY_MS = 86_400_000;

/** What was typed for a browser key; what is undefined stays as it was. */
export interface TypedTerms {
  origins?: string | undefined;
  /** Its caps: requests in any 60 seconds, and in a UTC day. */
  minute?: string | undefined;
  day?: string | undefined;
}

/**
 * Reads the terms of a browser key.
 *
 * @param before its terms until now; undefined for a new key
 * @throws InputError
 */
export function readBrowserTerms(typed: TypedTerms, before?: BrowserTerms): BrowserTerms {
  const { limits = DEFAULT_BROWSER_LIMITS } = before ?? {};
  return {
    origins: typed.origins === undefined && before ? before.origins : readOrigins(typed.origins ?? ''),
    limits: {
      minute: readCap('minute', typed.minute, limits),
      day: readCap('day', typed.day, limits),
    },
  };
}

/**
 * Returns when a browser key ends.
 *
 * @param expires ms since 1970; undefined if none was chosen, null for a key without an end
 * @param now ms since 1970
 * @throws InputError if it has no end, or one that is too far away
 */
export function readBrowserEnd(expires: number | null | undefined, now: number): number {
  if (expires === undefined) return now + DEFAULT_BROWSER_DAYS * DAY_MS;
  if (expires !== null && expires <= latestBrowserEnd(now)) return expires;
  throw new InputError(
    `a browser key has to end, because everyone can read it: expected an end within ${MAX_BROWSER_DAYS} days`,
  );
}

/** Returns the latest time at which a browser key may end, ms since 1970. @param now ms since 1970 */
export function latestBrowserEnd(now: number): number {
  return now + MAX_BROWSER_DAYS * DAY_MS;
}

const WINDOWS: Record<keyof Limits, string> = { minute: 'in any 60 seconds', day: 'in a UTC day' };

function readCap(name: keyof Limits, text: string | undefined, before: Limits): number {
  if (text === undefined || text.trim() === '') return before[name];
  const cap = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN;
  if (cap >= 1 && cap <= MAX_BROWSER_LIMITS[name]) return cap;
  const given = JSON.stringify(text.slice(0, 20));
  throw new InputError(
    `${given} is not a cap, expected 1 to ${MAX_BROWSER_LIMITS[name]} requests ${WINDOWS[name]}`,
  );
}
