import { CommandError } from '../../../scripts/core/lib/command-error.ts';
import type { Grant, Tier } from '../plans/account.ts';

/** The option for the end of Pro. */
export const UNTIL_OPTION = [
  '--until <time>',
  'when Pro ends: ISO 8601 with a zone, or a date for 00:00 UTC (default: never)',
] as const;

/**
 * Reads the tier that an operator grants to an account.
 *
 * @param now ms since 1970
 * @throws CommandError if `until` is not a time in the future, or is set without Pro
 */
export function readGrant(tier: Tier | undefined, until: string | undefined, now: number): Grant {
  if (until === undefined) return { tier: tier ?? 'free', pro_until: null };
  if (tier !== 'pro') throw new CommandError('--until says when Pro ends, so it needs the tier pro', 2);
  const time = readTime(until);
  if (time === undefined) {
    throw new CommandError(
      `--until ${JSON.stringify(until)} is not a time; expected ISO 8601 with a zone, 2031-01-01T00:00:00Z, or a date, 2031-01-01`,
      2,
    );
  }
  if (time <= now) throw new CommandError(`--until ${until} has passed; expected a time in the future`, 2);
  return { tier, pro_until: new Date(time).toISOString() };
}

const DAY = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Reads a time: ISO 8601 with a zone, or a date for 00:00 UTC.
 *
 * @returns milliseconds since 1970; undefined also for a day that the month does not have, which Date would move to the next month
 */
export function readTime(text: string): number | undefined {
  const day = DAY.exec(text)?.[1];
  const time = Date.parse(text);
  if (day === undefined || Number.isNaN(time)) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : undefined;
}
