import { ArgumentError, isAbsent, toNumber } from './values.ts';

/** `$isoSeconds(seconds)`: seconds since 1970-01-01T00:00:00Z as `2020-06-28T09:00:00.000Z`, like JSONata's `$fromMillis`. */
export function readSeconds(seconds: unknown): string | undefined {
  return isAbsent(seconds) ? undefined : formatEpoch(seconds, 1000, '$isoSeconds', 'seconds since 1970');
}

/** `$isoMillis(millis)`: the same for milliseconds. */
export function readMillis(millis: unknown): string | undefined {
  return isAbsent(millis) ? undefined : formatEpoch(millis, 1, '$isoMillis', 'milliseconds since 1970');
}

/** The unit is never guessed: a small number of milliseconds looks like seconds. */
function formatEpoch(value: unknown, scale: number, name: string, expected: string): string {
  const date = new Date(toNumber(value, name, expected) * scale);
  // Milliseconds that are read as seconds give a year of more than four digits.
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0) {
    throw new ArgumentError(name, expected, value);
  }
  return date.toISOString();
}

const LOCAL = /^(\d{4})([/.-])(\d{1,2})\2(\d{1,2})(?:(?:T| +)(\d{1,2}):(\d\d)(?::(\d\d))?)?$/;
const OFFSET = /^(?:Z|([+-])(\d{1,2})(?::?([0-5]\d))?)$/;
const MAX_OFFSET_MINUTES = 14 * 60;

/**
 * `$isoLocal(time, offset)`: a local time `YYYY/MM/DD H:MM:SS` as ISO 8601 in UTC. `-` and `.` are accepted for `/`; the seconds, or the whole time
 * of day, may be missing.
 *
 * @param offset how far the local time is ahead of UTC: `+09:00`, `-5`, `Z`. It is required, because dumps do not contain the server's zone.
 */
export function readLocalTime(time: unknown, offset: unknown): string | undefined {
  if (isAbsent(time)) return undefined;
  const minutes = readOffset(offset);
  const parts = typeof time === 'string' ? LOCAL.exec(time) : null;
  if (!parts) throw notLocal(time);
  const [year = 0, , month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  // Date accepts a 31st of April and a 61st minute, and rolls over.
  const isDay = local.getUTCMonth() + 1 === month && local.getUTCDate() === day;
  if (!isDay || hour > 23 || minute > 59 || second > 59) throw notLocal(time);
  return new Date(local.setUTCHours(hour, minute - minutes, second)).toISOString();
}

function readOffset(offset: unknown): number {
  const parts = typeof offset === 'string' ? OFFSET.exec(offset) : null;
  const minutes = Number(parts?.[2] ?? 0) * 60 + Number(parts?.[3] ?? 0);
  if (!parts || minutes > MAX_OFFSET_MINUTES) {
    throw new ArgumentError('$isoLocal', 'an offset from UTC, for example "+09:00"', offset);
  }
  return parts[1] === '-' ? -minutes : minutes;
}

function notLocal(time: unknown): ArgumentError {
  return new ArgumentError('$isoLocal', 'a time, for example "2024/02/29 5:00:00"', time);
}
