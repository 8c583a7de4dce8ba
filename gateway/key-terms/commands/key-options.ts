import type { Command } from 'commander';
import { CommandError } from '../../../scripts/lib/command-error.ts';
import { readTime } from '../../commands/keys.ts';
import type { Key } from '../../access/account.ts';
import { InputError } from '../../input/input-error.ts';
import { DEFAULT_BROWSER_LIMITS, readBrowserEnd, readBrowserTerms } from '../shared/browser-terms.ts';
import { type KeyOptions, MAX_NAME_CHARS, readKeyName } from '../shared/key-changes.ts';
import { MAX_NETWORKS, readNetworks } from '../shared/networks.ts';
import { MAX_ORIGINS } from '../shared/origins.ts';

/** What the options of a key were set to. */
export interface TypedKeyOptions {
  name?: string;
  expires?: string;
  networks?: string;
  origins?: string;
  perMinute?: string;
  perDay?: string;
}

/** Adds the options of a key. */
export function addKeyOptions(command: Command): Command {
  return command
    .option('--name <text>', `what the key is for, at most ${MAX_NAME_CHARS} characters; '' removes the name`)
    .option(
      '--expires <time>',
      'when the key stops working: ISO 8601 with a zone, a date for 00:00 UTC, or a duration such as 90d; never removes it',
    )
    .option(
      '--networks <list>',
      `from which networks it may be used: at most ${MAX_NETWORKS} IP addresses and CIDR ranges, separated by commas; any removes the list`,
    )
    .option(
      '--origins <list>',
      `makes a browser key, which works only on pages of these origins: at most ${MAX_ORIGINS} such as https://example.org, separated by commas`,
    )
    .option(
      '--per-minute <count>',
      `how many requests a browser key may send in any 60 seconds (default: ${DEFAULT_BROWSER_LIMITS.minute})`,
    )
    .option(
      '--per-day <count>',
      `how many requests a browser key may send in a UTC day (default: ${DEFAULT_BROWSER_LIMITS.day})`,
    );
}

/**
 * Reads the options of a key.
 *
 * @param now ms since 1970
 * @throws CommandError if one is not valid
 */
export function readKeyOptions({ name, expires, networks }: TypedKeyOptions, now: number): KeyOptions {
  return {
    ...(name !== undefined && { name: parseName(name) }),
    ...(expires !== undefined && { expires: expires === 'never' ? null : parseExpiry(expires, now) }),
    ...(networks !== undefined && { networks: networks === 'any' ? null : parseNetworks(networks) }),
  };
}

/**
 * Adds the options of a browser key.
 *
 * @param options from `readKeyOptions`
 * @param key the key that is changed; undefined for a new one
 * @param now ms since 1970
 * @throws CommandError if one is not valid, or the key is not a browser key
 */
export function addBrowserOptions(
  options: KeyOptions,
  { origins, perMinute: minute, perDay: day }: TypedKeyOptions,
  key: Key | undefined,
  now: number,
): KeyOptions {
  const isTyped = [origins, minute, day].some((typed) => typed !== undefined);
  const before = key?.browser;
  if (key ? before === undefined : origins === undefined) {
    if (!isTyped) return options;
    throw new CommandError(key ? notABrowserKey(key) : NO_ORIGINS, 2);
  }
  try {
    return {
      ...options,
      ...(isTyped && { browser: readBrowserTerms({ origins, minute, day }, before) }),
      ...((key === undefined || options.expires !== undefined) && {
        expires: readBrowserEnd(options.expires, now),
      }),
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new CommandError(error.message, 2);
  }
}

const NO_ORIGINS = '--per-minute and --per-day are caps of a browser key; add --origins to make one';

function notABrowserKey({ prefix }: Key): string {
  return `${prefix} is not a browser key, and cannot become one; gateway keys issue <email> --origins <list> makes one`;
}

function parseName(text: string): string {
  const name = readKeyName(text);
  if (name !== undefined) return name;
  const expected = `expected at most ${MAX_NAME_CHARS} characters in one line`;
  throw new CommandError(
    `--name ${JSON.stringify(text.slice(0, MAX_NAME_CHARS))} is not a name; ${expected}`,
    2,
  );
}

function parseExpiry(text: string, now: number): number {
  const duration = readDuration(text);
  const time = duration === undefined ? readTime(text) : now + duration;
  if (time === undefined) {
    throw new CommandError(
      `--expires ${JSON.stringify(text)} is not a time; expected ISO 8601 with a zone, a date such as 2031-01-01, a duration such as 90d, or never`,
      2,
    );
  }
  if (time <= now)
    throw new CommandError(`--expires ${text} has passed; to end a key now, use gateway keys revoke`, 2);
  return time;
}

function parseNetworks(text: string): string[] {
  try {
    const networks = readNetworks(text);
    if (networks.length > 0) return networks;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new CommandError(`--networks: ${error.message}`, 2);
  }
  throw new CommandError('--networks is empty; expected IP addresses and CIDR ranges, or any', 2);
}

const DURATION = /^(\d{1,5})(s|m|h|d)$/;
const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a duration such as `90s`, `30m`, `24h` or `7d`.
 *
 * @returns milliseconds; undefined if it is not a duration
 */
export function readDuration(text: string): number | undefined {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0);
}
